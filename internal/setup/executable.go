package setup

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/internal/hint"
)

// checkBinary refuses a path that no hook should depend on: one that is not
// there, or that the go command will delete.
func checkBinary(path string) error {
	const install = "go install github.com/counterstep/counterstep/cmd/counterstep@latest"
	if !filepath.IsAbs(path) || strings.ContainsAny(path, "\t\r\n") {
		return hint.New(install, "the path of the binary, %q, cannot stand in a hook", path)
	}
	for dir := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.HasPrefix(dir, "go-build") {
			return hint.New(install, "%q is a temporary executable, which go run deletes or replaces; hooks need one that stays", path)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return hint.New(install, "the binary is not there: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 && filepath.Ext(path) != ".exe" {
		return hint.New("chmod +x "+quote(path), "%q is not executable", path)
	}
	return nil
}

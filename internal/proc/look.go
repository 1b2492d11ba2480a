package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Look finds the program name in the directories of list, which has the form
// of $PATH. Entries that are not absolute are passed over: what they mean
// depends on the directory, and that may be a stranger's. The error wraps
// exec.ErrNotFound.
func Look(name, list string) (string, error) {
	names := []string{name}
	if runtime.GOOS == "windows" {
		names = []string{name + ".exe"}
	}
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, n := range names {
			path := filepath.Join(dir, n)
			info, err := os.Stat(path)
			if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("look for %s: %w", name, exec.ErrNotFound)
}

// Clean returns list without the entries that are not absolute.
func Clean(list string) string {
	var keep []string
	for _, dir := range filepath.SplitList(list) {
		if filepath.IsAbs(dir) {
			keep = append(keep, dir)
		}
	}
	return strings.Join(keep, string(os.PathListSeparator))
}

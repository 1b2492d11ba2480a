package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/hint"
)

// SettingsFile is the settings file of a scope.
func SettingsFile(s Scope, project, home string) (string, error) {
	switch s {
	case Project:
		return filepath.Join(project, ".claude", "settings.json"), nil
	case Local:
		return filepath.Join(project, ".claude", "settings.local.json"), nil
	case User:
		return filepath.Join(home, ".claude", "settings.json"), nil
	}
	return "", hint.New("counterstep init --scope project", "no scope is called %q; there are project, local and user", string(s))
}

// target is a settings file as it is now.
type target struct {
	file   string // the file's name, links in its directory resolved
	real   string // what is to be written: file, or what file is a link to
	data   []byte
	perm   fs.FileMode
	exists bool
}

// look reads the settings file called name. A link is followed, and what it
// points to is changed, so that a linked ~/.claude/settings.json stays linked;
// but within a project only to a place in that project, since a repository may
// ship links. root is the project, or "" for a file of the user's own.
func look(name, root string) (target, error) {
	t := target{file: canonical(name), perm: 0o644}
	if root == "" {
		t.perm = 0o600
	}
	t.real = t.file
	info, err := os.Lstat(t.file)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if t.real, err = filepath.EvalSymlinks(t.file); err != nil {
			return t, hint.New("ls -l "+quote(t.file), "the settings file %q is a link that leads nowhere", t.file)
		}
		info, err = os.Lstat(t.real)
	}
	if root != "" && !within(t.real, canonical(filepath.Join(root, "x"))) {
		return t, hint.New("counterstep init --scope user", "the settings file %q leads out of the project, to %q", name, t.real)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return t, fmt.Errorf("look at settings: %w", err)
	case !info.Mode().IsRegular():
		return t, hint.New("ls -l "+quote(t.real), "the settings file %q is no regular file", t.real)
	case info.Size() > harness.MaxPayload:
		return t, fmt.Errorf("the settings file %q has more than %d bytes", t.real, harness.MaxPayload)
	}
	t.exists, t.perm = true, info.Mode().Perm()
	if t.data, err = os.ReadFile(t.real); err != nil {
		return t, fmt.Errorf("read settings: %w", err)
	}
	return t, nil
}

// within reports whether path lies in the directory of sibling.
func within(path, sibling string) bool {
	return strings.HasPrefix(path, filepath.Dir(sibling)+string(filepath.Separator))
}

// canonical is path with the links in its directory resolved, as far as that
// directory exists. The last name stays what it is.
func canonical(path string) string {
	path = filepath.Clean(path)
	dir, rest := filepath.Dir(path), filepath.Base(path)
	for {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return path
		}
		dir, rest = up, filepath.Join(filepath.Base(dir), rest)
	}
}

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/internal/hint"
)

// Find returns the workspace that holds cwd: the nearest registered ancestor,
// else the top of the git work tree (of a linked work tree inside a registered
// workspace, that workspace), else cwd. It starts no process. An error with a
// hint says that the answer would be "/" or the home directory. Of a cwd that
// is gone, the nearest directory that is still there counts.
func (r Registry) Find(stateHome, cwd string) (Workspace, error) {
	real, err := existing(cwd)
	if err != nil {
		return Workspace{}, err
	}
	known, err := readRegistry(registryPath(stateHome))
	if err != nil {
		return Workspace{}, err
	}
	for dir := real; ; dir = filepath.Dir(dir) {
		if known.has(dir) && r.tooWide(dir) == "" {
			return Workspace{Root: dir, Registered: true}, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for dir := real; r.tooWide(dir) == ""; dir = filepath.Dir(dir) {
		if isGitTop(dir) {
			return Workspace{Root: dir}, nil
		}
	}
	if what := r.tooWide(real); what != "" {
		return Workspace{}, hint.New("start the agent in a project directory",
			"%q is %s and cannot be a workspace", real, what)
	}
	return Workspace{Root: real}, nil
}

// existing is the real path of the nearest directory on the way from path up
// that exists.
func existing(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("directory %q is not absolute", path)
	}
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil || dir == filepath.Dir(dir) {
			return real, err
		}
		if !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
			return "", fmt.Errorf("find the directory: %w", err)
		}
	}
}

// tooWide says what dir is when it is no workspace: the root, the home
// directory, or something that contains it.
func (r Registry) tooWide(dir string) string {
	if dir == filepath.Dir(dir) {
		return "the root directory"
	}
	home := r.Home
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	switch {
	case home == "":
		return ""
	case dir == filepath.Clean(home):
		return "the home directory"
	case strings.HasPrefix(filepath.Clean(home), dir+string(filepath.Separator)):
		return "above the home directory"
	}
	return ""
}

// isGitTop reports whether dir looks like the top of a git work tree: it has a
// .git directory with a HEAD, or a .git file, as linked work trees do. Nothing
// in them is believed.
func isGitTop(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, ".git"))
	if err != nil {
		return false
	}
	if info.IsDir() {
		_, err := os.Lstat(filepath.Join(dir, ".git", "HEAD"))
		return err == nil
	}
	return info.Mode().IsRegular()
}

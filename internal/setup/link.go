package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/hint"
)

// linkName is the link in a workspace by which people find the store. We never
// look through it ourselves.
const linkName = ".counterstep"

// Link makes the link .counterstep in the workspace root to its store. A link
// that is there already is pointed anew; anything else is left alone and is an
// error.
func Link(root, store string) error {
	path := filepath.Join(root, linkName)
	if old, err := os.Readlink(path); err == nil {
		if old == store {
			return nil
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("replace the link to the store: %w", err)
		}
	} else if _, err := os.Lstat(path); err == nil {
		return hint.New("ls -ld "+quote(path), "%q is in the way of the link to the store", path)
	}
	if err := os.Symlink(store, path); err != nil {
		return fmt.Errorf("link to the store: %w", err)
	}
	return nil
}

// Exclude keeps git from listing the link, by a line in info/exclude of the
// repository that root belongs to. Without a repository it does nothing. It
// never writes through a link. It reports whether it added the line.
func Exclude(root string) (bool, error) {
	top, dir, err := gitDir(root)
	if dir == "" || err != nil {
		return false, err
	}
	rel, err := filepath.Rel(top, root)
	if err != nil {
		return false, fmt.Errorf("exclude the link: %w", err)
	}
	pattern := "/" + filepath.ToSlash(filepath.Join(rel, linkName))
	info := filepath.Join(dir, "info")
	if err := os.Mkdir(info, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("exclude the link: %w", err)
	}
	path := filepath.Join(info, "exclude")
	perm := fs.FileMode(0o644)
	for _, p := range []string{info, path} {
		fi, err := os.Lstat(p)
		if err == nil && fi.Mode()&fs.ModeSymlink != 0 || err == nil && p == path && !fi.Mode().IsRegular() {
			return false, hint.New("ls -l "+quote(p), "%q is a link or no file, so git is not told to leave %s out", p, linkName)
		}
		if err == nil && p == path {
			perm = fi.Mode().Perm()
		}
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("exclude the link: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.TrimRight(line, "\r\n") == pattern {
			return false, nil
		}
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	if err := durable.WriteFile(path, append(data, pattern+"\n"...), perm); err != nil {
		return false, fmt.Errorf("exclude the link: %w", err)
	}
	return true, nil
}

// gitDir finds the top of the work tree around path and the git directory that
// its worktrees share, without running git; both are "" when there is none.
func gitDir(path string) (top, dir string, err error) {
	for top = path; ; top = filepath.Dir(top) {
		fi, err := os.Lstat(filepath.Join(top, ".git"))
		switch {
		case err == nil && fi.IsDir():
			return top, filepath.Join(top, ".git"), nil
		case err == nil && fi.Mode().IsRegular():
			dir, err := linkedGitDir(top)
			return top, dir, err
		case filepath.Dir(top) == top:
			return "", "", nil
		}
	}
}

// linkedGitDir follows the .git file of a linked worktree or a submodule.
func linkedGitDir(top string) (string, error) {
	data, err := os.ReadFile(filepath.Join(top, ".git"))
	if err != nil {
		return "", fmt.Errorf("exclude the link: %w", err)
	}
	dir, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("exclude the link: %q names no git directory", filepath.Join(top, ".git"))
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(top, dir)
	}
	data, err = os.ReadFile(filepath.Join(dir, "commondir"))
	if errors.Is(err, fs.ErrNotExist) {
		return dir, nil
	}
	if err != nil {
		return "", fmt.Errorf("exclude the link: %w", err)
	}
	common := strings.TrimRight(string(data), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(dir, common)
	}
	return common, nil
}

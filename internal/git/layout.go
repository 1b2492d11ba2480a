package git

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/classify"
)

// Limits on what a repository can make us read or walk.
const (
	maxDepth = 128     // directories above the start
	maxSmall = 4 << 10 // .git file, HEAD, commondir
	maxFile  = 4 << 20 // a configuration file
)

// ErrNoRepository says that a directory belongs to no repository.
var ErrNoRepository = errors.New("not a git repository")

// Layout is where the parts of a repository are. All paths are absolute with
// links resolved.
type Layout struct {
	// GitDir holds HEAD and the index, CommonDir refs, objects and config. They
	// differ in a linked worktree.
	GitDir    string `json:"gitdir"`
	CommonDir string `json:"commondir"`
	// WorkTree is the top of the work tree; empty in a bare repository.
	WorkTree string `json:"worktree,omitempty"`
	// Base is the directory git changes to before it reads a relative URL.
	Base string `json:"base"`
	// Format is the object format, "sha1" or "sha256"; Refs is how refs are
	// stored, "files" or "reftable".
	Format string `json:"format"`
	Refs   string `json:"refs"`
	// Shallow says that history is cut off, Partial that objects are missing on
	// purpose.
	Shallow bool `json:"shallow,omitempty"`
	Partial bool `json:"partial,omitempty"`
}

// Find finds the repository of dir as git would, without running git: by
// looking at dir and its parents. The error wraps ErrNoRepository when there
// is none, and names what is not understood when there is one that this
// version does not know how to read.
func Find(dir string) (Layout, error) {
	start, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Layout{}, fmt.Errorf("find repository: %w", err)
	}
	for d, n := start, 0; n < maxDepth; n++ {
		if gitDir, ok, err := dotGit(filepath.Join(d, ".git")); err != nil {
			return Layout{}, err
		} else if ok {
			return open(gitDir, d, d)
		}
		if isGitDir(d) {
			return open(d, "", start)
		}
		up := filepath.Dir(d)
		if up == d {
			break
		}
		d = up
	}
	return Layout{}, fmt.Errorf("%w: %q", ErrNoRepository, dir)
}

// At is Find for a call that may name the repository itself, with --git-dir
// and --work-tree.
func At(p classify.Push) (Layout, error) {
	if p.GitDir == "" {
		return Find(p.Dir)
	}
	gitDir := p.GitDir
	if !filepath.IsAbs(gitDir) {
		gitDir = filepath.Join(p.Dir, gitDir)
	}
	found, ok, err := dotGit(gitDir)
	if err != nil {
		return Layout{}, err
	}
	if !ok {
		return Layout{}, fmt.Errorf("%w: %q", ErrNoRepository, gitDir)
	}
	dir, err := filepath.EvalSymlinks(p.Dir)
	if err != nil {
		return Layout{}, fmt.Errorf("find repository: %w", err)
	}
	if p.WorkTree == "" {
		return open(found, dir, dir)
	}
	tree := p.WorkTree
	if !filepath.IsAbs(tree) {
		tree = filepath.Join(dir, tree)
	}
	if tree, err = filepath.EvalSymlinks(tree); err != nil {
		return Layout{}, fmt.Errorf("find work tree: %w", err)
	}
	base := dir
	if within(dir, tree) {
		base = tree
	}
	return open(found, tree, base)
}

// dotGit resolves path, a .git directory or a .git file that names one.
func dotGit(path string) (string, bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", false, nil
	}
	target := path
	if info.Mode().IsRegular() {
		text, err := readSmall(path)
		if err != nil {
			return "", false, fmt.Errorf("read %q: %w", path, err)
		}
		name, ok := strings.CutPrefix(text, "gitdir: ")
		if !ok {
			return "", false, nil
		}
		target = strings.TrimRight(name, "\r\n")
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
	}
	if !isGitDir(target) {
		return "", false, nil
	}
	real, err := filepath.EvalSymlinks(target)
	if err != nil {
		return "", false, fmt.Errorf("find repository: %w", err)
	}
	return real, true, nil
}

// isGitDir reports whether dir looks like a git directory to git.
func isGitDir(dir string) bool {
	head, err := os.Lstat(filepath.Join(dir, "HEAD"))
	if err != nil {
		return false
	}
	if head.Mode().IsRegular() {
		text, err := readSmall(filepath.Join(dir, "HEAD"))
		if err != nil || !strings.HasPrefix(text, "ref:") && !isOID(strings.TrimSpace(text)) {
			return false
		}
	} else if head.Mode()&os.ModeSymlink == 0 {
		return false
	}
	common := commonDir(dir)
	return isDir(filepath.Join(common, "objects")) && isDir(filepath.Join(common, "refs"))
}

// commonDir returns what dir shares with other worktrees, unresolved.
func commonDir(dir string) string {
	text, err := readSmall(filepath.Join(dir, "commondir"))
	if err != nil {
		return dir
	}
	name := strings.TrimRight(text, "\r\n")
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// open reads what a git directory says about itself.
func open(gitDir, workTree, base string) (Layout, error) {
	common, err := filepath.EvalSymlinks(commonDir(gitDir))
	if err != nil {
		return Layout{}, fmt.Errorf("find repository: %w", err)
	}
	l := Layout{GitDir: gitDir, CommonDir: common, WorkTree: workTree, Base: base, Format: "sha1", Refs: "files"}
	text, err := readRegular(filepath.Join(common, "config"), maxFile)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return l, fmt.Errorf("read repository config: %w", err)
	}
	own, err := parseConfig(text)
	if err != nil {
		return l, fmt.Errorf("read repository config: %w", err)
	}
	if err := l.extensions(own); err != nil {
		return l, err
	}
	if err := l.placeWorkTree(own); err != nil {
		return l, err
	}
	_, err = os.Lstat(filepath.Join(common, "shallow"))
	l.Shallow = err == nil
	return l, nil
}

// placeWorkTree applies core.bare and core.worktree.
func (l *Layout) placeWorkTree(own config) error {
	if bare, err := own.flag("core.bare", false); err != nil {
		return err
	} else if bare && l.GitDir == l.CommonDir {
		l.WorkTree = ""
	}
	tree, ok := own.last("core.worktree")
	if !ok || l.GitDir != l.CommonDir {
		return nil
	}
	if !filepath.IsAbs(tree) {
		tree = filepath.Join(l.GitDir, tree)
	}
	real, err := filepath.EvalSymlinks(tree)
	if err != nil {
		return fmt.Errorf("find work tree: %w", err)
	}
	if within(l.Base, real) {
		l.Base = real
	}
	l.WorkTree = real
	return nil
}

// extensions reads what changes the meaning of the files, and refuses what it
// does not know.
func (l *Layout) extensions(own config) error {
	version, _ := own.last("core.repositoryformatversion")
	if version != "" && version != "0" && version != "1" {
		return fmt.Errorf("repository format %q is not known", version)
	}
	for _, s := range own {
		name, ok := strings.CutPrefix(s.key, "extensions.")
		if !ok {
			continue
		}
		switch name {
		case "objectformat":
			l.Format = strings.ToLower(s.value)
		case "refstorage":
			l.Refs = strings.ToLower(s.value)
		case "partialclone":
			l.Partial = true
		case "noop", "noop-v1", "preciousobjects", "worktreeconfig", "relativeworktrees":
		default:
			if version == "1" {
				return fmt.Errorf("repository extension %q is not known", name)
			}
		}
	}
	if l.Format != "sha1" && l.Format != "sha256" || l.Refs != "files" && l.Refs != "reftable" {
		return fmt.Errorf("repository with object format %q and ref storage %q is not known", l.Format, l.Refs)
	}
	return nil
}

// Objects is the directory of the repository's objects.
func (l Layout) Objects() string { return filepath.Join(l.CommonDir, "objects") }

// within reports whether path is dir or lies below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func readSmall(path string) (string, error) { return readRegular(path, maxSmall) }

// readRegular reads a file of at most limit bytes. Anything that is no regular
// file is an error, and is not opened.
func readRegular(path string, limit int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%q is no regular file", path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return "", err
	}
	if int64(len(data)) > limit {
		return "", fmt.Errorf("%q is larger than %d bytes", path, limit)
	}
	return string(data), nil
}

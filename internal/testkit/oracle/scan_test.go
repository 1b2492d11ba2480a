//go:build linux

package oracle

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// mark tells cheaply whether a path was touched.
type mark struct {
	mode          uint32
	ino           uint64
	size          int64
	mtime, change syscall.Timespec
}

// change is one path that is not what it was.
type change struct {
	// How is "gone", "type", "content", "target", "mode" or "time".
	Path, How string
}

// ground is the tree as it lies on the disk of the sandbox.
type ground struct {
	pristine tree
	marks    map[string]mark
	// closed are folders that were opened to look into them, with the modes
	// that they have.
	closed map[string]fs.FileMode
}

// look takes the marks of everything below the roots.
func look() map[string]mark {
	marks := map[string]mark{}
	for _, root := range roots() {
		_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			var st syscall.Stat_t
			if path == root || syscall.Lstat(path, &st) != nil {
				return nil
			}
			m := mark{mode: st.Mode, ino: st.Ino, size: st.Size, mtime: st.Mtim, change: st.Ctim}
			if st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
				m = mark{mode: st.Mode, ino: st.Ino}
			}
			marks[path] = m
			return nil
		})
	}
	return marks
}

// reset makes the tree what it was before; want may have more in it than last time.
func (g *ground) reset(want tree) error {
	for _, root := range roots() {
		if err := os.MkdirAll(root, 0o755); err != nil {
			return err
		}
	}
	g.unclose()
	now := look()
	for path := range now {
		if m, ok := g.marks[path]; ok && m == now[path] && want[path].Type != 0 && same(g.pristine[path], want[path]) {
			continue
		}
		if want[path].Type == 'd' && now[path].mode&syscall.S_IFMT == syscall.S_IFDIR {
			continue
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	for _, path := range want.sorted() {
		if _, err := os.Lstat(path); err == nil && want[path].Type != 'd' {
			continue
		}
		if err := want[path].put(path); err != nil {
			return err
		}
	}
	g.pristine, g.marks = want, look()
	return nil
}

// compare lists what is not as it was, what is new, and whether a repository
// was touched inside.
func (g *ground) compare() (changes []change, created []string, git bool) {
	g.unclose()
	defer g.reclose()
	now := look()
	for path, was := range g.marks {
		m, ok := now[path]
		if mode, closed := g.closed[path]; closed {
			m.mode = syscall.S_IFDIR | uint32(mode)
		}
		switch {
		case inGit(path):
			git = git || !ok || m != was
			continue
		case ok && m == was:
			continue
		}
		if how := g.how(path); how != "" {
			changes = append(changes, change{path, how})
		}
	}
	for path := range now {
		if _, ok := g.marks[path]; !ok {
			if inGit(path) {
				git = true
			} else {
				created = append(created, path)
			}
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return len(a.Path) - len(b.Path) })
	slices.Sort(created)
	return changes, created, git
}

// unclose opens the folders that a command closed.
func (g *ground) unclose() {
	g.closed = map[string]fs.FileMode{}
	var walk func(dir string)
	walk = func(dir string) {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			return
		}
		if perm := info.Mode().Perm(); perm&0o700 != 0o700 && os.Chmod(dir, 0o700) == nil {
			g.closed[dir] = perm
		}
		list, _ := os.ReadDir(dir)
		for _, d := range list {
			if d.IsDir() {
				walk(filepath.Join(dir, d.Name()))
			}
		}
	}
	for _, root := range roots() {
		walk(root)
	}
}

func (g *ground) reclose() {
	for dir, mode := range g.closed {
		defer func() { _ = os.Chmod(dir, mode) }()
	}
}

// how says in which way a path differs from what it was.
func (g *ground) how(path string) string {
	want := g.pristine.file(path)
	info, err := os.Lstat(path)
	if err != nil {
		return "gone"
	}
	perm := info.Mode().Perm()
	if mode, closed := g.closed[path]; closed {
		perm = mode
	}
	kind := byte('f')
	switch {
	case info.IsDir():
		kind = 'd'
	case info.Mode()&fs.ModeSymlink != 0:
		kind = 'l'
	case !info.Mode().IsRegular():
		kind = 's'
	}
	if kind != want.Type {
		return "type"
	}
	switch kind {
	case 'l':
		if target, err := os.Readlink(path); err != nil || target != want.Target {
			return "target"
		}
		return ""
	case 'f':
		if !holds(path, info, want.Data) {
			return "content"
		}
	}
	switch {
	case perm != want.Mode && (kind == 'f' || perm != want.Mode|0o700):
		return "mode"
	case kind == 'f' && !info.ModTime().Equal(time.Unix(0, want.Time)):
		return "time"
	}
	return ""
}

func holds(path string, info fs.FileInfo, data []byte) bool {
	if info.Size() != int64(len(data)) {
		return false
	}
	if info.Mode().Perm()&0o400 == 0 {
		_ = os.Chmod(path, 0o600)
		defer func() { _ = os.Chmod(path, info.Mode().Perm()) }()
	}
	got, err := os.ReadFile(path)
	return err == nil && string(got) == string(data)
}

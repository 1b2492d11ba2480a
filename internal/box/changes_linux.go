package box

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Lower is where the real state of a path below the root can be read.
func (b *Box) Lower(path string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(path, b.setup.Root), "/")
	return filepath.Join(fmt.Sprintf("/proc/self/fd/%d", b.lower.Fd()), rel)
}

func (b *Box) over(path string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(path, b.setup.Root), "/")
	return filepath.Join(fmt.Sprintf("/proc/self/fd/%d", b.upper.Fd()), rel)
}

// Changes lists what was written, sorted by path: it reads what the overlay
// holds, not what anybody says.
func (b *Box) Changes() ([]Change, error) {
	var out []Change
	err := b.walk(b.setup.Root, &out)
	slices.SortFunc(out, func(a, c Change) int { return strings.Compare(a.Path, c.Path) })
	return out, err
}

func (b *Box) walk(dir string, out *[]Change) error {
	list, err := os.ReadDir(b.over(dir) + "/")
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, d := range list {
		have[d.Name()] = true
		if err := b.one(filepath.Join(dir, d.Name()), out); err != nil {
			return err
		}
	}
	if !opaque(b.over(dir)) {
		return nil
	}
	old, err := os.ReadDir(b.Lower(dir) + "/")
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) {
		return err
	}
	for _, d := range old {
		if !have[d.Name()] {
			if err := b.removed(filepath.Join(dir, d.Name()), out); err != nil {
				return err
			}
		}
	}
	return nil
}

// opaque reports a directory through which nothing of the real one shows.
func opaque(dir string) bool {
	var buf [1]byte
	n, err := unix.Getxattr(dir+"/", "user.overlay.opaque", buf[:])
	return err == nil && n == 1 && buf[0] == 'y'
}

// one judges one thing that the overlay holds.
func (b *Box) one(path string, out *[]Change) error {
	var now, was unix.Stat_t
	if err := unix.Lstat(b.over(path), &now); err != nil {
		return err
	}
	if now.Mode&unix.S_IFMT == unix.S_IFCHR && now.Rdev == 0 {
		return b.removed(path, out)
	}
	werr := unix.Lstat(b.Lower(path), &was)
	if werr != nil && !errors.Is(werr, unix.ENOENT) && !errors.Is(werr, unix.ENOTDIR) {
		return werr
	}
	isDir := now.Mode&unix.S_IFMT == unix.S_IFDIR
	c := Change{Path: path, Dir: isDir}
	switch {
	case werr != nil:
		c.Kind = Created
	case now.Mode&unix.S_IFMT != was.Mode&unix.S_IFMT:
		c.Kind = Changed
		if was.Mode&unix.S_IFMT == unix.S_IFDIR { // and what was in it is gone
			if err := b.below(path, out); err != nil {
				return err
			}
		}
	case !isDir && !b.same(path, now, was):
		c.Kind = Changed
	case now.Mode != was.Mode || now.Uid != was.Uid || now.Gid != was.Gid:
		c.Kind = Metadata
	case !isDir:
		c.Kind = Times
	}
	if regular(now.Mode) {
		c.After = b.over(path)
	}
	if werr == nil && regular(was.Mode) {
		c.Before, c.Names = b.Lower(path), int(was.Nlink)
	}
	if c.Kind != "" {
		*out = append(*out, c)
	}
	if isDir {
		return b.walk(path, out)
	}
	return nil
}

func regular(mode uint32) bool { return mode&unix.S_IFMT == unix.S_IFREG }

// same compares contents: of files their bytes, of links their text.
func (b *Box) same(path string, now, was unix.Stat_t) bool {
	if now.Size != was.Size || now.Rdev != was.Rdev {
		return false
	}
	switch now.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		x, xerr := os.Readlink(b.over(path))
		y, yerr := os.Readlink(b.Lower(path))
		return xerr == nil && yerr == nil && x == y
	case unix.S_IFREG:
		return sameBytes(b.over(path), b.Lower(path))
	}
	return true
}

func sameBytes(x, y string) bool {
	f, err := os.Open(x)
	if err != nil {
		return false
	}
	defer f.Close()
	g, err := os.Open(y)
	if err != nil {
		return false
	}
	defer g.Close()
	a, b := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, err := io.ReadFull(f, a)
		m, _ := io.ReadFull(g, b)
		if n != m || !bytes.Equal(a[:n], b[:m]) {
			return false
		}
		if err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}

// removed adds a real thing that is gone, with all that was in it.
func (b *Box) removed(path string, out *[]Change) error {
	var was unix.Stat_t
	if err := unix.Lstat(b.Lower(path), &was); err != nil {
		if errors.Is(err, unix.ENOENT) {
			return nil // made and removed again
		}
		return err
	}
	c := Change{Path: path, Kind: Removed, Dir: was.Mode&unix.S_IFMT == unix.S_IFDIR}
	if regular(was.Mode) {
		c.Before = b.Lower(path)
	}
	*out = append(*out, c)
	if c.Dir {
		return b.below(path, out)
	}
	return nil
}

// below adds all that was in a real directory that is gone.
func (b *Box) below(dir string, out *[]Change) error {
	list, err := os.ReadDir(b.Lower(dir) + "/")
	if err != nil {
		return err
	}
	for _, d := range list {
		if err := b.removed(filepath.Join(dir, d.Name()), out); err != nil {
			return err
		}
	}
	return nil
}

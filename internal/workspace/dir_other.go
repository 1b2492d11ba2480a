//go:build !linux

package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/counterstep/counterstep/fingerprint"
)

// dir is an open directory. Here it is an os.Root of its own for every
// directory, and what was opened is compared with what was looked at, since a
// root follows links that stay inside it.
type dir struct{ root *os.Root }

// How a directory is opened; here it makes no difference.
const (
	toList = 0
	toPass = 0
)

var (
	errNotDirectory = errors.New("not a directory but a link or another thing")
	errMount        = errors.New("another file system is mounted there")
)

// openRoot opens an absolute clean path without following a link anywhere.
func openRoot(path string, how int) (*dir, error) {
	root, err := os.OpenRoot("/")
	if err != nil || path == "/" {
		return &dir{root}, err
	}
	top := &dir{root}
	defer top.close()
	return top.openDir(path[1:], how, false)
}

// openDir opens a directory below d; no element of rel is followed when it is
// a link.
func (d *dir) openDir(rel string, _ int, oneFS bool) (*dir, error) {
	at := d.root
	for name := range strings.SplitSeq(rel, "/") {
		next, err := enter(at, name, oneFS)
		if at != d.root {
			at.Close()
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return &dir{at}, nil
}

func enter(at *os.Root, name string, oneFS bool) (*os.Root, error) {
	before, err := at.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, errNotDirectory
	}
	next, err := at.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	after, err := next.Stat(".")
	if err == nil && !os.SameFile(before, after) {
		err = errNotDirectory
	}
	if err == nil && oneFS {
		if here, err2 := at.Stat("."); err2 == nil && fromInfo(here).dev != fromInfo(after).dev {
			err = errMount
		}
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

func (d *dir) close() {
	if d.root != nil {
		d.root.Close()
	}
}

// stat looks at the directory itself.
func (d *dir) stat() (stat, error) { return d.lstat(".") }

// lstat looks at a name without following it.
func (d *dir) lstat(name string) (stat, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return stat{}, err
	}
	return fromInfo(info), nil
}

func fromInfo(info fs.FileInfo) stat {
	m := info.Mode()
	st := stat{
		typ: typeOf(m), mode: uint32(m.Perm()), size: info.Size(), blocks: -1, links: 1,
		mtime: info.ModTime().UnixNano(), atime: info.ModTime().UnixNano(),
	}
	for bit, flag := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if m&bit != 0 {
			st.mode |= flag
		}
	}
	fromSys(info, &st)
	return st
}

// list calls each for every name.
func (d *dir) list(_ []byte, each func(dirent) error) error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		names, err := f.ReadDir(256)
		for _, n := range names {
			if err := each(dirent{name: n.Name(), typ: typeOf(n.Type())}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (d *dir) readlink(name string, _ int64) (string, error) { return d.root.Readlink(name) }

// open opens a regular file to read.
func (d *dir) open(name string, _ bool) (file, error) { return d.openSame(name, os.O_RDONLY) }

// openWrite opens an existing regular file to write into it.
func (d *dir) openWrite(name string) (file, error) { return d.openSame(name, os.O_RDWR) }

// openSame opens what lstat sees and nothing else.
func (d *dir) openSame(name string, flag int) (file, error) {
	before, err := d.root.Lstat(name)
	if err != nil {
		return file{}, err
	}
	if !before.Mode().IsRegular() {
		return file{}, errNotDirectory
	}
	f, err := d.root.OpenFile(name, flag|nonblock, 0)
	if err != nil {
		return file{}, err
	}
	after, err := f.Stat()
	if err == nil && !os.SameFile(before, after) {
		err = errNotDirectory
	}
	if err != nil {
		f.Close()
		return file{}, err
	}
	return file{f: f, at: d, name: name}, nil
}

// openMeta names anything but a link for changing its metadata.
func (d *dir) openMeta(name string) (file, error) {
	info, err := d.root.Lstat(name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = errNotDirectory
	}
	return file{at: d, name: name}, err
}

// sync makes the names in the directory durable.
func (d *dir) sync() error {
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !isDenied(err) {
		return err
	}
	return nil
}

// syncFS can only sync the directory here; files are synced one by one.
func (d *dir) syncFS() error { return d.sync() }

// Extended attributes are not looked at on this system.
func (d *dir) xattrs(string) ([]fingerprint.Xattr, error)  { return nil, nil }
func (d *dir) selfXattrs() ([]fingerprint.Xattr, error)    { return nil, nil }
func (f file) xattrs() ([]fingerprint.Xattr, error)        { return nil, nil }
func (f file) extents(int64) ([]fingerprint.Extent, error) { return nil, nil }
func readXattrs(attributes) ([]fingerprint.Xattr, error)   { return nil, nil }
func (f file) attributes() attributes                      { return nil }

// attributes is a thing whose extended attributes can be changed.
type attributes interface {
	setxattr(name string, value []byte) error
	removexattr(name string) error
}

const (
	aclPrefix  = "system.posix_acl_"
	capability = "security.capability"
	userPrefix = "user."
)

// file is an open file; after openMeta a name whose metadata can be changed.
type file struct {
	f    *os.File
	at   *dir
	name string
}

func (f file) close() {
	if f.f != nil {
		f.f.Close()
	}
}

func (f file) stat() (stat, error) {
	if f.f == nil {
		return f.at.lstat(f.name)
	}
	info, err := f.f.Stat()
	if err != nil {
		return stat{}, err
	}
	return fromInfo(info), nil
}

func (f file) readAt(p []byte, off int64) (int, error) { return f.f.ReadAt(p, off) }
func (f file) osFile(string) *os.File                  { return f.f }

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
func isMount(err error) bool    { return errors.Is(err, errMount) }
func isLinkOrFile(err error) bool {
	return errors.Is(err, errNotDirectory) || errors.Is(err, syscall.ENOTDIR)
}

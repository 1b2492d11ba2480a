//go:build !linux

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
)

// syncEach says that every file has to be synced on its own, for want of a way
// to sync a file system.
const syncEach = true

// create makes a new file that is open to write.
func (d *dir) create(name string, mode uint32) (file, error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(mode&0o777))
	return file{f: f, at: d, name: name}, err
}

func (d *dir) mkdir(name string, mode uint32) error { return d.root.Mkdir(name, fs.FileMode(mode)) }

func (d *dir) symlink(target, name string) error { return d.root.Symlink(target, name) }

// link gives the thing at from in src another name in d. Only within one
// directory; elsewhere a file of its own is made instead.
func (d *dir) link(src *dir, from, name string) error {
	a, err := src.root.Stat(".")
	if err != nil {
		return err
	}
	if b, err := d.root.Stat("."); err != nil || !os.SameFile(a, b) {
		return errors.Join(err, errors.ErrUnsupported)
	}
	return d.root.Link(from, name)
}

// mknod is not possible here.
func (d *dir) mknod(name string, _ fingerprint.Type, _ uint64) error {
	return &fs.PathError{Op: "mknod", Path: name, Err: errors.ErrUnsupported}
}

func (d *dir) unlink(name string) error { return d.root.Remove(name) }
func (d *dir) rmdir(name string) error  { return d.root.Remove(name) }

// rename moves a name to a place where nothing is.
func (d *dir) rename(from string, to *dir, name string) error {
	return renameNoReplace(d, from, to, name)
}

// renameLooked looks first and renames then, within one directory.
func renameLooked(d *dir, from string, to *dir, name string) error {
	if _, err := to.lstat(name); !isNotExist(err) {
		return fs.ErrExist
	}
	a, err := d.root.Stat(".")
	if err != nil {
		return err
	}
	if b, err := to.root.Stat("."); err != nil || !os.SameFile(a, b) {
		return errors.Join(err, errors.ErrUnsupported)
	}
	return d.root.Rename(from, name)
}

// setLinkMeta sets the owner of a link; its times stay.
func (d *dir) setLinkMeta(name string, e *fingerprint.Entry) (lost string) {
	if st, err := d.lstat(name); err == nil && st.uid == e.UID && st.gid == e.GID {
		return ""
	}
	if err := d.root.Lchown(name, int(e.UID), int(e.GID)); err != nil {
		return fmt.Sprintf("owner %d:%d could not be put back: %v", e.UID, e.GID, err)
	}
	return ""
}

func (f file) write(p []byte, off int64) error {
	_, err := f.f.WriteAt(p, off)
	return err
}

func (f file) truncate(size int64) error { return f.f.Truncate(size) }
func (f file) sync() error               { return f.f.Sync() }

// lease is a promise that nobody opens a file for writing; there is none here.
type lease struct{}

func (f file) lease() (lease, bool) { return lease{}, true }
func (lease) kept() bool            { return true }

func (f file) chown(uid, gid int) error { return f.at.root.Lchown(f.name, uid, gid) }

func (f file) chmod(mode uint32) error {
	m := fs.FileMode(mode & 0o777)
	for bit, flag := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&flag != 0 {
			m |= bit
		}
	}
	if f.f != nil {
		return f.f.Chmod(m)
	}
	return f.at.root.Chmod(f.name, m)
}

func (f file) setTimes(atime, mtime int64) error {
	return f.at.root.Chtimes(f.name, time.Unix(0, atime), time.Unix(0, mtime))
}

// self is the directory as a file, for its metadata.
func (d *dir) self() file { return file{at: d, name: "."} }

func me() (uid, gid uint32) { return uint32(os.Geteuid()), uint32(os.Getegid()) }

func isExist(err error) bool {
	return errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTEMPTY)
}

func isNotEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrExist)
}
func isDenied(err error) bool { return errors.Is(err, fs.ErrPermission) }

// isUnfit reports whether a file system cannot hold a thing at all.
func isUnfit(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EROFS) ||
		errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL)
}

package workspace

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/fingerprint"
)

// syncEach says that every file has to be synced on its own, for want of a way
// to sync a file system.
const syncEach = false

// again repeats a call that a signal interrupted.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// create makes a new file that is open to write.
func (d *dir) create(name string, mode uint32) (f file, err error) {
	err = again(func() error {
		f.fd, err = unix.Openat(d.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
		return err
	})
	return f, err
}

// openWrite opens an existing regular file to write into it.
func (d *dir) openWrite(name string) (file, error) {
	fd, err := openat(d.fd, name, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, false)
	return file{fd}, err
}

func (d *dir) mkdir(name string, mode uint32) error {
	return again(func() error { return unix.Mkdirat(d.fd, name, mode) })
}

func (d *dir) symlink(target, name string) error {
	return again(func() error { return unix.Symlinkat(target, d.fd, name) })
}

// link gives the thing at from in src another name in d.
func (d *dir) link(src *dir, from, name string) error {
	return again(func() error { return unix.Linkat(src.fd, from, d.fd, name, 0) })
}

// mknod makes a FIFO, socket or device of mode 0600.
func (d *dir) mknod(name string, typ fingerprint.Type, rdev uint64) error {
	kind := uint32(unix.S_IFIFO)
	switch typ {
	case fingerprint.Socket:
		kind = unix.S_IFSOCK
	case fingerprint.Block:
		kind = unix.S_IFBLK
	case fingerprint.Char:
		kind = unix.S_IFCHR
	}
	return again(func() error { return unix.Mknodat(d.fd, name, kind|0o600, int(rdev)) })
}

func (d *dir) unlink(name string) error {
	return again(func() error { return unix.Unlinkat(d.fd, name, 0) })
}

func (d *dir) rmdir(name string) error {
	return again(func() error { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) })
}

// renameat2 is a variable so that tests can take it away.
var renameat2 = unix.Renameat2

// rename moves a name to a place where nothing is; fs.ErrExist otherwise.
func (d *dir) rename(from string, to *dir, name string) error {
	err := again(func() error {
		return renameat2(d.fd, from, to.fd, name, unix.RENAME_NOREPLACE)
	})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return d.renamePlain(from, to, name)
	}
	return err
}

// renamePlain is rename for file systems that cannot promise not to replace.
// Non-directories are linked first, which never replaces; a directory can only
// replace an empty one that appears in the same instant.
func (d *dir) renamePlain(from string, to *dir, name string) error {
	st, err := d.lstat(from)
	if err != nil {
		return err
	}
	if st.typ != fingerprint.Dir {
		if err := to.link(d, from, name); err == nil || isExist(err) {
			if err == nil {
				err = d.unlink(from)
			}
			return err
		}
	}
	if _, err := to.lstat(name); !isNotExist(err) {
		return unix.EEXIST
	}
	return again(func() error { return unix.Renameat(d.fd, from, to.fd, name) })
}

// exchange swaps two names in one step; errNoExchange where that is not
// possible.
func (d *dir) exchange(a, b string) error {
	err := again(func() error { return renameat2(d.fd, a, d.fd, b, unix.RENAME_EXCHANGE) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errNoExchange
	}
	return err
}

// setLinkMeta sets owner and times of a link.
func (d *dir) setLinkMeta(name string, e *fingerprint.Entry) (lost string) {
	if st, err := d.lstat(name); err != nil || st.uid != e.UID || st.gid != e.GID {
		err := unix.Fchownat(d.fd, name, int(e.UID), int(e.GID), unix.AT_SYMLINK_NOFOLLOW)
		if err != nil {
			lost = fmt.Sprintf("owner %d:%d could not be put back: %v", e.UID, e.GID, err)
		}
	}
	ts := []unix.Timespec{unix.NsecToTimespec(e.ATime), unix.NsecToTimespec(e.MTime)}
	if err := unix.UtimesNanoAt(d.fd, name, ts, unix.AT_SYMLINK_NOFOLLOW); err != nil && lost == "" {
		lost = fmt.Sprintf("times could not be put back: %v", err)
	}
	return lost
}

// write writes p at off, all of it.
func (f file) write(p []byte, off int64) error {
	for len(p) > 0 {
		n, err := unix.Pwrite(f.fd, p, off)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		p, off = p[n:], off+int64(n)
	}
	return nil
}

func (f file) truncate(size int64) error {
	return again(func() error { return unix.Ftruncate(f.fd, size) })
}

func (f file) sync() error { return again(func() error { return unix.Fsync(f.fd) }) }

// lease is a promise of the system that nobody opens a file for writing
// unnoticed.
type lease struct {
	f    file
	held bool
}

// lease asks for that promise. It is refused while somebody has the file open
// for writing. Where there are no leases, quiet is true and nothing is known.
// The lease ends when f is closed.
func (f file) lease() (l lease, quiet bool) {
	_, err := unix.FcntlInt(uintptr(f.fd), unix.F_SETLEASE, unix.F_RDLCK)
	return lease{f, err == nil}, !errors.Is(err, unix.EAGAIN)
}

// kept reports whether nobody has asked to write since.
func (l lease) kept() bool {
	if !l.held {
		return true
	}
	now, err := unix.FcntlInt(uintptr(l.f.fd), unix.F_GETLEASE, 0)
	return err == nil && now == unix.F_RDLCK
}

func (f file) path() string { return fmt.Sprintf("/proc/self/fd/%d", f.fd) }

// chown, chmod and setTimes work on open files and, by way of an empty path or
// /proc, on what openMeta opened.
func (f file) chown(uid, gid int) error {
	return again(func() error { return unix.Fchownat(f.fd, "", uid, gid, unix.AT_EMPTY_PATH) })
}

func (f file) chmod(mode uint32) error {
	err := again(func() error { return unix.Fchmod(f.fd, mode) })
	if errors.Is(err, unix.EBADF) {
		return again(func() error { return unix.Chmod(f.path(), mode) })
	}
	return err
}

func (f file) setTimes(atime, mtime int64) error {
	err := utimes(f.fd, atime, mtime)
	if errors.Is(err, unix.EBADF) {
		ts := []unix.Timespec{unix.NsecToTimespec(atime), unix.NsecToTimespec(mtime)}
		return unix.UtimesNanoAt(unix.AT_FDCWD, f.path(), ts, 0)
	}
	return err
}

// attributes is the way to the extended attributes of f.
func (f file) attributes() attributes {
	if _, err := f.listxattr(nil); errors.Is(err, unix.EBADF) {
		return throughProc{f.path()}
	}
	return f
}

// throughProc is viaProc for a path that is itself an open descriptor.
type throughProc struct{ path string }

func (p throughProc) listxattr(b []byte) (int, error)          { return unix.Listxattr(p.path, b) }
func (p throughProc) getxattr(n string, b []byte) (int, error) { return unix.Getxattr(p.path, n, b) }

func (p throughProc) setxattr(n string, v []byte) error { return unix.Setxattr(p.path, n, v, 0) }

func (p throughProc) removexattr(n string) error { return unix.Removexattr(p.path, n) }

// self is the directory as a file, for its metadata. It is not closed on its
// own.
func (d *dir) self() file { return file{d.fd} }

func me() (uid, gid uint32) { return uint32(unix.Geteuid()), uint32(unix.Getegid()) }

func isExist(err error) bool { return errors.Is(err, fs.ErrExist) && !errors.Is(err, unix.ENOTEMPTY) }

func isNotEmpty(err error) bool { return errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) }
func isDenied(err error) bool   { return errors.Is(err, fs.ErrPermission) }

// isUnfit reports whether a file system cannot hold a thing at all.
func isUnfit(err error) bool {
	return errors.Is(err, unix.EROFS) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENAMETOOLONG) ||
		errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EMLINK)
}

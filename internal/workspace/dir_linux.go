package workspace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/fingerprint"
)

// dir is an open directory. Everything is reached from one by name, so a
// directory that is moved or replaced meanwhile cannot divert anything.
type dir struct{ fd int }

// longest is the longest path that is handed to the system in one piece.
const longest = 4000

// How a directory is opened.
const (
	toList   = unix.O_RDONLY | unix.O_NOATIME // its names can be read
	toPass   = unix.O_PATH                    // only what is below can be reached
	dirFlags = unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
)

// hasOpenat2 says whether the system can refuse links and mount points while
// it looks a path up. Without, every element is opened on its own.
var hasOpenat2 = sync.OnceValue(func() bool {
	fd, err := unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
})

// openRoot opens an absolute clean path without following a link anywhere.
func openRoot(path string, how int) (*dir, error) {
	if len(path) < longest && hasOpenat2() {
		fd, err := openat(unix.AT_FDCWD, path, how|dirFlags, false)
		return &dir{fd}, err
	}
	root, err := openat(unix.AT_FDCWD, "/", toPass|dirFlags, false)
	if err != nil {
		return &dir{root}, err
	}
	top := &dir{root}
	defer top.close()
	if path == "/" {
		path = "/."
	}
	return top.openDir(path[1:], how, false)
}

// openDir opens a directory below d; rel may have several elements, none of
// which is followed when it is a link. With oneFS a mount point on the way
// gives [unix.EXDEV].
func (d *dir) openDir(rel string, how int, oneFS bool) (*dir, error) {
	at := d.fd
	for {
		part, rest := cut(rel, hasOpenat2())
		mode := how
		if rest != "" {
			mode = toPass
		}
		fd, err := openat(at, part, mode|dirFlags, oneFS)
		if at != d.fd {
			unix.Close(at)
		}
		if err != nil || rest == "" {
			return &dir{fd}, err
		}
		at, rel = fd, rest
	}
}

// cut takes the part off rel that can be opened in one step.
func cut(rel string, whole bool) (part, rest string) {
	end := len(rel)
	if !whole {
		end = strings.IndexByte(rel, '/')
	} else if end > longest {
		end = strings.LastIndexByte(rel[:longest], '/')
	}
	if end < 0 || end == len(rel) {
		return rel, ""
	}
	return rel[:end], rel[end+1:]
}

// openat opens one thing without following links. O_NOATIME is dropped when
// the file belongs to somebody else.
func openat(at int, rel string, flags int, oneFS bool) (fd int, err error) {
	how := unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_NO_SYMLINKS}
	if oneFS {
		how.Resolve |= unix.RESOLVE_NO_XDEV
	}
	for {
		if hasOpenat2() {
			fd, err = unix.Openat2(at, rel, &how)
		} else {
			fd, err = openatPlain(at, rel, int(how.Flags), oneFS)
		}
		switch {
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN):
		case errors.Is(err, unix.EPERM) && how.Flags&unix.O_NOATIME != 0:
			how.Flags &^= unix.O_NOATIME
		default:
			return fd, err
		}
	}
}

// openatPlain is openat for one element on systems without openat2. A mount
// point is told by its device number, so one of the same file system is not.
func openatPlain(at int, name string, flags int, oneFS bool) (int, error) {
	fd, err := unix.Openat(at, name, flags, 0)
	if err != nil || !oneFS {
		return fd, err
	}
	var here, there unix.Stat_t
	if err = unix.Fstat(at, &here); err == nil {
		err = unix.Fstat(fd, &there)
	}
	if err == nil && here.Dev != there.Dev {
		err = unix.EXDEV
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func (d *dir) close() {
	if d.fd >= 0 {
		unix.Close(d.fd)
	}
}

// stat looks at the directory itself.
func (d *dir) stat() (stat, error) { return fstat(d.fd) }

// lstat looks at a name without following it.
func (d *dir) lstat(name string) (stat, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if !errors.Is(err, unix.EINTR) {
			return fromSys(&st), err
		}
	}
}

func fstat(fd int) (stat, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return fromSys(&st), err
}

func fromSys(st *unix.Stat_t) stat {
	return stat{
		typ: typeOfMode(uint32(st.Mode)), mode: uint32(st.Mode) & 0o7777,
		uid: st.Uid, gid: st.Gid, links: uint32(st.Nlink), size: st.Size, blocks: st.Blocks,
		mtime: st.Mtim.Nano(), atime: st.Atim.Nano(), ctime: st.Ctim.Nano(),
		dev: uint64(st.Dev), ino: st.Ino, rdev: uint64(st.Rdev),
	}
}

func typeOfMode(mode uint32) fingerprint.Type {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return fingerprint.File
	case unix.S_IFDIR:
		return fingerprint.Dir
	case unix.S_IFLNK:
		return fingerprint.Symlink
	case unix.S_IFIFO:
		return fingerprint.FIFO
	case unix.S_IFSOCK:
		return fingerprint.Socket
	case unix.S_IFBLK:
		return fingerprint.Block
	default:
		return fingerprint.Char
	}
}

// list calls each for every name. buf is scratch space of a few KiB or more.
func (d *dir) list(buf []byte, each func(dirent) error) error {
	for {
		n, err := unix.Getdents(d.fd, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return err
		}
		for rest := buf[:n]; len(rest) > 0; {
			// struct linux_dirent64: ino u64, off i64, reclen u16, type u8, name
			size := binary.NativeEndian.Uint16(rest[16:])
			name := rest[19:size]
			typ := rest[18]
			rest = rest[size:]
			name = name[:cstring(name)]
			if string(name) == "." || string(name) == ".." {
				continue
			}
			if err := each(dirent{name: string(name), typ: typeOfMode2(typ)}); err != nil {
				return err
			}
		}
	}
}

func cstring(b []byte) int {
	for i, c := range b {
		if c == 0 {
			return i
		}
	}
	return len(b)
}

// typeOfMode2 is the type that a listing gives, 0 for unknown.
func typeOfMode2(dt byte) fingerprint.Type {
	if dt == unix.DT_UNKNOWN {
		return 0
	}
	return typeOfMode(uint32(dt) << 12)
}

// readlink returns the text of a link, whose length is about size.
func (d *dir) readlink(name string, size int64) (string, error) {
	buf := make([]byte, max(size, 127)+1)
	for {
		n, err := unix.Readlinkat(d.fd, name, buf)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return "", err
		case n < len(buf):
			return string(buf[:n]), nil
		default:
			buf = make([]byte, 2*len(buf))
		}
	}
}

// open opens a regular file to read. It neither follows links nor waits at a
// FIFO; what it opened still has to be looked at with stat.
func (d *dir) open(name string, oneFS bool) (file, error) {
	fd, err := openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC|unix.O_NOATIME, oneFS)
	return file{fd}, err
}

// openMeta opens anything but a link for changing its metadata, whatever its
// mode and without touching a device.
func (d *dir) openMeta(name string) (file, error) {
	fd, err := openat(d.fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, false)
	return file{fd}, err
}

// sync makes the names in the directory durable.
func (d *dir) sync() error {
	fd, err := openat(d.fd, ".", unix.O_RDONLY|dirFlags, false)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fsync(fd)
}

// syncFS makes everything durable on the directory's file system.
func (d *dir) syncFS() error {
	fd, err := openat(d.fd, ".", unix.O_RDONLY|dirFlags, false)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Syncfs(fd)
}

// xattrs reads the extended attributes of something that cannot be opened.
func (d *dir) xattrs(name string) ([]fingerprint.Xattr, error) {
	list, err := viaProc{fmt.Sprintf("/proc/self/fd/%d/%s", d.fd, name)}.xattrs()
	if isNotExist(err) {
		return nil, nil // gone, or a system without /proc
	}
	return list, err
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func isMount(err error) bool { return errors.Is(err, unix.EXDEV) }

func isLinkOrFile(err error) bool {
	return errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR)
}

package workspace

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/fingerprint"
)

const (
	aclPrefix  = "system.posix_acl_"
	capability = "security.capability"
	userPrefix = "user."
)

// counts reports whether an extended attribute is part of a path's state:
// what users set, access control lists and file capabilities.
func counts(name string) bool {
	return strings.HasPrefix(name, userPrefix) || strings.HasPrefix(name, aclPrefix) || name == capability
}

// attributes is a thing whose extended attributes can be read and changed.
type attributes interface {
	listxattr(buf []byte) (int, error)
	getxattr(name string, buf []byte) (int, error)
	setxattr(name string, value []byte) error
	removexattr(name string) error
}

func (f file) listxattr(b []byte) (int, error)          { return unix.Flistxattr(f.fd, b) }
func (f file) getxattr(n string, b []byte) (int, error) { return unix.Fgetxattr(f.fd, n, b) }
func (f file) setxattr(n string, v []byte) error        { return unix.Fsetxattr(f.fd, n, v, 0) }
func (f file) removexattr(n string) error               { return unix.Fremovexattr(f.fd, n) }

// viaProc reaches something by a path below /proc/self/fd, which begins at an
// open descriptor and ends in a name that is not followed.
type viaProc struct{ path string }

func (p viaProc) listxattr(b []byte) (int, error)          { return unix.Llistxattr(p.path, b) }
func (p viaProc) getxattr(n string, b []byte) (int, error) { return unix.Lgetxattr(p.path, n, b) }
func (p viaProc) setxattr(n string, v []byte) error        { return unix.Lsetxattr(p.path, n, v, 0) }
func (p viaProc) removexattr(n string) error               { return unix.Lremovexattr(p.path, n) }

func (f file) xattrs() ([]fingerprint.Xattr, error)    { return readXattrs(f) }
func (p viaProc) xattrs() ([]fingerprint.Xattr, error) { return readXattrs(p) }
func (d *dir) selfXattrs() ([]fingerprint.Xattr, error) {
	return readXattrs(file{d.fd})
}

// readXattrs returns the attributes that count, sorted by name.
func readXattrs(a attributes) ([]fingerprint.Xattr, error) {
	names, err := grow(a.listxattr)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	var out []fingerprint.Xattr
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		if !counts(name) {
			continue
		}
		value, err := grow(func(b []byte) (int, error) { return a.getxattr(name, b) })
		if errors.Is(err, unix.ENODATA) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, fingerprint.Xattr{Name: name, Value: string(value)})
	}
	slices.SortFunc(out, func(a, b fingerprint.Xattr) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// grow calls read with a buffer that is large enough. A file system without
// extended attributes has none.
func grow(read func([]byte) (int, error)) ([]byte, error) {
	for {
		n, err := read(nil)
		if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) || err == nil && n == 0 {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		buf := make([]byte, n)
		n, err = read(buf)
		if errors.Is(err, unix.ERANGE) {
			continue // it grew meanwhile
		}
		if err != nil {
			return nil, err
		}
		return buf[:n], nil
	}
}

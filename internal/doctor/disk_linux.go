package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// kind is what a file system is.
type kind struct {
	name             string
	remote, volatile bool
}

// kindOf tells the kind of the file system that holds dir, as far as it
// matters.
func kindOf(dir string) kind {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return kind{}
	}
	switch uint32(s.Type) {
	case unix.NFS_SUPER_MAGIC:
		return kind{name: "NFS", remote: true}
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return kind{name: "SMB", remote: true}
	case unix.FUSE_SUPER_MAGIC:
		return kind{name: "FUSE", remote: true}
	case unix.V9FS_MAGIC:
		return kind{name: "9p", remote: true}
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC:
		return kind{name: "AFS", remote: true}
	case unix.CEPH_SUPER_MAGIC:
		return kind{name: "Ceph", remote: true}
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return kind{name: "tmpfs", volatile: true}
	}
	return kind{}
}

// freeSpace is how many bytes we can still write in dir.
func freeSpace(dir string) (bytes uint64, ok bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}

// sameDevice reports whether two directories lie on one file system.
func sameDevice(a, b string) bool {
	var x, y unix.Stat_t
	return unix.Stat(a, &x) == nil && unix.Stat(b, &y) == nil && x.Dev == y.Dev
}

// tryExchange swaps two names in one step and looks whether it happened.
func tryExchange(_ context.Context, dir string) error {
	a, b := filepath.Join(dir, "swap-a"), filepath.Join(dir, "swap-b")
	if err := errors.Join(os.WriteFile(a, []byte("a"), 0o600), os.WriteFile(b, []byte("b"), 0o600)); err != nil {
		return err
	}
	if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
		return fmt.Errorf("exchange: %w", err)
	}
	if got, err := os.ReadFile(a); err != nil || string(got) != "b" {
		return errors.New("exchange: the names are as before")
	}
	return nil
}

// tryXattr sets an attribute and reads it back.
func tryXattr(_ context.Context, dir string) error {
	path := filepath.Join(dir, "xattr")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	if err := unix.Setxattr(path, "user.counterstep", []byte("1"), 0); err != nil {
		return fmt.Errorf("set an attribute: %w", err)
	}
	var buf [8]byte
	if n, err := unix.Getxattr(path, "user.counterstep", buf[:]); err != nil || string(buf[:n]) != "1" {
		return errors.New("the attribute is not what was set")
	}
	return nil
}

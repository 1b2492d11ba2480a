//go:build unix

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow makes opening a link an error.
const noFollow = syscall.O_NOFOLLOW

// nonBlock keeps opening a pipe from waiting.
const nonBlock = syscall.O_NONBLOCK

// foreign says why the thing is not ours alone; empty when it is.
func foreign(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Sprintf("owned by uid %d, we are %d", st.Uid, os.Geteuid())
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Sprintf("others can write to it (mode %04o)", info.Mode().Perm())
	}
	return ""
}

// canWrite fails when names cannot be made in dir.
func canWrite(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// devNumbers splits the number of a device node.
func devNumbers(rdev uint64) (major, minor int64) {
	return int64(unix.Major(rdev)), int64(unix.Minor(rdev))
}

// alive reports whether a process with this number runs.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// hold marks an open file as in use until it is closed and reports whether
// nobody else had.
func hold(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

package workspace

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func fromSys(info fs.FileInfo, st *stat) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	st.uid, st.gid, st.links, st.blocks = s.Uid, s.Gid, uint32(s.Nlink), s.Blocks
	st.dev, st.ino, st.rdev = uint64(s.Dev), s.Ino, uint64(s.Rdev)
	st.atime, st.ctime = s.Atimespec.Nano(), s.Ctimespec.Nano()
}

// renameNoReplace renames without replacing, across directories too.
func renameNoReplace(d *dir, from string, to *dir, name string) error {
	err := withFDs(d, to, func(a, b int) error { return unix.RenameatxNp(a, from, b, name, unix.RENAME_EXCL) })
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) {
		return renameLooked(d, from, to, name)
	}
	return err
}

// exchange swaps two names in one step; errNoExchange where that is not
// possible.
func (d *dir) exchange(a, b string) error {
	err := withFDs(d, d, func(x, y int) error { return unix.RenameatxNp(x, a, y, b, unix.RENAME_SWAP) })
	if errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EINVAL) {
		return errNoExchange
	}
	return err
}

func withFDs(a, b *dir, do func(a, b int) error) error {
	var x, y *os.File
	x, err := a.root.Open(".")
	if err != nil {
		return err
	}
	defer x.Close()
	y, err = b.root.Open(".")
	if err != nil {
		return err
	}
	defer y.Close()
	return do(int(x.Fd()), int(y.Fd()))
}

//go:build unix

package workspace

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/counterstep/counterstep/classify"
)

const nonblock = syscall.O_NONBLOCK

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// identify fills in what tells one inode from another.
func identify(info fs.FileInfo, out *classify.Info) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		out.Dev, out.Ino, out.Links = uint64(st.Dev), st.Ino, uint32(st.Nlink)
	}
}

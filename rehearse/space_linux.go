package rehearse

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Space picks where a shadow of about the given size goes: the user's private
// memory-backed directory when it is one and has room for four times as much,
// else the fallback on the store's file system. A shared temporary directory is
// never used.
func Space(runtimeDir, fallback string, bytes int64) string {
	if runtimeDir == "" {
		return fallback
	}
	info, err := os.Lstat(runtimeDir)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return fallback
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
		return fallback
	}
	var fs unix.Statfs_t
	if unix.Statfs(runtimeDir, &fs) != nil || fs.Type != unix.TMPFS_MAGIC {
		return fallback
	}
	if int64(fs.Bavail)*fs.Bsize < 4*bytes+1<<20 {
		return fallback
	}
	return runtimeDir
}

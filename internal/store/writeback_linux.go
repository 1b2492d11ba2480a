package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBack asks for the pages of f to be written without waiting for them. It
// promises nothing.
func writeBack(f *os.File) {
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}

// syncsAll says that one durable.SyncFS covers every file of a payload.
const syncsAll = true

// Package durable writes files that survive a crash and takes locks that die
// with their holder.
package durable

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// WriteFile puts data at path, whole or not at all: a temporary file in the
// same directory is written, synced, given perm and renamed over path, and the
// directory is synced. When it fails, what was at path is still there.
func WriteFile(path string, data []byte, perm fs.FileMode) error { return errors.ErrUnsupported }

// SyncDir makes the names in a directory durable.
func SyncDir(path string) error { return errors.ErrUnsupported }

// SyncFS makes everything durable on the file system that holds f; where the
// system cannot do that, f alone.
func SyncFS(f *os.File) error { return errors.ErrUnsupported }

// ErrLocked says that somebody else held a lock for as long as one waited.
var ErrLocked = errors.New("locked by another process")

// Lock takes the exclusive lock on path, a file that is created with mode 0600
// and never removed. It waits until ctx is done; then the error wraps
// [ErrLocked] and names path. The lock ends with unlock or with the process.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	return nil, errors.ErrUnsupported
}

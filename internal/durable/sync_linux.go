package durable

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// SyncFS makes everything durable on the file system that holds f; where the
// system cannot do that, f alone.
func SyncFS(f *os.File) error {
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return fmt.Errorf("sync the file system of %q: %w", f.Name(), err)
	}
	return nil
}

package durable

import (
	"os"
	"path/filepath"
)

// RemoveAll removes dir and everything below it, also when directories in it
// cannot be written to by their owner. It follows no links. It is for trees of
// ours only: nothing is looked at first.
func RemoveAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	filepath.WalkDir(dir, func(p string, d os.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// Package durable writes files that survive a crash and takes locks that die
// with their holder.
package durable

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/counterstep/counterstep/internal/fail"
)

// WriteFile puts data at path, whole or not at all: a temporary file in the
// same directory is written, synced, given perm and renamed over path, and the
// directory is synced. When it fails before the rename, what was at path is
// still there; when the last sync fails, either may be found after a crash. A
// sync that failed is never tried again on the same file.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	tmp, err := writeTemp(path, data, perm)
	if err != nil {
		return err
	}
	if err := fail.Point("durable.rename"); err != nil {
		os.Remove(tmp)
		return fmt.Errorf("rename to %q: %w", path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return err
	}
	if err := fail.Point("durable.renamed"); err != nil {
		return err
	}
	return SyncDir(filepath.Dir(path))
}

// writeTemp writes and syncs a temporary file beside path and returns its
// name. After an error nothing of it is left.
func writeTemp(path string, data []byte, perm fs.FileMode) (name string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.tmp")
	if err != nil {
		return "", fmt.Errorf("write %q: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("write %q: %w", path, err)
		}
	}()
	if err := fail.Point("durable.write"); err != nil {
		return "", err
	}
	if _, err := f.Write(data); err != nil {
		return "", err
	}
	if err := fail.Point("durable.sync"); err != nil {
		return "", err
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	if err := f.Chmod(perm); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

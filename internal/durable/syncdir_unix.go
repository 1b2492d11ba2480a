//go:build unix

package durable

import (
	"os"

	"github.com/counterstep/counterstep/internal/fail"
)

// SyncDir makes the names in a directory durable. Windows has no such thing;
// there it does nothing.
func SyncDir(path string) error {
	if err := fail.Point("durable.syncdir"); err != nil {
		return err
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	if err := d.Sync(); err != nil {
		d.Close()
		return err
	}
	return d.Close()
}

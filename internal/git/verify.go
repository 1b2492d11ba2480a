package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Verify checks that the private store below dir still holds what firing r
// needs: every old tip and everything it reaches. With readData every object
// of the store is read and hashed as well. The error wraps ErrDamaged and says
// what is missing or wrong.
func (d *Door) Verify(ctx context.Context, r Remote, dir string, readData bool) error {
	store := filepath.Join(dir, r.Store)
	if _, err := os.Stat(filepath.Join(store, "config")); err != nil {
		return fmt.Errorf("verify %s: %w: %w", Shown(r.URL), ErrDamaged, err)
	}
	for _, u := range r.Refs {
		if !u.Old.Is() {
			continue
		}
		if !isKept(store, u.Old) {
			return fmt.Errorf("verify %s: %w: %s of %s is not held", Shown(r.URL), ErrDamaged, u.Old, u.Name)
		}
		if _, err := d.git(ctx, run{gitDir: store, args: []string{
			"rev-list", "--objects", "--quiet", "--missing=error", string(u.Old),
		}}); err != nil {
			return fmt.Errorf("verify %s: %w: %s of %s: %w", Shown(r.URL), ErrDamaged, u.Old, u.Name, err)
		}
	}
	if !readData {
		return nil
	}
	if _, err := d.git(ctx, run{gitDir: store, args: []string{"fsck", "--full", "--no-dangling", "--no-reflogs", "--no-progress"}}); err != nil {
		return fmt.Errorf("verify %s: %w: %w", Shown(r.URL), ErrDamaged, err)
	}
	return nil
}

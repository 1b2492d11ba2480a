package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Release lets go of what the private store of r, below dir, holds only for
// r: afterwards no object is left there that others do not need. others are
// all steps that must still fire, of any remote; what they hold stays. Tips
// that were taken in use after since stay as well: they belong to a step that
// is just being armed. A store that nobody needs is removed.
//
// Releasing twice is no error.
func (d *Door) Release(ctx context.Context, r Remote, others []Remote, since time.Time, dir string) error {
	store := filepath.Join(dir, storeName(r.URL))
	if _, err := os.Lstat(store); os.IsNotExist(err) {
		return nil
	}
	unlock, err := lockStore(ctx, store)
	if err != nil {
		return fmt.Errorf("release %s: %w", Shown(r.URL), err)
	}
	defer unlock()
	left, err := dropKept(store, needed(others, storeName(r.URL)), since)
	if err != nil {
		return fmt.Errorf("release %s: %w", Shown(r.URL), err)
	}
	if left == 0 {
		if err := os.RemoveAll(store); err != nil {
			return fmt.Errorf("release %s: %w", Shown(r.URL), err)
		}
		return nil
	}
	if err := os.RemoveAll(filepath.Join(store, "refs", "fetched")); err != nil {
		return fmt.Errorf("release %s: %w", Shown(r.URL), err)
	}
	for _, args := range [][]string{{"repack", "-q", "-a", "-d"}, {"prune", "--expire=now"}} {
		if _, err := d.git(ctx, run{gitDir: store, args: args}); err != nil {
			return fmt.Errorf("release %s: %w", Shown(r.URL), err)
		}
	}
	return nil
}

// needed lists the objects that steps of one store hold.
func needed(list []Remote, store string) map[OID]bool {
	out := map[OID]bool{}
	for _, r := range list {
		if storeName(r.URL) != store {
			continue
		}
		for _, u := range r.Refs {
			out[u.Old] = true
		}
	}
	return out
}

// dropKept removes the tips that are neither needed nor new, and returns how
// many are left.
func dropKept(store string, need map[OID]bool, since time.Time) (int, error) {
	dir := filepath.Join(store, filepath.FromSlash(kept))
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return 0, err
	}
	left := 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return 0, err
		}
		if isOID(e.Name()) && (need[OID(e.Name())] || info.ModTime().After(since)) {
			left++
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return 0, err
		}
	}
	return left, nil
}

// Export writes what r holds as one git bundle at path, which must not exist.
// Any git takes the old tips out of it again: git fetch FILE 'refs/kept/*'.
// Nothing is written for a step that holds nothing.
func (d *Door) Export(ctx context.Context, r Remote, dir, path string) error {
	store, err := openStore(dir, r)
	if err != nil {
		return fmt.Errorf("export %s: %w: %w", Shown(r.URL), ErrDamaged, err)
	}
	var in strings.Builder
	for _, u := range r.Refs {
		if u.Old.Is() {
			in.WriteString(kept + string(u.Old) + "\n")
		}
	}
	if in.Len() == 0 {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("export %s: %q exists", Shown(r.URL), path)
	}
	if _, err := d.git(ctx, run{
		gitDir: store, stdin: strings.NewReader(in.String()),
		args: []string{"bundle", "create", "-q", path, "--stdin"},
	}); err != nil {
		return fmt.Errorf("export %s: %w", Shown(r.URL), err)
	}
	return nil
}

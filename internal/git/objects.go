package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/counterstep/counterstep/internal/fail"
)

// Objects says where the objects of a local repository are held, apart from
// the repository itself.
type Objects struct {
	// CommonDir is the directory of the repository that holds objects and refs.
	CommonDir string `json:"commondir"`
	// Store is the name of the private store.
	Store string `json:"store"`
	// Format is the object format.
	Format string `json:"format"`
	// All says that the call takes objects away that nothing names, so that
	// all of them are put back.
	All bool `json:"all,omitempty"`
}

// objectsName is the private store of a repository's objects in one span of
// time. A new span begins with an empty store, so that what a repository no
// longer has goes away with the last call that needs it.
func objectsName(commonDir, span string) string {
	sum := sha256.Sum256([]byte(commonDir))
	return hex.EncodeToString(sum[:])[:32] + "-" + span + ".git"
}

// HoldObjects makes a private store below dir hold every object that the
// repository has: as further names of its packs and loose objects, which git
// never changes in place, or as copies where that cannot be. What is held
// survives a crash, and a gc, prune or removal of the repository.
//
// Span names the span of time that the store belongs to. Objects that the
// repository lacks, as in a partial clone, are not fetched.
func (d *Door) HoldObjects(ctx context.Context, l Layout, dir, span string) (Objects, error) {
	o := Objects{CommonDir: l.CommonDir, Store: objectsName(l.CommonDir, span), Format: l.Format}
	fault := func(err error) (Objects, error) {
		return Objects{}, fmt.Errorf("hold the objects of %q: %w", l.CommonDir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault(err)
	}
	path := filepath.Join(dir, o.Store)
	unlock, err := lockStore(ctx, path)
	if err != nil {
		return fault(err)
	}
	defer unlock()
	if !isDir(filepath.Join(path, "objects")) {
		if err := makeObjects(dir, path, l.Format); err != nil {
			return fault(err)
		}
	}
	if err := borrow(ctx, path, l.Objects()); err != nil {
		return fault(err)
	}
	if err := fail.Point("git.objects"); err != nil {
		return fault(err)
	}
	if err := syncAll(path); err != nil && runtime.GOOS != "windows" {
		return fault(err)
	}
	return o, nil
}

// makeObjects makes an empty store, whole or not at all.
func makeObjects(dir, path, format string) error {
	temp, err := os.MkdirTemp(dir, "new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := bareSkeleton(temp, format, nil); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// Lacking lists those of ids that the repository does not have.
func (d *Door) Lacking(ctx context.Context, l Layout, ids []OID) ([]OID, error) {
	v, remove, err := d.view(l, refSet{})
	if err != nil {
		return nil, err
	}
	defer remove()
	return d.lacking(ctx, v.dir, ids)
}

func (d *Door) lacking(ctx context.Context, gitDir string, ids []OID) ([]OID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	res, err := d.git(ctx, run{
		gitDir: gitDir, stdin: strings.NewReader(lines(ids)), limit: 512 << 20,
		args: []string{"cat-file", "--batch-check=%(objectname)"},
	})
	if err != nil {
		return nil, fmt.Errorf("look for objects: %w", err)
	}
	var out []OID
	for line := range strings.Lines(string(res.Stdout)) {
		if id, ok := strings.CutSuffix(strings.TrimSpace(line), " missing"); ok && isOID(id) {
			out = append(out, OID(id))
		}
	}
	return out, nil
}

// everything lists all objects of a store.
func (d *Door) everything(ctx context.Context, store string) ([]OID, error) {
	res, err := d.git(ctx, run{
		gitDir: store, limit: 512 << 20,
		args: []string{"cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"},
	})
	if err != nil {
		return nil, fmt.Errorf("list what is held: %w", err)
	}
	var out []OID
	for line := range strings.Lines(string(res.Stdout)) {
		if id := strings.TrimSpace(line); isOID(id) {
			out = append(out, OID(id))
		}
	}
	return out, nil
}

func lines(ids []OID) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(string(id) + "\n")
	}
	return b.String()
}

// PutObjects gives the repository back what it lacks of ids and of all that
// they reach, from the private store below dir, as one new pack. It changes
// nothing else, and does nothing when nothing is lacking. The error wraps
// ErrDamaged when the store does not have it either.
func (d *Door) PutObjects(ctx context.Context, l Layout, o Objects, dir string, ids []OID) error {
	store := filepath.Join(dir, o.Store)
	there := o.Format == l.Format && CheckObjects(o, dir) == nil
	if o.All && there {
		all, err := d.everything(ctx, store)
		if err != nil {
			return err
		}
		ids = append(all, ids...)
	}
	missing, err := d.Lacking(ctx, l, ids)
	if err != nil || len(missing) == 0 {
		return err
	}
	if !there {
		return fmt.Errorf("put objects back: %w: %q is not there", ErrDamaged, o.Store)
	}
	if gone, err := d.lacking(ctx, store, missing); err != nil || len(gone) > 0 {
		return errors.Join(err, fmt.Errorf("put objects back: %w: %d objects are not held", ErrDamaged, len(gone)))
	}
	res, err := d.git(ctx, run{
		gitDir: store, stdin: strings.NewReader(lines(missing)), limit: 512 << 20,
		args: []string{"rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--stdin"},
	})
	if err != nil {
		return fmt.Errorf("put objects back: %w", err)
	}
	var reached []OID
	for line := range strings.Lines(string(res.Stdout)) {
		if id := strings.TrimSpace(line); isOID(id) {
			reached = append(reached, OID(id))
		}
	}
	if missing, err = d.Lacking(ctx, l, append(reached, missing...)); err != nil {
		return err
	}
	return d.pack(ctx, l, store, missing)
}

// pack puts objects of the store into the repository as one pack, the data
// before its index.
func (d *Door) pack(ctx context.Context, l Layout, store string, ids []OID) error {
	temp, remove, err := d.scratch("pack")
	if err != nil {
		return err
	}
	defer remove()
	res, err := d.git(ctx, run{
		gitDir: store, stdin: strings.NewReader(lines(ids)),
		args: []string{"pack-objects", "--quiet", "--threads=1", filepath.Join(temp, "pack")},
	})
	if err != nil {
		return fmt.Errorf("pack what the repository lacks: %w", err)
	}
	name := "pack-" + strings.TrimSpace(string(res.Stdout))
	to := filepath.Join(l.Objects(), "pack")
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("put objects back: %w", err)
	}
	for _, ext := range []string{".pack", ".idx"} {
		if err := fail.Point("git.pack"); err != nil {
			return err
		}
		if err := place(filepath.Join(to, name+ext), filepath.Join(temp, name+ext)); err != nil {
			return fmt.Errorf("put objects back: %w", err)
		}
	}
	f, err := os.Open(to)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && runtime.GOOS != "windows" {
		return err
	}
	return nil
}

// place copies src to dst, whole, durable and read-only, or not at all.
func place(dst, src string) error {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.CreateTemp(filepath.Dir(dst), "tmp_pack_*") // a name that git's gc clears away
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(in)
	err = errors.Join(err, out.Chmod(0o444), out.Sync(), out.Close())
	if err == nil {
		err = os.Rename(out.Name(), dst)
	}
	if err != nil {
		os.Remove(out.Name())
	}
	return err
}

// CheckObjects reports with ErrDamaged that the private store below dir is not
// there any more. It does not read the objects.
func CheckObjects(o Objects, dir string) error {
	if filepath.Base(o.Store) != o.Store || !isDir(filepath.Join(dir, o.Store, "objects")) {
		return fmt.Errorf("the objects of %q: %w: %q is not there", o.CommonDir, ErrDamaged, o.Store)
	}
	return nil
}

// DropObjects removes the private stores below dir of which keep says no. A
// store that somebody is using is left for the next time.
func DropObjects(ctx context.Context, dir string, keep func(store string) bool) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return ignoreGone(err)
	}
	var all error
	for _, e := range list {
		if !e.IsDir() || !strings.HasSuffix(e.Name(), ".git") || keep(e.Name()) {
			continue
		}
		unlock, err := lockStore(ctx, filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		all = errors.Join(all, os.RemoveAll(filepath.Join(dir, e.Name())), unlock())
	}
	return all
}

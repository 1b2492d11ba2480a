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

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/hint"
)

// kept is where a private store records a tip whose closure it holds, one ref
// per object.
const kept = "refs/kept/"

// storeName is the folder of the private store of a URL.
func storeName(url string) string {
	sum := sha256.Sum256([]byte(url))
	return hex.EncodeToString(sum[:])[:32] + ".git"
}

// Capture fills the private store of each remote of the plan, below dir, until
// it holds everything that the old tips reach, and returns the remotes with
// Store set. Objects come from the repository that pushes, as links or shared
// blocks, and from the remote where that one lacks them. What is returned
// survives a crash and needs neither the repository nor the remote any more.
//
// When a closure cannot be completed the error says which ref it belongs to;
// the call must then be refused.
func (d *Door) Capture(ctx context.Context, p Plan, dir string) ([]Remote, error) {
	out := make([]Remote, 0, len(p.Remotes))
	for _, r := range p.Remotes {
		r.Store = storeName(r.URL)
		var tips []ref
		for _, u := range r.Refs {
			if u.Old.Is() {
				tips = append(tips, ref{Name: u.Name, OID: u.Old})
			}
		}
		if err := d.hold(ctx, dir, r, &p.Layout, tips); err != nil {
			return nil, fmt.Errorf("capture %s: %w", Shown(r.URL), err)
		}
		out = append(out, r)
	}
	return out, nil
}

// Hold is Capture for one step that Reverse made, so that firing can itself be
// undone. l is the repository that pushed; nil when it is gone.
func (d *Door) Hold(ctx context.Context, r Remote, l *Layout, dir string) (Remote, error) {
	p := Plan{Remotes: []Remote{r}}
	if l != nil {
		p.Layout = *l
	}
	list, err := d.Capture(ctx, p, dir)
	if err != nil {
		return Remote{}, err
	}
	return list[0], nil
}

// openStore opens the private store of r below dir.
func openStore(dir string, r Remote) (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	if r.Store != storeName(r.URL) {
		return "", fmt.Errorf("%q is not the private store of %s", r.Store, Shown(r.URL))
	}
	path := filepath.Join(dir, r.Store)
	text, err := readSmall(filepath.Join(path, "config"))
	if err != nil {
		return "", fmt.Errorf("open the private store: %w", err)
	}
	own, err := parseConfig(text)
	if err != nil {
		return "", fmt.Errorf("open the private store: %w", err)
	}
	format, ok := config(own).last("extensions.objectformat")
	if !ok {
		format = "sha1"
	}
	if format != r.Format {
		return "", fmt.Errorf("the private store holds %s objects, the remote %s", format, r.Format)
	}
	return path, nil
}

// makeStore is openStore, but makes the store when it is not there: whole or
// not at all. The caller holds its lock.
func makeStore(dir string, r Remote) (string, error) {
	path := filepath.Join(dir, r.Store)
	if isDir(filepath.Join(path, "objects")) {
		return openStore(dir, r)
	}
	temp, err := os.MkdirTemp(dir, "new-*")
	if err != nil {
		return "", fmt.Errorf("make the private store: %w", err)
	}
	defer os.RemoveAll(temp)
	err = errors.Join(
		bareSkeleton(temp, r.Format, nil),
		os.WriteFile(filepath.Join(temp, "description"), []byte(Shown(r.URL)+"\n"), 0o600),
		fail.Point("git.store"))
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil && !isDir(filepath.Join(path, "objects")) {
		return "", fmt.Errorf("make the private store: %w", err)
	}
	return openStore(dir, r)
}

// hold makes the store of r below dir hold the closure of every tip.
func (d *Door) hold(ctx context.Context, dir string, r Remote, l *Layout, tips []ref) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the private store: %w", err)
	}
	unlock, err := lockStore(ctx, filepath.Join(dir, r.Store))
	if err != nil {
		return err
	}
	defer unlock()
	store, err := makeStore(dir, r)
	if err != nil {
		return err
	}
	var missing, present []ref
	for _, t := range tips {
		if isKept(store, t.OID) {
			present = append(present, t)
		} else {
			missing = append(missing, t)
		}
	}
	if len(missing) == 0 {
		return seal(store, present) // so that they are known to be in use
	}
	if l != nil && l.CommonDir != "" && l.Format == r.Format {
		if err := borrow(ctx, store, l.Objects()); err != nil {
			return err
		}
	}
	if d.complete(ctx, store, missing) != nil {
		if err := d.fetch(ctx, store, r, missing); err != nil {
			return err
		}
		if err := d.complete(ctx, store, missing); err != nil {
			return hint.New("git fetch --unshallow", "%s is not complete, here or at the remote: %w", names(missing), err)
		}
	}
	return seal(store, tips)
}

// isKept reports whether the store records that it holds what id reaches.
func isKept(store string, id OID) bool {
	text, err := readSmall(filepath.Join(store, filepath.FromSlash(kept), string(id)))
	return err == nil && text == string(id)+"\n"
}

// lockStore keeps others from adding to the store or taking from it.
func lockStore(ctx context.Context, store string) (unlock func() error, err error) {
	unlock, err = durable.Lock(ctx, strings.TrimSuffix(store, ".git")+".lock")
	if err != nil {
		return nil, fmt.Errorf("use the private store: %w", err)
	}
	return unlock, nil
}

func names(list []ref) string {
	if len(list) == 1 {
		return list[0].Name
	}
	return fmt.Sprintf("one of %s and %d more", list[0].Name, len(list)-1)
}

// complete walks everything that the tips reach, but not what is already known
// to be complete. An object that is missing is an error.
func (d *Door) complete(ctx context.Context, store string, tips []ref) error {
	var in strings.Builder
	for _, t := range tips {
		in.WriteString(string(t.OID) + "\n")
	}
	if names, err := os.ReadDir(filepath.Join(store, filepath.FromSlash(kept))); err == nil {
		for _, n := range names {
			if isOID(n.Name()) {
				in.WriteString("^" + n.Name() + "\n")
			}
		}
	}
	_, err := d.git(ctx, run{
		gitDir: store, stdin: strings.NewReader(in.String()),
		args: []string{"rev-list", "--objects", "--quiet", "--missing=error", "--stdin"},
	})
	if err != nil {
		return fmt.Errorf("check the closure: %w", err)
	}
	return nil
}

// fetch gets the tips from the remote, whole. A ref that has moved on since
// its tip was read is an error.
func (d *Door) fetch(ctx context.Context, store string, r Remote, tips []ref) error {
	config, err := d.reach(r.URL, r.GitDir)
	if err != nil {
		return err
	}
	args := []string{
		"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
		"--no-recurse-submodules", "--no-prune", "--no-show-forced-updates", "--refmap=", "--stdin", "--", r.URL,
	}
	var in strings.Builder
	for _, t := range tips {
		in.WriteString("+" + t.Name + ":refs/fetched/" + string(t.OID) + "\n")
	}
	if _, err := d.git(ctx, run{gitDir: store, person: true, config: config, stdin: strings.NewReader(in.String()), args: args}); err != nil {
		return hint.New("git ls-remote "+Shown(r.URL), "fetch what the repository lacks: %w: %w", ErrUnreachable, err)
	}
	return nil
}

// seal records that the store holds the tips, once that is true also after a
// crash.
func seal(store string, tips []ref) error {
	if err := fail.Point("git.seal"); err != nil {
		return err
	}
	dir := filepath.Join(store, filepath.FromSlash(kept))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the tips: %w", err)
	}
	if err := syncAll(store); err != nil && runtime.GOOS != "windows" {
		return fmt.Errorf("keep the tips: %w", err)
	}
	for _, t := range tips {
		if err := writeRef(filepath.Join(dir, string(t.OID)), t.OID); err != nil {
			return fmt.Errorf("keep the tips: %w", err)
		}
	}
	return durable.SyncDir(dir)
}

// writeRef writes a loose ref, whole or not at all.
func writeRef(path string, id OID) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(string(id) + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// syncAll makes everything in the store durable.
func syncAll(store string) error {
	f, err := os.Open(store)
	if err != nil {
		return err
	}
	defer f.Close()
	return durable.SyncFS(f)
}

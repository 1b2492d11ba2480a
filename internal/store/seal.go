package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
)

// Finish is Seal and Commit.
func (st *Staging) Finish(ctx context.Context, entries []fingerprint.Entry, call []byte) (Sealed, error) {
	sealed, err := st.Seal(entries, call)
	if err != nil {
		return Sealed{}, err
	}
	return sealed, st.Commit(ctx)
}

// Seal ends the payload with call.json and the manifest of entries, and begins
// to make it durable in the background. Then Payload can read it. The entries
// must be sorted by path, and every file must have gone through Small or Big,
// it or a hard link of it.
func (st *Staging) Seal(entries []fingerprint.Entry, call []byte) (Sealed, error) {
	if err := st.ready(); err != nil {
		return Sealed{}, err
	}
	sealed, err := st.seal(entries, call)
	if err != nil {
		return Sealed{}, st.broken("seal payload", err)
	}
	st.sealed = &sealed
	st.synced = make(chan error, 1)
	go func() {
		st.synced <- st.sync()
		close(st.synced)
	}()
	return sealed, nil
}

func (st *Staging) seal(entries []fingerprint.Entry, call []byte) (Sealed, error) {
	m := &manifest{id: st.id, entries: entries, members: make([]member, len(entries)), orphans: st.orphans}
	sealed := Sealed{Call: sha256.Sum256(call)}
	counted := map[place]bool{}
	for i := range entries {
		e := &entries[i]
		if !isType(e.Type) {
			return sealed, fmt.Errorf("%q has no type", e.Path)
		}
		var err error
		if m.members[i], err = st.entry(e); err != nil {
			return sealed, err
		}
		if at := (place{e.Off, e.Big}); e.Type == fingerprint.File {
			sealed.Files++
			if !counted[at] {
				counted[at] = true
				sealed.Bytes += e.Size
			}
		}
	}
	if err := st.call(m, call); err != nil {
		return sealed, err
	}
	hash, err := writeManifest(&st.out, st.tw, m)
	sealed.Manifest = hash
	if err == nil {
		err = st.tw.Close()
	}
	if err == nil {
		err = fail.Point("store.flush")
	}
	if err == nil {
		err = st.buf.Flush()
	}
	return sealed, err
}

// entry makes sure that e has a member in the tar, if it needs one, and says
// where it is.
func (st *Staging) entry(e *fingerprint.Entry) (member, error) {
	k := st.kept[e.Off]
	inTar := k.at != 0 && e.Big == 0 && (k.packed || k.size >= e.Size)
	inBig := e.Off == 0 && e.Big >= 1 && e.Big <= st.bigs
	switch {
	case e.Type == fingerprint.File && !inTar && !inBig:
		return member{}, fmt.Errorf("the content of %q was not captured", e.Path)
	case e.Type == fingerprint.File && inBig:
		return member{}, nil
	case e.Type == fingerprint.File && k.path == e.Path:
		return k.member, nil
	}
	h := header(e)
	if h == nil {
		return member{}, nil
	}
	if e.Type == fingerprint.File {
		linkTo(h, k.path)
	}
	if err := st.tw.WriteHeader(h); err != nil {
		return member{}, err
	}
	return st.out.member(0), nil
}

// call writes call.json into the tar, which is what counts, and beside it for
// people.
func (st *Staging) call(m *manifest, call []byte) error {
	if err := st.tw.WriteHeader(extra(st.id, "call.json", int64(len(call)))); err != nil {
		return err
	}
	m.call, m.callSHA = st.out.member(int64(len(call))), sha256.Sum256(call)
	st.out.content = true
	_, err := st.tw.Write(call)
	st.out.content = false
	if err != nil {
		return err
	}
	f, err := newFile(filepath.Join(st.dir, "call.json"))
	if err != nil {
		return err
	}
	_, err = f.Write(call)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// sync makes what was sealed durable, with one sync.
func (st *Staging) sync() error {
	if err := fail.Point("store.sync"); err != nil {
		return err
	}
	if st.bigs == 0 {
		return st.f.Sync()
	}
	if !syncsAll {
		for n := range st.bigs {
			if err := syncFile(st.bigName(n + 1)); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
	}
	return durable.SyncFS(st.f)
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR|noFollow, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// Commit waits until a sealed payload is durable and gives it its final name.
// When it returns nil the payload survives a power cut. When ctx ends first
// the payload is as before and Commit can be called again.
func (st *Staging) Commit(ctx context.Context) error {
	switch {
	case st.err != nil:
		return st.err
	case st.sealed == nil || st.done:
		return fmt.Errorf("payload %s is not sealed", st.id)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case err := <-st.synced:
		if err != nil {
			return st.broken("sync payload", err)
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	return st.broken("commit payload", st.rename())
}

func (st *Staging) rename() error {
	if err := fail.Point("store.rename"); err != nil {
		return err
	}
	final := filepath.Join(st.s.ShadowDir(), st.id)
	if err := os.Rename(st.dir, final); err != nil {
		return err
	}
	st.dir = final
	err := fail.Point("store.renamed")
	if err == nil {
		err = durable.SyncDir(st.s.ShadowDir())
	}
	if err == nil {
		err = protect(final)
	}
	if err != nil {
		return err
	}
	st.done = true
	st.f.Close()
	return fail.Point("store.done")
}

// protect takes the right to change a finished folder away, so that an
// accidental rm -rf leaves it.
func protect(dir string) error {
	big := filepath.Join(dir, "big")
	if err := os.Chmod(big, 0o500); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.Chmod(dir, 0o500)
}

// removeTree removes a payload folder in any state.
func removeTree(dir string) error {
	os.Chmod(dir, 0o700)
	os.Chmod(filepath.Join(dir, "big"), 0o700)
	return os.RemoveAll(dir)
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

//go:build linux

package faults

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/ledger"
)

// look lists the project and the remote beside it with everything that must
// come back.
func (w *world) look() map[string]string {
	w.t.Helper()
	entries, err := workspace.Scan(context.Background(), w.dir)
	w.must(err)
	out, group := map[string]string{}, map[int]int{0: 0}
	for _, e := range entries {
		rel := strings.TrimPrefix(e.Path, w.dir)
		if strings.HasPrefix(rel, "/.git") {
			continue
		}
		if _, ok := group[e.Group]; !ok {
			group[e.Group] = len(group)
		}
		mtime := e.MTime
		if rel == "" || w.lax && e.Type == fingerprint.Dir {
			mtime = 0
		}
		out[rel] = fmt.Sprintf("%c %o mtime=%d size=%d %x group=%d -> %q", e.Type, e.Mode, mtime, e.Size, e.SHA[:4], group[e.Group], e.Target)
	}
	if remote := filepath.Join(w.base, "remote.git"); isDir(remote) {
		refs, err := exec.Command("git", "-C", remote, "for-each-ref").Output()
		w.must(err)
		out["remote"] = string(refs)
	}
	return out
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// differ names a difference of two listings; empty when there is none.
func differ(want, got map[string]string) string {
	for p, v := range want {
		if got[p] != v {
			return fmt.Sprintf("%q\nwant %s\ngot  %s", p, v, got[p])
		}
	}
	for p, v := range got {
		if _, ok := want[p]; !ok {
			return fmt.Sprintf("%q is new: %s", p, v)
		}
	}
	return ""
}

// engine opens the store, which need not be there yet.
func (w *world) engine() (*fire.Engine, bool) {
	w.t.Helper()
	st, err := store.Open(w.storeDir())
	if errors.Is(err, store.ErrMissing) {
		return nil, false
	}
	w.must(err)
	return &fire.Engine{Store: st, Now: time.Now, NewID: newID, Git: w.git}, true
}

// git is the door for the engine.
func (w *world) git() (*git.Door, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, err
	}
	return &git.Door{Git: program, Home: filepath.Join(w.base, "home"), Path: os.Getenv("PATH"), Temp: w.t.TempDir()}, nil
}

func newID() string { return ulid.MustNew(ulid.Timestamp(time.Now()), rand.Reader).String() }

// sound checks what must hold at every moment: the chain is whole, every
// record that holds something has a payload of which every byte verifies, and
// the project is free of temporaries. It returns the records.
func (w *world) sound() []ledger.Record {
	w.t.Helper()
	if left := w.temporaries(); len(left) > 0 {
		w.t.Errorf("left in the project: %q", left)
	}
	return w.soundStore()
}

// soundStore is sound for a moment at which something was killed: what it had in
// its hands may still lie in the project.
func (w *world) soundStore() []ledger.Record {
	w.t.Helper()
	if w.as != nil {
		if r := w.counterstep(nil, "verify", "--read-data"); r.code != 0 {
			w.t.Errorf("the store does not verify: %+v", r)
		}
		records, _, err := ledger.ReadAll(filepath.Join(w.storeDir(), "ledger"))
		w.must(err)
		return records
	}
	e, ok := w.engine()
	if !ok {
		return nil
	}
	report, err := e.Verify(context.Background(), true)
	if err != nil || len(report.Findings) > 0 {
		w.t.Errorf("the store does not verify: %v %+v", err, report.Findings)
	}
	records, _, err := ledger.ReadAll(e.Store.LedgerDir())
	w.must(err)
	return records
}

// recorded reports whether there is a record of the newest call.
func (w *world) recorded(records []ledger.Record) bool {
	for _, r := range records {
		if r.Call == w.id() && (r.Kind == ledger.Armed || r.Kind == ledger.Barrier) {
			return true
		}
	}
	return false
}

// temporaries are files of ours in the project.
func (w *world) temporaries() (left []string) {
	filepath.WalkDir(w.dir, func(p string, _ fs.DirEntry, _ error) error {
		if strings.Contains(filepath.Base(p), ".counterstep-") {
			left = append(left, p)
		}
		return nil
	})
	return left
}

// unfinished is what killed processes left in the store.
func (w *world) unfinished() (left []string) {
	filepath.WalkDir(w.state, func(p string, d fs.DirEntry, _ error) error {
		name := filepath.Base(p)
		if strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".tmp") { // those go after a day
			left = append(left, p)
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return left
}

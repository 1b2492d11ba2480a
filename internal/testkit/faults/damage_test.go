//go:build linux

package faults

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/store"
)

// TestEveryFlippedByte changes the bytes of a small store one by one: verify
// tells, or it does not matter; and whatever is fired, no path ever gets
// anything but what it had before the call or what it has now.
func TestEveryFlippedByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(os.WriteFile(filepath.Join(w.dir, "a"), []byte("first\n"), 0o640))
	w.must(os.WriteFile(filepath.Join(w.dir, "b"), []byte("second\n"), 0o600))
	d := &damaged{world: w, was: past{pre: w.look()}, rng: rand.New(rand.NewPCG(*seed, 5))}
	w.agent("rm a")
	w.agent("echo x > b")
	d.was.post = w.look()
	d.keep()
	stride := 97
	if long {
		stride = 1
	}
	for _, file := range d.files {
		stride := stride
		if strings.HasSuffix(file, ".tar") {
			stride *= 3 // the tests of the store change each byte of these
		}
		size := len(d.bytes[file])
		for at := d.rng.IntN(stride); at < size; at += stride {
			d.flip(file, at)
			if t.Failed() {
				t.Fatalf("byte %d of %s", at, file)
			}
		}
	}
	t.Logf("%d bytes changed: %d told by verify, %d did not matter, %d firings", d.found+d.harmless, d.found, d.harmless, d.fired)
	if d.harmless > d.found {
		t.Error("most damage is not told")
	}
}

// damaged is a store that is damaged and mended again.
type damaged struct {
	*world
	was                    past
	rng                    *rand.Rand
	files                  []string
	bytes                  map[string][]byte
	b                      fs.FileInfo
	found, harmless, fired int
}

// keep remembers everything.
func (d *damaged) keep() {
	d.bytes = map[string][]byte{}
	d.must(filepath.WalkDir(d.storeDir(), func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.HasSuffix(p, "lock") {
			return err
		}
		data, err := os.ReadFile(p)
		if len(data) > 0 {
			d.files, d.bytes[p] = append(d.files, p), data
		}
		return err
	}))
	info, err := os.Stat(filepath.Join(d.dir, "b"))
	d.must(err)
	d.b = info
}

// flip changes one byte, looks, and mends it.
func (d *damaged) flip(file string, at int) {
	d.t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	d.must(err)
	defer f.Close()
	was := d.bytes[file][at]
	_, err = f.WriteAt([]byte{was ^ byte(1+d.rng.IntN(255))}, int64(at))
	d.must(err)
	flips.Add(1)
	told := d.told()
	if told {
		d.found++
	} else {
		d.harmless++
	}
	copied := filepath.Base(file) == "call.json" // beside the payload, for people: only the one in it counts
	if !told && !copied || d.rng.IntN(20) == 0 {
		d.fire(!told)
		d.mend()
	}
	_, err = f.WriteAt([]byte{was}, int64(at))
	d.must(err)
}

func (d *damaged) open() (*fire.Engine, error) {
	st, err := store.Open(d.storeDir())
	if err != nil {
		return nil, err
	}
	return &fire.Engine{Store: st, Now: time.Now, NewID: newID}, nil
}

// told reports whether verify says that something is wrong.
func (d *damaged) told() bool {
	e, err := d.open()
	if err != nil {
		return true
	}
	r, err := e.Verify(context.Background(), true)
	return err != nil || len(r.Findings) > 0 || len(r.Notes) > 0
}

// fire takes every call back that can be; all of them must, when nothing was
// told.
func (d *damaged) fire(all bool) {
	d.t.Helper()
	e, err := d.open()
	if err != nil {
		return
	}
	sagas, err := e.Sagas()
	if err != nil {
		return
	}
	for _, s := range sagas {
		if s.Manifest == "" || s.Armed.Undoes != "" {
			continue
		}
		r, err := e.Fire(context.Background(), s, fire.Options{})
		d.fired++
		if all && (err != nil || r.Status != "fired") {
			d.t.Errorf("verify told nothing, but %+v, %v", r, err)
		}
	}
	now := d.look()
	if diff := differ(d.was.pre, now); all && diff != "" {
		d.t.Errorf("verify told nothing, but %s", diff)
	}
	for p, v := range now {
		of, _, _ := strings.Cut(p, ".counterstep-")
		if v != d.was.pre[of] && v != d.was.post[of] {
			d.t.Errorf("wrong bytes in %q: %s", p, v)
		}
	}
	for p := range d.was.post {
		if now[p] == "" {
			d.t.Errorf("%q is gone", p)
		}
	}
}

// mend brings project and store back to what was remembered.
func (d *damaged) mend() {
	d.t.Helper()
	list, err := os.ReadDir(d.dir)
	d.must(err)
	for _, e := range list {
		if e.Name() != "b" {
			d.must(os.Remove(filepath.Join(d.dir, e.Name())))
		}
	}
	b := filepath.Join(d.dir, "b")
	d.must(os.WriteFile(b, []byte("x\n"), 0o600))
	d.must(os.Chtimes(b, d.b.ModTime(), d.b.ModTime()))
	d.must(filepath.WalkDir(d.storeDir(), func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && d.bytes[p] == nil && !strings.HasSuffix(p, "lock") {
			os.Chmod(filepath.Dir(p), 0o700)
			return os.Remove(p)
		}
		return err
	}))
	list, err = os.ReadDir(filepath.Join(d.storeDir(), "shadow"))
	d.must(err)
	for _, e := range list {
		os.Remove(filepath.Join(d.storeDir(), "shadow", e.Name())) // the empty ones
	}
	for p, data := range d.bytes {
		d.must(os.WriteFile(p, data, 0o600))
	}
}

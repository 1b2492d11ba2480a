package checkpoint_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
)

// bench is a workspace with a store beside it.
type bench struct {
	t    testing.TB
	root string
	st   *store.Store
	set  *checkpoint.Set
	opt  checkpoint.Options
	n    int
	now  time.Time
}

func newBench(t testing.TB) *bench {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, root: filepath.Join(top, "w"), now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	if err := os.Mkdir(b.root, 0o755); err != nil {
		t.Fatal(err)
	}
	if b.st, err = store.Create(filepath.Join(top, "state")); err != nil {
		t.Fatal(err)
	}
	b.set = checkpoint.In(b.st)
	b.opt = checkpoint.Options{Root: b.root, Now: func() time.Time { return b.now }}
	return b
}

// again is a new process, as far as the set can tell.
func (b *bench) again() { b.set = checkpoint.In(b.st) }

func (b *bench) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

// write makes a file and the directories above it.
func (b *bench) write(name, data string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path(name), []byte(data), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// tick waits until the file system's clock goes on, so that what was written
// before is not racy.
func (b *bench) tick() {
	b.t.Helper()
	name := filepath.Join(filepath.Dir(b.root), "tick")
	look := func() time.Time {
		b.must(os.WriteFile(name, []byte("x"), 0o600))
		info, err := os.Lstat(name)
		b.must(err)
		return info.ModTime()
	}
	for first := look(); !look().After(first); {
	}
}

// take takes a checkpoint after the clock has gone on.
func (b *bench) take() *checkpoint.Checkpoint {
	b.t.Helper()
	b.tick()
	c, err := b.try()
	b.must(err)
	b.t.Cleanup(c.Close)
	return c
}

func (b *bench) try() (*checkpoint.Checkpoint, error) {
	b.n++
	b.now = b.now.Add(time.Second)
	b.opt.ID = fmt.Sprintf("01ID%022d", b.n)
	return b.set.Take(context.Background(), b.opt)
}

func (b *bench) load(id string) *checkpoint.Checkpoint {
	b.t.Helper()
	c, err := b.set.Load(id)
	b.must(err)
	b.t.Cleanup(c.Close)
	return c
}

// truth is what an independent look finds.
func (b *bench) truth() []fingerprint.Entry {
	b.t.Helper()
	entries, err := workspace.Scan(context.Background(), b.root)
	b.must(err)
	return entries
}

// same fails unless the checkpoint is exactly what was there, contents read
// back included.
func (b *bench) same(c *checkpoint.Checkpoint, want []fingerprint.Entry) {
	b.t.Helper()
	got := c.Entries()
	if len(got) != len(want) {
		b.t.Fatalf("%d entries, want %d\n%s", len(got), len(want), names(got, want))
	}
	for i := range want {
		g, w := got[i], want[i]
		if !fingerprint.Equal(g, w) || g.Path != w.Path || g.MTime != w.MTime || g.UID != w.UID || g.GID != w.GID || g.SHA != w.SHA {
			b.t.Fatalf("got %+v\nwant %+v", g, w)
		}
		if g.Type == fingerprint.File {
			b.content(c, g)
		}
	}
	if fingerprint.Sum(got) != fingerprint.Sum(want) {
		b.t.Fatal("the fingerprints differ")
	}
}

func names(got, want []fingerprint.Entry) string {
	var s string
	for _, e := range got {
		s += "got  " + e.Path + "\n"
	}
	for _, e := range want {
		s += "want " + e.Path + "\n"
	}
	return s
}

func (b *bench) content(c *checkpoint.Checkpoint, e fingerprint.Entry) []byte {
	b.t.Helper()
	r, err := c.Open(e)
	b.must(err)
	defer r.Close()
	data, err := io.ReadAll(r)
	b.must(err)
	if int64(len(data)) != e.Size || fingerprint.ContentOf(data) != e.XXH {
		b.t.Fatalf("%s: %d bytes of the wrong content", e.Path, len(data))
	}
	return data
}

// pattern is data that does not repeat.
func pattern(seed, n int) []byte {
	var buf bytes.Buffer
	for i := 0; buf.Len() < n; i++ {
		fmt.Fprintf(&buf, "%d.%d\n", seed, i)
	}
	return buf.Bytes()[:n]
}

// readAll opens every file of a checkpoint.
func readAll(c *checkpoint.Checkpoint) error {
	for _, e := range c.Entries() {
		if e.Type != fingerprint.File {
			continue
		}
		r, err := c.Open(e)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			return err
		}
		r.Close()
	}
	return nil
}

// tree makes n files of about 10 KB in directories of eight.
func (b *bench) tree(n int) {
	for i := range n {
		b.write(fmt.Sprintf("m%02d/pkg%04d/file%d.go", i%37, i/8, i), string(pattern(i, 300+(i*7919)%20000)))
	}
}

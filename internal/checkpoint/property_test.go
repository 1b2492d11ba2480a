package checkpoint_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
)

// mutate does something to the tree, as a program would.
func mutate(t *rapid.T, b *bench, n int) {
	name := func(what string) string {
		dirs := []string{"", "d/", "d/e/", "x/", "a.b/", "a/"}
		return rapid.SampledFrom(dirs).Draw(t, what+" dir") + rapid.SampledFrom([]string{"f", "g", "h\n", "\xffi"}).Draw(t, what)
	}
	p := b.path(name("path"))
	switch rapid.SampledFrom([]string{"write", "write", "append", "remove", "rename", "link", "symlink", "chmod", "mkdir", "same", "rmdir", "big"}).Draw(t, "op") {
	case "write":
		os.MkdirAll(filepath.Dir(p), 0o755)
		os.WriteFile(p, fmt.Appendf(nil, "content %d", rapid.IntRange(0, 5).Draw(t, "content")), 0o644)
	case "big":
		os.MkdirAll(filepath.Dir(p), 0o755)
		os.WriteFile(p, pattern(rapid.IntRange(0, 2).Draw(t, "big"), 1<<20+n), 0o644)
	case "append":
		if f, err := os.OpenFile(p, os.O_WRONLY|os.O_APPEND, 0); err == nil {
			fmt.Fprint(f, n)
			f.Close()
		}
	case "remove":
		os.Remove(p)
	case "rmdir":
		os.RemoveAll(filepath.Dir(filepath.Join(b.root, "d", "e", "f")))
	case "rename":
		os.Rename(p, b.path(name("to")))
	case "link":
		os.Link(p, b.path(name("to")))
	case "symlink":
		os.Symlink(fmt.Sprint("to", n), p)
	case "chmod":
		os.Chmod(p, os.FileMode(rapid.SampledFrom([]uint32{0o600, 0o644, 0o755}).Draw(t, "mode")))
	case "mkdir":
		os.MkdirAll(p, 0o755)
	case "same": // a change that only the ctime shows
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() {
			data, _ := os.ReadFile(p)
			for i := range data {
				data[i]++
			}
			os.WriteFile(p, data, 0)
			os.Chtimes(p, info.ModTime(), info.ModTime())
		}
	}
}

// Whatever programs do, and however soon: what Load returns is what was there
// when the checkpoint was taken, also after collections, and Diff leads from
// one to the next.
func TestLoadIsTheStateAtTake(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t)
		type moment struct {
			id   string
			want []fingerprint.Entry
		}
		var history []moment
		for n := range rapid.IntRange(2, 8).Draw(rt, "takes") {
			for range rapid.IntRange(0, 5).Draw(rt, "changes") {
				mutate(rt, b, n)
			}
			want := b.truth()
			c, err := b.try() // at once: entries are racy
			b.must(err)
			b.same(c, want)
			history = append(history, moment{c.ID, want})
			c.Close()
			if rapid.Bool().Draw(rt, "new process") {
				b.again()
			}
			if rapid.IntRange(0, 3).Draw(rt, "lose") == 0 {
				os.Remove(filepath.Join(b.st.CacheDir(), "stat"))
				os.Remove(filepath.Join(b.st.IndexDir(), "checkpoints"))
			}
			if rapid.IntRange(0, 3).Draw(rt, "collect") == 0 {
				var keep []string
				var kept []moment
				for _, m := range history {
					if rapid.Bool().Draw(rt, "keep") || m.id == c.ID {
						keep, kept = append(keep, m.id), append(kept, m)
					}
				}
				_, err := b.set.Collect(context.Background(), checkpoint.CollectOptions{Keep: keep, Now: b.now.AddDate(1, 0, 0), Young: 24 * time.Hour})
				b.must(err)
				history = kept
			}
		}
		var before *checkpoint.Checkpoint
		for _, m := range history {
			c, err := b.set.Load(m.id)
			b.must(err)
			b.same(c, m.want)
			if before != nil {
				applies(t, before, c)
			}
			before = c
		}
		rep, err := b.set.Verify(context.Background())
		b.must(err)
		if len(rep.Damage) > 0 {
			t.Fatalf("damage: %v", rep.Damage)
		}
		os.RemoveAll(filepath.Dir(b.root))
	})
}

// applies fails unless the differences turn one checkpoint into the other.
func applies(t *testing.T, pre, post *checkpoint.Checkpoint) {
	t.Helper()
	state := map[string]fingerprint.Entry{}
	for _, e := range pre.Entries() {
		e.Group = 0
		state[e.Path] = e
	}
	for _, d := range checkpoint.Diff(pre, post) {
		if had, ok := state[d.Path]; ok != (d.Pre.Type != fingerprint.Absent) || ok && !fingerprint.Equal(had, d.Pre) {
			t.Fatalf("%q was not %+v", d.Path, d.Pre)
		}
		delete(state, d.Path)
		if d.Post.Type != fingerprint.Absent {
			state[d.Path] = d.Post
		}
	}
	var got []fingerprint.Entry
	for _, e := range state {
		got = append(got, e)
	}
	want := post.Entries()
	for i := range want {
		want[i].Group = 0
	}
	if fingerprint.Sum(got) != fingerprint.Sum(want) {
		t.Fatal("the differences do not lead from one to the other")
	}
}

package checkpoint_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/counterstep/counterstep/internal/checkpoint"
)

func (b *bench) fixture() {
	b.write("a.txt", "one")
	b.write(".env", "SECRET=1")
	b.write(".gitignore", ".env\nignored/\n")
	b.write("ignored/data.db", "rows")
	b.write("dir/sub/deep.go", "package deep")
	b.write("empty", "")
	b.must(os.Mkdir(b.path("emptydir"), 0o711))
	b.write("run.sh", "#!/bin/sh\n")
	b.must(os.Chmod(b.path("run.sh"), 0o755))
	b.must(os.Symlink("a.txt", b.path("link")))
	b.must(os.Symlink("/nowhere/at/all", b.path("dangling")))
	b.must(os.Link(b.path("a.txt"), b.path("dir/hard")))
	b.write("big.bin", string(pattern(1, 3<<20)))
	b.write("name with\nnewline \xff", "bytes")
}

func TestTakeHoldsEverything(t *testing.T) {
	b := newBench(t)
	b.fixture()
	want := b.truth()
	c := b.take()
	b.same(c, want)
	if c.Partial || c.Found || len(c.Gaps()) != 0 {
		t.Errorf("partial %v, found %v, gaps %v", c.Partial, c.Found, c.Gaps())
	}
	b.again()
	b.same(b.load(c.ID), want)
}

func TestUnchangedIsTheSameCheckpoint(t *testing.T) {
	b := newBench(t)
	b.fixture()
	first := b.take()
	size, _ := b.set.Size()
	for range 3 {
		b.again()
		c := b.take()
		if c.ID != first.ID || !c.Found || c.Stats.Opened != 0 || c.Stats.Syncs != 0 {
			t.Fatalf("got %s (found %v), opened %d files, %d syncs", c.ID, c.Found, c.Stats.Opened, c.Stats.Syncs)
		}
		b.same(c, b.truth())
	}
	if after, _ := b.set.Size(); after != size {
		t.Errorf("grew from %d to %d", size, after)
	}
}

func TestOnlyWhatChangedIsReadAndKept(t *testing.T) {
	b := newBench(t)
	b.fixture()
	first := b.take()
	was := b.truth()
	b.tick()
	b.write("dir/sub/deep.go", "package changed")
	b.write("new.txt", "new")
	b.must(os.Remove(b.path("empty")))
	want := b.truth()
	second := b.take()
	if second.Stats.Opened != 2 || second.Stats.Syncs != 1 {
		t.Errorf("opened %d files, %d syncs", second.Stats.Opened, second.Stats.Syncs)
	}
	b.same(second, want)
	b.again()
	b.same(b.load(second.ID), want)
	b.same(b.load(first.ID), was)
}

// A state that comes back is the checkpoint that it was.
func TestTwoEqualStatesAreOne(t *testing.T) {
	b := newBench(t)
	b.write("f", "one")
	info, err := os.Stat(b.path("f"))
	b.must(err)
	dir, err := os.Stat(b.root)
	b.must(err)
	back := func() {
		b.must(os.Chtimes(b.path("f"), info.ModTime(), info.ModTime()))
		b.must(os.Chtimes(b.root, dir.ModTime(), dir.ModTime()))
	}
	back()
	first := b.take()
	b.write("f", "two")
	second := b.take()
	b.must(os.Remove(b.path("f")))
	b.write("f", "one")
	back()
	third := b.take()
	if third.ID != first.ID || second.ID == first.ID {
		t.Errorf("%s, %s, %s", first.ID, second.ID, third.ID)
	}
	b.write("f", "three")
	b.same(b.take(), b.truth())
	list, err := b.set.List()
	b.must(err)
	if len(list) != 3 {
		t.Errorf("%d checkpoints", len(list))
	}
}

// A content that is held is not kept again, under whatever name.
func TestContentsAreShared(t *testing.T) {
	b := newBench(t)
	b.write("a", string(pattern(1, 300<<10)))
	b.write("big", string(pattern(2, 2<<20)))
	b.take()
	before, _ := b.set.Size()
	b.write("copy/of/a", string(pattern(1, 300<<10)))
	b.must(os.Rename(b.path("big"), b.path("bigger")))
	b.write("bigcopy", string(pattern(2, 2<<20)))
	c := b.take()
	b.same(c, b.truth())
	if after, _ := b.set.Size(); after-before > 4096 || c.Stats.Kept != 0 {
		t.Errorf("grew by %d, kept %d", after-before, c.Stats.Kept)
	}
}

// A change that keeps size and mtime is seen, since the ctime differs.
func TestTimesAreNotBelieved(t *testing.T) {
	b := newBench(t)
	b.write("f", "one")
	info, _ := os.Stat(b.path("f"))
	b.take()
	b.tick()
	b.write("f", "two")
	b.must(os.Chtimes(b.path("f"), info.ModTime(), info.ModTime()))
	c := b.take()
	e, _ := c.Entry(b.path("f"))
	if got := string(b.content(c, e)); got != "two" {
		t.Errorf("got %q", got)
	}
}

// What changed while the cache was being written is read again although it
// looks the same; once it is certain, it is not.
func TestRacyEntriesAreNotTrusted(t *testing.T) {
	b := newBench(t)
	b.write("f", "one")
	first, err := b.try() // at once: f is as young as the cache
	b.must(err)
	if first.Stats.Opened != 1 {
		t.Fatalf("opened %d", first.Stats.Opened)
	}
	again := b.take()
	third := b.take()
	if again.ID != first.ID || third.ID != first.ID {
		t.Errorf("%s, %s, %s", first.ID, again.ID, third.ID)
	}
	if third.Stats.Opened != 0 {
		t.Errorf("still read: %d", third.Stats.Opened)
	}
	b.must(os.Chtimes(b.path("f"), b.now.AddDate(9, 0, 0), b.now.AddDate(9, 0, 0)))
	b.take()
	if c := b.take(); c.Stats.Opened != 1 {
		t.Errorf("a file of the future is trusted: opened %d", c.Stats.Opened)
	}
}

func TestExcludedDirectoriesAreNamed(t *testing.T) {
	b := newBench(t)
	b.write("node_modules/x/index.js", "x")
	b.write("app/target/note.txt", "my own target")
	b.write("rust/Cargo.toml", "[package]")
	b.write("rust/target/debug/bin", "built")
	b.write("env/venv/pyvenv.cfg", "home = /usr")
	b.write("ios/Carthage/Build/f", "f")
	b.write("ios/Carthage/Checkouts/f", "f")
	b.write("target", "a file called target")
	c := b.take()
	var got []string
	for _, g := range c.Gaps() {
		if g.Reason != checkpoint.Excluded || !g.Tree {
			t.Errorf("%+v", g)
		}
		rel, _ := filepath.Rel(b.root, g.Path)
		got = append(got, rel)
	}
	want := []string{"env/venv", "ios/Carthage/Build", "node_modules", "rust/target"}
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q", got)
		}
	}
	if c.Partial {
		t.Error("an exclude makes it partial")
	}
	for name, why := range map[string]checkpoint.Reason{
		"app/target/note.txt": checkpoint.Held, "target": checkpoint.Held, "nothing/here": checkpoint.Held,
		"node_modules/x/index.js": checkpoint.Excluded, "../elsewhere": checkpoint.Outside,
	} {
		if _, got := c.Entry(b.path(name)); got != why {
			t.Errorf("%s: %s, want %s", name, got, why)
		}
	}
	b.opt.Excludes = []checkpoint.Exclude{}
	all := b.take()
	b.same(all, b.truth())
	if len(all.Rules) >= len(c.Rules) {
		t.Error("the rules are not in the record")
	}
}

func TestGitControlFilesAreHeldAndObjectsAreNot(t *testing.T) {
	b := newBench(t)
	for _, f := range []string{
		".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/refs/heads/objects/x", ".git/logs/HEAD",
		".git/MERGE_HEAD", ".git/worktrees/w/HEAD", ".git/modules/a/b/HEAD", ".git/modules/a/b/config",
		".git/modules/objects/HEAD", ".git/modules/objects/config",
		"nested/.git/HEAD", "bare.git/HEAD", "bare.git/config", "bare.git/objects/aa/bb", "sub/.git", "objects/mine",
	} {
		b.write(f, f)
	}
	for _, f := range []string{
		".git/objects/aa/bb", ".git/modules/a/b/objects/aa/bb", ".git/modules/objects/objects/pack/p",
		"nested/.git/objects/aa/bb", ".git/lfs/objects/aa/bb",
	} {
		b.write(f, f)
	}
	b.write(".git/index.lock", "held by git")
	c := b.take()
	held := map[string]bool{}
	for _, e := range c.Entries() {
		rel, _ := filepath.Rel(b.root, e.Path)
		held[rel] = true
	}
	for _, f := range []string{
		".git/refs/heads/objects/x", ".git/worktrees/w/HEAD", ".git/modules/a/b/HEAD", ".git/modules/objects/HEAD",
		"nested/.git/HEAD", "bare.git/objects/aa/bb", "sub/.git", "objects/mine", ".git/index",
	} {
		if !held[f] {
			t.Errorf("%s is not held", f)
		}
	}
	gaps := c.Gaps()
	if len(gaps) != 5 {
		t.Errorf("gaps: %v", gaps)
	}
	for _, g := range gaps {
		if g.Reason != checkpoint.GitObjects {
			t.Errorf("%+v", g)
		}
	}
	if held[".git/index.lock"] {
		t.Error("a lock of git is held")
	}
}

func TestTheSizeCapNamesWhatItLeavesOut(t *testing.T) {
	b := newBench(t)
	b.write("small", "small")
	b.write("large", string(pattern(1, 5000)))
	b.opt.SizeCap = 4096
	c := b.take()
	missing := c.Missing()
	if !c.Partial || len(missing) != 1 || missing[0].Path != b.path("large") || missing[0].Reason != checkpoint.TooLarge || missing[0].Tree {
		t.Fatalf("partial %v, missing %v", c.Partial, missing)
	}
	if e, why := c.Entry(b.path("large")); why != checkpoint.TooLarge || e.Size != 5000 {
		t.Errorf("%+v, %s", e, why)
	}
	if again := b.take(); again.ID != c.ID || again.Stats.Opened != 0 || !again.Partial {
		t.Errorf("%s, opened %d", again.ID, again.Stats.Opened)
	}
	b.opt.SizeCap = 0
	b.same(b.take(), b.truth())
}

func TestTheBudgetNamesWhatItLeavesOut(t *testing.T) {
	b := newBench(t)
	for i := range 40 {
		b.write(filepath.Join("d", string(rune('a'+i%26)), string(rune('a'+i/26))), string(pattern(i, 100)))
	}
	b.tick()
	b.opt.Deadline = b.now.Add(1)
	c := b.take() // the clock is past the deadline from the start
	if !c.Partial || c.Stats.Opened != 0 {
		t.Fatalf("partial %v, opened %d", c.Partial, c.Stats.Opened)
	}
	if _, why := c.Entry(b.path("d/a/a")); why != checkpoint.OverBudget {
		t.Errorf("unknown is %s", why)
	}
	b.opt.Deadline = b.now.AddDate(1, 0, 0)
	full := b.take()
	if full.Partial {
		t.Errorf("still missing: %v", full.Missing())
	}
	b.same(full, b.truth())
	for _, ch := range checkpoint.Diff(c, full) {
		if ch.Known() && !ch.TimesOnly() {
			t.Errorf("%s counts as made in between: %+v", ch.Path, ch)
		}
	}
}

func TestFurtherDirectories(t *testing.T) {
	b := newBench(t)
	b.write("f", "f")
	b.write("node_modules/pkg/f", "named by the call")
	other := filepath.Join(filepath.Dir(b.root), "other")
	b.opt.Also = []string{other, b.path("f"), b.path("node_modules/pkg")}
	first := b.take()
	b.must(os.MkdirAll(filepath.Join(other, "sub"), 0o755))
	b.must(os.WriteFile(filepath.Join(other, "sub", "x"), []byte("x"), 0o644))
	second := b.take()
	var made []string
	for _, c := range checkpoint.Diff(first, second) {
		if c.Pre.Type == '-' && c.Known() {
			made = append(made, c.Path)
		}
	}
	if len(made) != 3 || made[0] != other {
		t.Errorf("made: %q", made)
	}
	if _, why := second.Entry(b.path("node_modules/pkg/f")); why != checkpoint.Held {
		t.Errorf("a named directory below an excluded one is %s", why)
	}
	b.opt.Also = nil
	third := b.take()
	for _, d := range checkpoint.Diff(second, third) {
		if d.Known() {
			t.Errorf("what was not looked at counts as gone: %v", d)
		}
	}
}

func TestRootsWithinRoots(t *testing.T) {
	b := newBench(t)
	b.write("f", "f")
	other := filepath.Join(filepath.Dir(b.root), "other")
	b.must(os.MkdirAll(filepath.Join(other, "sub"), 0o755))
	b.must(os.WriteFile(filepath.Join(other, "sub", "x"), []byte("x"), 0o644))
	for _, also := range [][]string{
		{filepath.Join(other, "sub"), other}, {other, filepath.Join(other, "sub")}, {other, other}, {filepath.Dir(b.root)},
	} {
		b.opt.Also = also
		if _, why := b.take().Entry(b.path("f")); why != checkpoint.Held {
			t.Errorf("with %q, a file of the workspace is %s", also, why)
		}
		if c, err := b.set.Load(b.opt.ID); err != nil {
			t.Errorf("with %q: %v", also, err)
		} else if _, why := c.Entry(filepath.Join(other, "sub", "x")); why != checkpoint.Held {
			t.Errorf("with %q, a file beside it is %s", also, why)
		}
	}
}

func TestAnIDIsUsedOnce(t *testing.T) {
	b := newBench(t)
	b.write("f", "one")
	first := b.take()
	b.write("f", "two")
	b.opt.ID = first.ID
	if _, err := b.set.Take(context.Background(), b.opt); err == nil {
		t.Error("an id was given to two states")
	}
	b.opt.ID = ""
	if _, err := b.set.Take(context.Background(), b.opt); err == nil {
		t.Error("a checkpoint without an id")
	}
	if got := string(b.content(b.load(first.ID), first.Entries()[1])); got != "one" {
		t.Errorf("the first has %q", got)
	}
}

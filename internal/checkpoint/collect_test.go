package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/hint"
)

func (b *bench) collect(keep ...string) checkpoint.Collected {
	b.t.Helper()
	out, err := b.set.Collect(context.Background(), checkpoint.CollectOptions{
		Keep: keep, Now: b.now.AddDate(1, 0, 0), Young: 24 * time.Hour,
	})
	b.must(err)
	return out
}

// crowd takes checkpoints that are newer than those under test, so that these
// are not among the last ones.
func (b *bench) crowd() {
	for i := range 20 {
		b.write("crowd", fmt.Sprint(i))
		b.take()
	}
}

func TestCollectFreesWhatNothingNeeds(t *testing.T) {
	b := newBench(t)
	b.write("steady", string(pattern(1, 200<<10)))
	b.write("f", string(pattern(2, 900<<10)))
	first := b.take()
	b.write("f", "short")
	second := b.take()
	want := b.truth()
	b.crowd()
	dry, err := b.set.Collect(context.Background(), checkpoint.CollectOptions{Keep: []string{second.ID}, Now: b.now.AddDate(1, 0, 0), DryRun: true})
	b.must(err)
	if size, _ := b.set.Size(); size != dry.Before || dry.Dropped == 0 {
		t.Errorf("a dry run changed something, or saw nothing: %+v", dry)
	}
	out := b.collect(second.ID, "unknown")
	if out.After >= out.Before-(800<<10) || len(out.Missing) != 1 {
		t.Errorf("%+v", out)
	}
	if size, _ := b.set.Size(); size != out.After {
		t.Errorf("size %d, said %d", size, out.After)
	}
	b.again()
	b.same(b.load(second.ID), want)
	if _, err := b.set.Load(first.ID); !errors.Is(err, checkpoint.ErrGone) || len(hint.Of(err)) == 0 {
		t.Errorf("the forgotten one: %v", err)
	}
	// The cache is still good: nothing is read again.
	if c := b.take(); c.Stats.Opened != 0 || c.Stats.Syncs != 0 {
		t.Errorf("after a collection: opened %d, %d syncs", c.Stats.Opened, c.Stats.Syncs)
	}
}

func TestCollectKeepsTheYoungAndTheLast(t *testing.T) {
	b := newBench(t)
	b.write("f", "one")
	old := b.take()
	b.crowd()
	b.now = b.now.AddDate(0, 0, 3)
	b.write("f", "two")
	young := b.take()
	b.crowd()
	b.now = b.now.Add(23 * time.Hour)
	out, err := b.set.Collect(context.Background(), checkpoint.CollectOptions{Now: b.now, Young: 24 * time.Hour})
	b.must(err)
	b.load(young.ID)
	if _, err := b.set.Load(old.ID); !errors.Is(err, checkpoint.ErrGone) {
		t.Errorf("the old one: %v (%+v)", err, out)
	}
	// A clock that jumps takes nothing that was just handed out.
	c := b.take()
	b.must(os.Remove(filepath.Join(b.st.CacheDir(), "stat")))
	b.collect()
	b.load(c.ID)
}

// Damage in what is needed is reported, and not thrown away with the rest.
func TestCollectCopiesNoDamage(t *testing.T) {
	for name, size := range map[string]int{"small": 5000, "large": 2 << 20} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			need := pattern(4, size)
			b.write("need", string(need))
			b.write("junk", string(pattern(5, 6<<20)))
			keep := b.take()
			b.must(os.Remove(b.path("need")))
			b.must(os.Remove(b.path("junk")))
			b.take()
			b.write("need", string(need))
			kept := b.take()
			b.must(os.Remove(b.path("need")))
			b.crowd()
			b.harm(need)
			b.again()
			out := b.collect(kept.ID)
			if out.Damaged != 1 || out.Dropped == 0 {
				t.Errorf("%+v", out)
			}
			if _, err := os.Lstat(b.packs()[0]); err != nil || len(b.packs()) != 2 {
				t.Errorf("packs %q, %v", b.packs(), err)
			}
			if _, err := b.set.Load(keep.ID); err == nil {
				t.Error("what was not needed is still there")
			}
			if err := readAll(b.load(kept.ID)); err == nil {
				t.Error("damaged bytes were handed out")
			}
		})
	}
}

// Of a checkpoint that is handed out again only the use is new; it must not
// vanish before its user has recorded it.
func TestCollectKeepsWhatWasHandedOutAgain(t *testing.T) {
	b := newBench(t)
	b.write("f", "one")
	stamp := time.Unix(1700000000, 0)
	fix := func() {
		b.must(os.Chtimes(b.path("f"), stamp, stamp))
		b.must(os.Chtimes(b.root, stamp, stamp))
	}
	fix()
	first := b.take()
	b.crowd()
	b.must(os.Remove(b.path("crowd")))
	b.must(os.WriteFile(b.path("f"), []byte("one"), 0o644))
	fix()
	if again := b.take(); again.ID != first.ID {
		t.Fatal("not handed out again")
	}
	b.write("other", "x")
	b.take()
	b.collect()
	b.load(first.ID)
}

func TestReadersSurviveACollection(t *testing.T) {
	b := newBench(t)
	b.fixture()
	want := b.truth()
	keep := b.take()
	b.write("a.txt", string(pattern(9, 6<<20)))
	drop := b.take()
	b.write("a.txt", "short")
	b.crowd()
	b.again()
	early := b.load(keep.ID)
	lost := b.load(drop.ID)
	b.collect(keep.ID)
	b.same(early, want)
	e, _ := lost.Entry(b.path("a.txt"))
	if _, err := lost.Open(e); err == nil {
		t.Error("a content that is gone can be opened")
	}
}

func TestCollectLeavesNoTemporaries(t *testing.T) {
	b := newBench(t)
	b.write("f", "one")
	b.take()
	b.must(os.WriteFile(filepath.Join(b.st.CheckpointDir(), ".collect-1.tmp"), []byte("x"), 0o600))
	b.crowd()
	b.collect()
	list, err := os.ReadDir(b.st.CheckpointDir())
	b.must(err)
	for _, d := range list {
		if d.Name()[0] == '.' {
			t.Errorf("left: %s", d.Name())
		}
	}
}

// Many calls on a tree do not make the set grow beyond what they changed.
func TestTheSetStaysSmall(t *testing.T) {
	b := newBench(t)
	b.tree(300)
	b.take()
	base, _ := b.set.Size()
	for i := range 200 {
		b.write("m01/result", fmt.Sprint(i))
		_, err := b.try()
		b.must(err)
	}
	if size, _ := b.set.Size(); size-base > 300<<10 {
		t.Errorf("200 small changes take %d bytes", size-base)
	}
	out := b.collect()
	if out.After > base+300<<10 {
		t.Errorf("after a collection: %+v", out)
	}
}

package checkpoint_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/counterstep/counterstep/internal/checkpoint"
)

// packs are the files that hold everything.
func (b *bench) packs() []string {
	list, err := filepath.Glob(filepath.Join(b.st.CheckpointDir(), "*.pack"))
	b.must(err)
	return list
}

// harm flips a byte of a content in the first pack.
func (b *bench) harm(content []byte) {
	b.t.Helper()
	for _, p := range b.packs() {
		data, err := os.ReadFile(p)
		b.must(err)
		at := bytes.Index(data, content)
		if at < 0 {
			continue
		}
		data[at+len(content)/2] ^= 1
		b.must(os.WriteFile(p, data, 0o600))
		return
	}
	b.t.Fatal("the content is in no pack")
}

func TestDamageIsNeverHandedOut(t *testing.T) {
	b := newBench(t)
	b.fixture()
	secret := pattern(4, 5000)
	b.write("victim", string(secret))
	c := b.take()
	b.harm(secret)
	b.again()
	loaded := b.load(c.ID)
	e, _ := loaded.Entry(b.path("victim"))
	r, err := loaded.Open(e)
	b.must(err)
	var damage *checkpoint.DamageError
	if _, err := io.ReadAll(r); !errors.As(err, &damage) || damage.Path != b.path("victim") || damage.ID != c.ID {
		t.Fatalf("got %v", err)
	}
	rep, err := b.set.Verify(context.Background())
	b.must(err)
	if len(rep.Damage) != 1 || rep.Damage[0].Path != b.path("victim") {
		t.Errorf("verify: %v", rep.Damage)
	}
}

// A checkpoint after the damage holds everything again: damaged bytes are no
// hit, and a pack that was touched is not believed.
func TestTakeHealsDamage(t *testing.T) {
	b := newBench(t)
	b.fixture()
	secret := pattern(4, 5000)
	b.write("victim", string(secret))
	first := b.take()
	b.harm(secret)
	b.again()
	c := b.take()
	if c.ID != first.ID || c.Stats.Kept != int64(len(secret)) {
		t.Errorf("%s, kept %d", c.ID, c.Stats.Kept)
	}
	b.again()
	b.same(b.load(first.ID), b.truth())
	if c := b.take(); c.Stats.Opened != 0 || c.Stats.Syncs != 0 {
		t.Errorf("and then: opened %d, %d syncs", c.Stats.Opened, c.Stats.Syncs)
	}
}

// Bytes that rot leave no trace in the pack's times. A hit is only believed
// after it was read.
func TestAHitIsCheckedByReadingIt(t *testing.T) {
	for name, size := range map[string]int{"small": 5000, "large": 2 << 20} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			secret := pattern(4, size)
			b.write("victim", string(secret))
			b.take()
			b.must(os.Remove(b.path("victim")))
			b.take()
			b.harm(secret)
			b.again()
			b.must(b.set.BelievePacks())
			b.write("again", string(secret))
			c := b.take()
			b.same(c, b.truth())
			b.again()
			b.same(b.load(c.ID), b.truth())
		})
	}
}

func TestADamagedRecordIsToldFromAMissingOne(t *testing.T) {
	b := newBench(t)
	b.write("unmistakable-name", "x")
	c := b.take()
	b.harm([]byte("unmistakable-name"))
	b.again()
	var damage *checkpoint.DamageError
	if _, err := b.set.Load(c.ID); !errors.As(err, &damage) {
		t.Errorf("got %v", err)
	}
	if _, err := b.set.Load("nothing"); !errors.Is(err, checkpoint.ErrGone) {
		t.Errorf("got %v", err)
	}
	again := b.take()
	if again.ID == c.ID {
		t.Error("a damaged checkpoint was handed out again")
	}
	b.same(b.load(again.ID), b.truth())
}

// The cache and the index can be lost or damaged at any time.
func TestCacheAndIndexAreOnlyHelp(t *testing.T) {
	for name, harm := range map[string]func(string) error{
		"lost":    os.Remove,
		"emptied": func(p string) error { return os.Truncate(p, 0) },
		"cut": func(p string) error {
			info, err := os.Stat(p)
			if err != nil {
				return err
			}
			return os.Truncate(p, info.Size()/2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.tree(400)
			c := b.take()
			for _, p := range []string{filepath.Join(b.st.CacheDir(), "stat"), filepath.Join(b.st.IndexDir(), "checkpoints")} {
				b.must(harm(p))
			}
			b.again()
			b.same(b.load(c.ID), b.truth())
			size, _ := b.set.Size()
			again := b.take()
			if after, _ := b.set.Size(); again.ID != c.ID || after != size {
				t.Errorf("%s, size %d → %d", again.ID, size, after)
			}
		})
	}
}

// A set that was lost holds nothing: what is there then counts as unknown, not
// as made by anybody.
func TestATruncatedPackIsNoEmptyCheckpoint(t *testing.T) {
	b := newBench(t)
	b.fixture()
	c := b.take()
	for _, p := range b.packs() {
		b.must(os.Truncate(p, 100))
	}
	b.again()
	if _, err := b.set.Load(c.ID); err == nil {
		t.Fatal("loaded a checkpoint that is gone")
	}
	again := b.take()
	b.same(again, b.truth())
	b.again()
	b.same(b.load(again.ID), b.truth())
}

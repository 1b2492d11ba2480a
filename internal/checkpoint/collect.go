package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
)

// CollectOptions say what to keep.
type CollectOptions struct {
	// Keep are the ids of checkpoints that are needed.
	Keep []string
	// Young is how old a checkpoint must be to be removed, by the clock Now.
	// Those that were handed out last are never removed, whatever the clock.
	Young time.Duration
	Now   time.Time
	// DryRun only says what would be done.
	DryRun bool
}

// Collected says what a collection did.
type Collected struct {
	Kept, Dropped int
	// Before and After are the sizes of the set in bytes. With DryRun, After is
	// an estimate.
	Before, After int64
	// Missing are ids to keep that the set does not hold.
	Missing []string
	// Damaged is the number of needed contents whose bytes are damaged. The
	// packs that hold them are left as they are.
	Damaged int
}

// Collect removes the checkpoints that nothing needs, and contents that no
// other checkpoint has; where that would free next to nothing they stay. It
// waits for a Take until ctx is done. Killed at any
// point, or when it fails, everything that is needed is still there.
func (s *Set) Collect(ctx context.Context, o CollectOptions) (Collected, error) {
	unlock, err := durable.Lock(ctx, s.lock)
	if err != nil {
		return Collected{}, err
	}
	defer unlock()
	idx, err := s.openIndex()
	if err != nil {
		return Collected{}, err
	}
	defer idx.packs.close()
	c := &collection{set: s, o: o, idx: idx, old: s.readCache(), live: map[[32]byte]place{}}
	err = c.run(ctx)
	return c.out, err
}

// Size is the space that the set takes, in bytes.
func (s *Set) Size() (size int64, err error) {
	marks, err := s.marks()
	for _, m := range marks {
		size += m.size
	}
	return size, err
}

// collection is one Collect.
type collection struct {
	set *Set
	o   CollectOptions
	idx *index
	old *cache
	out Collected

	keep    []known
	live    map[[32]byte]place // contents that are needed
	records []record           // the kept ones, written anew
	written int64              // their length
	loose   map[uint32]bool    // packs that go
}

func (c *collection) run(ctx context.Context) error {
	for _, m := range c.idx.marks {
		c.out.Before += m.size
	}
	c.out.After = c.out.Before
	c.choose()
	if err := c.rewrite(ctx); err != nil {
		return err
	}
	worth := c.weigh()
	if c.o.DryRun || !worth {
		return nil
	}
	if err := c.set.sweep(); err != nil {
		return err
	}
	return c.replace(ctx)
}

// choose decides which checkpoints stay.
func (c *collection) choose() {
	stay := map[string]bool{}
	for _, id := range c.o.Keep {
		if _, ok := c.idx.byID[id]; !ok {
			c.out.Missing = append(c.out.Missing, id)
		}
		stay[id] = true
	}
	if c.old != nil {
		stay[c.old.ID] = true
		for _, id := range c.old.recent {
			stay[id] = true
		}
	}
	for i, r := range c.idx.recs {
		if stay[r.ID] || i >= len(c.idx.recs)-keepRecent || r.Time.After(c.o.Now.Add(-c.o.Young)) {
			c.keep = append(c.keep, r)
		}
	}
	c.out.Kept, c.out.Dropped = len(c.keep), len(c.idx.recs)-len(c.keep)
}

// rewrite makes the kept records independent of those that go, and collects
// the contents they need.
func (c *collection) rewrite(ctx context.Context) error {
	w := &wanderer{set: c.set, idx: c.idx}
	var weight int64
	for _, k := range c.keep {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := w.at
		r, err := w.move(k.ID)
		if err != nil {
			return fmt.Errorf("nothing was removed: %w", err)
		}
		for i := range r.items {
			if it := &r.items[i]; it.file() {
				at, ok := c.idx.content(it.SHA)
				if !ok {
					c.out.Damaged++
					continue
				}
				c.live[it.SHA] = at
			}
		}
		r.parent, r.weight = from, 0
		weight += int64(len(r.append(nil)))
		if full := 64 * int64(len(w.now)); from == "" || weight > full {
			r.parent, r.gone, r.items, weight = "", nil, w.now.items(), 0
		}
		r.weight = weight
		c.written += int64(len(r.append(nil))) + headSize
		c.records = append(c.records, r)
	}
	return nil
}

// weigh decides which packs go: those of which less than half is needed. It
// reports whether at least a hundredth of the space can be gained.
func (c *collection) weigh() bool {
	need := map[uint32]int64{}
	for _, at := range c.live {
		need[at.pack] += at.size + headSize
	}
	c.loose = map[uint32]bool{}
	after := c.out.Before + c.written
	for _, m := range c.idx.marks {
		if need[m.pack] < m.size/2 {
			c.loose[m.pack] = true
			after += need[m.pack] - m.size
		}
	}
	if after > c.out.Before-c.out.Before/100 {
		c.out.Kept, c.out.Dropped = len(c.idx.recs), 0
		return false
	}
	c.out.After = after
	return true
}

// replace writes the new pack, and removes what it replaces.
func (c *collection) replace(ctx context.Context) error {
	a, err := c.begin()
	if err != nil {
		return err
	}
	done := false
	defer func() { a.close(done) }()
	if err := c.fill(ctx, a); err != nil {
		return err
	}
	if err := a.sync(); err != nil {
		return err
	}
	if err := fail.Point("checkpoint.rename"); err != nil {
		return trouble("name the pack", err)
	}
	if err := os.Rename(a.name, c.set.pack(a.pack)); err != nil {
		return trouble("name the pack", err)
	}
	done = true
	if err := fail.Point("checkpoint.renamed"); err != nil {
		return trouble("name the pack", err)
	}
	if err := durable.SyncDir(c.set.dir); err != nil {
		return trouble("sync the checkpoints", err)
	}
	m, err := a.mark()
	if err != nil {
		return err
	}
	if err := c.remove(); err != nil {
		return err
	}
	return c.finish(m)
}

// begin opens a pack under a temporary name.
func (c *collection) begin() (*appender, error) {
	a := &appender{set: c.set, pack: 1}
	if n := len(c.idx.marks); n > 0 {
		a.pack = c.idx.marks[n-1].pack + 1
	}
	f, err := os.CreateTemp(c.set.dir, ".collect-*.tmp")
	if err != nil {
		return nil, trouble("make a pack", err)
	}
	a.f, a.name, a.temp = f, f.Name(), true
	return a, nil
}

// fill writes the kept records and the contents whose packs go.
func (c *collection) fill(ctx context.Context, a *appender) error {
	if _, err := a.put(anEpoch, sha256.Sum256(nil), nil); err != nil {
		return err
	}
	for i := range c.records {
		if _, err := a.record(&c.records[i]); err != nil {
			return err
		}
	}
	for sha, at := range c.live {
		if !c.loose[at.pack] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.copy(a, sha, at); err != nil {
			return err
		}
	}
	return nil
}

// copy copies one content and checks it on the way. A pack with a damaged one
// stays.
func (c *collection) copy(a *appender, sha [32]byte, at place) error {
	r, err := c.idx.packs.body(c.set, at)
	if err != nil {
		return trouble("open a pack", err)
	}
	got, err := a.again(r, sha, at.size)
	if err != nil {
		return err
	}
	if got != sha {
		c.out.Damaged++
		delete(c.loose, at.pack)
	}
	return nil
}

// again adds a content that was held elsewhere, if it is still what it was. It
// returns the hash of what was read.
func (a *appender) again(r io.Reader, sha [32]byte, size int64) (got [32]byte, err error) {
	if size >= 1<<20 {
		_, got, err = a.stream(r, sha256.New(), func(got [32]byte) (bool, error) { return got == sha, nil })
		var src *sourceError
		if errors.As(err, &src) {
			return [32]byte{}, nil
		}
		return got, err
	}
	body, err := io.ReadAll(r)
	if err != nil || sha256.Sum256(body) != sha {
		return [32]byte{}, nil
	}
	_, err = a.put(aContent, sha, body)
	return sha, err
}

// remove takes the packs away that nothing needs any more.
func (c *collection) remove() error {
	for n := range c.loose {
		if err := fail.Point("checkpoint.remove"); err != nil {
			return trouble("remove a pack", err)
		}
		if err := os.Remove(c.set.pack(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return trouble("remove a pack", err)
		}
	}
	return nil
}

// finish keeps the cache good: the packs that it trusts are these now.
func (c *collection) finish(m mark) error {
	c.out.After = m.size
	var marks []mark
	for _, o := range c.idx.marks {
		if !c.loose[o.pack] {
			c.out.After += o.size
			marks = append(marks, o)
		}
	}
	if err := fail.Point("checkpoint.finish"); err != nil {
		return trouble("finish", err)
	}
	if c.old == nil {
		return nil
	}
	var sure []mark
	for _, o := range marks {
		for _, known := range c.old.marks {
			if known == o {
				sure = append(sure, o)
			}
		}
	}
	c.old.marks = append(sure, m)
	if err := c.set.writeCache(c.old); err != nil {
		return trouble("write the cache", err)
	}
	idx, err := c.set.openIndex()
	if err != nil {
		return err
	}
	defer idx.packs.close()
	return trouble("write the index", c.set.writeIndex(idx))
}

// sweep removes what killed processes left. Only the holder of the lock makes
// temporary files here.
func (s *Set) sweep() error {
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return trouble("list checkpoints", err)
	}
	for _, d := range list {
		if strings.HasPrefix(d.Name(), ".") && strings.HasSuffix(d.Name(), ".tmp") {
			if err := os.Remove(filepath.Join(s.dir, d.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return trouble("sweep", err)
			}
		}
	}
	return nil
}

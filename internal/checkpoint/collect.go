package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/durable"
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

package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
)

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

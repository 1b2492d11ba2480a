package checkpoint

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
)

// errDamaged says that held bytes are not those that were kept.
var errDamaged = errors.New("the bytes that are held are damaged")

// check reads every body of a pack and notes in the index those that are
// damaged. It returns how many there are.
func (x *index) check(ctx context.Context, s *Set, n uint32) (damaged int, err error) {
	f, err := x.packs.get(s, n)
	if err != nil {
		return 0, trouble("open a pack", err)
	}
	hash := sha256.New()
	buf := make([]byte, 256<<10)
	_, err = walk(f, 0, x.ends[n], func(h head, body int64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		hash.Reset()
		r := io.NewSectionReader(f, body, h.size)
		_, err := io.CopyBuffer(hash, struct{ io.Reader }{r}, buf)
		if err != nil || [32]byte(hash.Sum(nil)) != h.sha {
			x.bad[place{pack: n, off: body, size: h.size}] = true
			damaged++
		}
		return nil
	})
	return damaged, trouble("read a pack", err)
}

// settle makes a pack durable that somebody may have left without doing so.
func (s *Set) settle(n uint32) error {
	if err := fail.Point("checkpoint.resync"); err != nil {
		return trouble("sync a pack", err)
	}
	f, err := os.OpenFile(s.pack(n), os.O_RDWR|noFollow, 0)
	if err != nil {
		return trouble("open a pack", err)
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return trouble("sync a pack", err)
	}
	return trouble("sync a pack", f.Close())
}

// catchUp checks the packs that are not as the cache knows them, and makes them
// durable: they were left by a process that was killed, or touched.
func (s *Set) catchUp(ctx context.Context, x *index, marks []mark) (syncs int, err error) {
	sure := map[mark]bool{}
	for _, m := range marks {
		sure[m] = true
	}
	for i, m := range x.marks {
		if sure[m] {
			continue
		}
		if _, err := x.check(ctx, s, m.pack); err != nil {
			return syncs, err
		}
		if err := s.settle(m.pack); err != nil {
			return syncs, err
		}
		syncs++
		info, err := os.Lstat(s.pack(m.pack))
		if err != nil {
			return syncs, trouble("look at a pack", err)
		}
		x.marks[i] = markOf(m.pack, info)
	}
	if syncs > 0 {
		if err := durable.SyncDir(s.dir); err != nil {
			return syncs, trouble("sync the checkpoints", err)
		}
		syncs++
	}
	return syncs, nil
}

// proven reports whether the bytes at a place are the content, by reading them
// once per process.
func (s *Set) proven(p *packs, sha [32]byte, at place) bool {
	s.mu.Lock()
	known, ok := s.verified[sha]
	s.mu.Unlock()
	if ok && known == at {
		return true
	}
	r, err := p.body(s, at)
	if err != nil {
		return false
	}
	h := sha256.New()
	if _, err := io.Copy(h, bufio.NewReaderSize(r, 64<<10)); err != nil || [32]byte(h.Sum(nil)) != sha {
		return false
	}
	s.trust(sha, at)
	return true
}

// trust notes that the bytes at a place are the content.
func (s *Set) trust(sha [32]byte, at place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verified[sha] = at
}

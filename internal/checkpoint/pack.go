package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/counterstep/counterstep/internal/store"
)

// place is where a body lies: in which pack, at which offset.
type place struct {
	pack      uint32
	off, size int64
}

// mark tells one state of a pack from another without reading it. A pack whose
// mark is the one that was noted after its bytes were checked counts as
// checked.
type mark struct {
	pack         uint32
	size         int64
	mtime, ctime int64
	ino          uint64
}

// pack is the path of a pack.
func (s *Set) pack(n uint32) string { return filepath.Join(s.dir, fmt.Sprintf("%08d.pack", n)) }

// parsePack is the number of a pack's name.
func parsePack(name string) (n uint32, ok bool) {
	digits, found := strings.CutSuffix(name, ".pack")
	if !found || len(digits) != 8 {
		return 0, false
	}
	for i := range digits {
		c := digits[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint32(c-'0')
	}
	return n, n > 0
}

// marks lists the packs of the set in order.
func (s *Set) marks() ([]mark, error) {
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, trouble("list checkpoints", err)
	}
	var out []mark
	for _, d := range list {
		n, ok := parsePack(d.Name())
		if !ok {
			continue
		}
		info, err := os.Lstat(filepath.Join(s.dir, d.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !info.Mode().IsRegular() {
			return nil, trouble("look at "+d.Name(), cause(err, "not a regular file"))
		}
		out = append(out, markOf(n, info))
	}
	slices.SortFunc(out, func(a, b mark) int { return int(int64(a.pack) - int64(b.pack)) })
	return out, nil
}

func markOf(n uint32, info fs.FileInfo) mark {
	m := mark{pack: n, size: info.Size(), mtime: info.ModTime().UnixNano()}
	m.ctime, m.ino = identity(info)
	return m
}

func cause(err error, otherwise string) error {
	if err == nil {
		return errors.New(otherwise)
	}
	return err
}

// trouble is a failure of the store; nil stays nil.
func trouble(step string, err error) error {
	var known *store.TroubleError
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &store.TroubleError{Step: step, Err: err}
}

// packs are open packs, opened when they are needed.
type packs struct {
	mu   sync.Mutex
	open map[uint32]*os.File
	done bool
}

// get opens a pack of a set.
func (p *packs) get(s *Set, n uint32) (*os.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f := p.open[n]; f != nil {
		return f, nil
	}
	if p.done {
		return nil, os.ErrClosed
	}
	f, err := os.OpenFile(s.pack(n), os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	if p.open == nil {
		p.open = map[uint32]*os.File{}
	}
	p.open[n] = f
	return f, nil
}

// body is what lies at a place.
func (p *packs) body(s *Set, at place) (*io.SectionReader, error) {
	f, err := p.get(s, at.pack)
	if err != nil {
		return nil, err
	}
	return io.NewSectionReader(f, at.off, at.size), nil
}

func (p *packs) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.open {
		f.Close()
	}
	p.open, p.done = nil, true
}

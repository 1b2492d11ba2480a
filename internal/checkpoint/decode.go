package checkpoint

import (
	"encoding/binary"
	"errors"
	"path"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
)

var errMalformed = errors.New("malformed")

// scanner reads what the appendX functions write. After the first error every
// value is zero. Whatever the input, it allocates no more than a small
// multiple of its length.
type scanner struct {
	b    []byte
	err  error
	room int // bytes that paths may still take
}

func scan(b []byte) *scanner { return &scanner{b: b, room: 1<<20 + 128*len(b)} }

func (s *scanner) fail() {
	if s.err == nil {
		s.err = errMalformed
	}
	s.b = nil
}

func (s *scanner) uint() uint64 {
	n, size := binary.Uvarint(s.b)
	if size <= 0 {
		s.fail()
		return 0
	}
	s.b = s.b[size:]
	return n
}

func (s *scanner) int() int64 {
	n, size := binary.Varint(s.b)
	if size <= 0 {
		s.fail()
		return 0
	}
	s.b = s.b[size:]
	return n
}

// length reads a number of things of which each takes at least one byte.
func (s *scanner) length() int {
	n := s.uint()
	if n > uint64(len(s.b)) {
		s.fail()
		return 0
	}
	return int(n)
}

// size reads a number of bytes on a disk.
func (s *scanner) size() int64 {
	n := s.uint()
	if n > 1<<62 {
		s.fail()
		return 0
	}
	return int64(n)
}

func (s *scanner) bytes(n int) []byte {
	if n > len(s.b) {
		s.fail()
		return nil
	}
	b := s.b[:n]
	s.b = s.b[n:]
	return b
}

func (s *scanner) byte() byte {
	if b := s.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (s *scanner) uint64() uint64 {
	if b := s.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (s *scanner) hash() (h [32]byte) {
	copy(h[:], s.bytes(32))
	return h
}

func (s *scanner) text() string { return string(s.bytes(s.length())) }

func (s *scanner) texts() []string {
	n := s.length()
	out := make([]string, 0, min(n, 64))
	for range n {
		out = append(out, s.text())
	}
	return out
}

// path reads a path that is greater than the one before.
func (s *scanner) path(prev string) string {
	shared := s.uint()
	rest := s.bytes(s.length())
	s.room -= int(min(shared, uint64(len(prev)))) + len(rest)
	if shared > uint64(len(prev)) || s.room < 0 || s.err != nil {
		s.fail()
		return ""
	}
	p := prev[:shared] + string(rest)
	if p <= prev || !clean(p, int(shared)) {
		s.fail()
		return ""
	}
	return p
}

// clean reports whether p is an absolute clean path. Its first bytes come from
// another clean path, so only what is behind their last slash is looked at.
func clean(p string, shared int) bool {
	if p[0] != '/' || strings.IndexByte(p[shared:], 0) >= 0 {
		return false
	}
	rest := p[max(strings.LastIndexByte(p[:shared], '/'), 0)+1:]
	return path.Clean("/"+rest) == "/"+rest
}

func (s *scanner) paths() []string {
	n := s.length()
	out := make([]string, 0, min(n, 1<<10))
	prev := ""
	for i := 0; i < n && s.err == nil; i++ {
		prev = s.path(prev)
		out = append(out, prev)
	}
	return out
}

// items reads sorted items and their number.
func (s *scanner) items(f form) []item {
	n := s.length()
	out := make([]item, 0, min(n, len(s.b)/8+1))
	prev := ""
	for i := 0; i < n && s.err == nil; i++ {
		out = append(out, item{})
		s.item(&out[i], prev, f)
		prev = out[i].Path
	}
	return out
}

func (s *scanner) item(it *item, prev string, f form) {
	it.Path = s.path(prev)
	it.Type = fingerprint.Type(s.byte())
	flags := s.byte()
	if flags&^allFlags != 0 || f != inState && flags&hasInode == 0 {
		s.fail()
	}
	if flags&hasWhy != 0 {
		it.why = Reason(s.byte())
		if it.why == Held || !it.why.valid() {
			s.fail()
		}
	}
	it.Mode, it.UID, it.GID = uint32(s.uint()), uint32(s.uint()), uint32(s.uint())
	it.MTime = s.int()
	it.ATime = it.MTime
	if flags&hasInode != 0 {
		it.Links, it.Dev, it.Ino = uint32(s.uint()), s.uint(), s.uint()
	}
	switch it.Type {
	case fingerprint.File:
		it.Size = s.size()
		if it.why == Held {
			it.XXH = s.uint64()
			it.SHA = s.hash()
		}
	case fingerprint.Symlink:
		it.Target = s.text()
	case fingerprint.Block, fingerprint.Char:
		it.Rdev = s.uint()
	case fingerprint.Dir, fingerprint.FIFO, fingerprint.Socket:
	default:
		s.fail()
	}
	s.rare(it, flags)
	if f == inCache {
		it.ctime = s.int()
	}
}

func (s *scanner) rare(it *item, flags byte) {
	if flags&hasXattrs != 0 {
		for range s.length() {
			it.Xattrs = append(it.Xattrs, fingerprint.Xattr{Name: s.text(), Value: s.text()})
			if s.err != nil {
				return
			}
		}
	}
	if flags&hasExtents != 0 {
		it.Extents = []fingerprint.Extent{}
		for range s.length() {
			it.Extents = append(it.Extents, fingerprint.Extent{Off: s.size(), Len: s.size()})
			if s.err != nil {
				return
			}
		}
	}
}

// end fails when something is left.
func (s *scanner) end() error {
	if s.err == nil && len(s.b) > 0 {
		s.err = errMalformed
	}
	return s.err
}

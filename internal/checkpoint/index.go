package checkpoint

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"sort"
)

// index says where everything lies. It is made from the packs; the file is
// only there to save the time.
type index struct {
	marks  []mark           // the packs as they were found
	ends   map[uint32]int64 // how far each pack is whole
	table  []byte           // sorted rows of contents
	fresh  map[[32]byte]place
	bad    map[place]bool // bodies that are not what their header says
	recs   []known        // in the order in which they were written
	byID   map[string]int
	packs  packs
	listed int // chunks that the file does not have
}

// known is a record as the index has it.
type known struct {
	Info
	parent string
	weight int64
	at     place
}

// rowSize is the length of one row of the table: SHA-256, pack, offset, size.
const rowSize = 32 + 4 + 8 + 8

// openIndex finds out what the set holds now.
func (s *Set) openIndex() (*index, error) {
	marks, err := s.marks()
	if err != nil {
		return nil, err
	}
	idx := s.readIndex()
	if idx == nil || !idx.fits(marks) {
		idx = newIndex()
	}
	idx.marks = marks
	for _, m := range marks {
		if err := idx.catchUp(s, m); err != nil {
			idx.packs.close()
			return nil, err
		}
	}
	return idx, nil
}

func newIndex() *index {
	return &index{ends: map[uint32]int64{}, fresh: map[[32]byte]place{}, bad: map[place]bool{}, byID: map[string]int{}}
}

// fits reports whether the index is about these packs: none is missing or
// shorter.
func (x *index) fits(marks []mark) bool {
	size := map[uint32]int64{}
	for _, m := range marks {
		size[m.pack] = m.size
	}
	for n, end := range x.ends {
		if s, ok := size[n]; !ok || s < end {
			return false
		}
	}
	return true
}

// catchUp takes up what a pack has got since.
func (x *index) catchUp(s *Set, m mark) error {
	from := x.ends[m.pack]
	if from == m.size {
		return nil
	}
	f, err := x.packs.get(s, m.pack)
	if err != nil {
		return trouble("open a pack", err)
	}
	x.ends[m.pack], err = walk(f, from, m.size, func(h head, body int64) error {
		return x.take(f, h, place{pack: m.pack, off: body, size: h.size})
	})
	return trouble("read a pack", err)
}

// take takes up one chunk.
func (x *index) take(r io.ReaderAt, h head, at place) error {
	x.listed++
	switch h.kind {
	case aContent:
		x.fresh[h.sha] = at
	case anEpoch:
		x.recs, x.byID = nil, map[string]int{}
	case aRecord:
		top := make([]byte, min(at.size, maxTop))
		if _, err := r.ReadAt(top, at.off); err != nil && err != io.EOF {
			return err
		}
		rec, err := decodeTop(top)
		if err != nil {
			x.bad[at] = true
			return nil
		}
		x.addRecord(known{Info: rec.Info, parent: rec.parent, weight: rec.weight, at: at})
	}
	return nil
}

func (x *index) addRecord(k known) {
	if i, ok := x.byID[k.ID]; ok {
		x.recs[i] = k
		return
	}
	x.byID[k.ID] = len(x.recs)
	x.recs = append(x.recs, k)
}

// content finds a content.
func (x *index) content(sha [32]byte) (place, bool) {
	at, ok := x.fresh[sha]
	if !ok {
		at, ok = x.row(sha)
	}
	return at, ok && !x.bad[at]
}

func (x *index) row(sha [32]byte) (place, bool) {
	n := len(x.table) / rowSize
	i := sort.Search(n, func(i int) bool { return bytes.Compare(x.table[i*rowSize:i*rowSize+32], sha[:]) >= 0 })
	if i == n || !bytes.Equal(x.table[i*rowSize:i*rowSize+32], sha[:]) {
		return place{}, false
	}
	return readRow(x.table[i*rowSize:]), true
}

func readRow(b []byte) place {
	return place{
		pack: binary.LittleEndian.Uint32(b[32:]),
		off:  int64(binary.LittleEndian.Uint64(b[36:])),
		size: int64(binary.LittleEndian.Uint64(b[44:])),
	}
}

func appendRow(b []byte, sha [32]byte, at place) []byte {
	b = append(b, sha[:]...)
	b = binary.LittleEndian.AppendUint32(b, at.pack)
	b = binary.LittleEndian.AppendUint64(b, uint64(at.off))
	return binary.LittleEndian.AppendUint64(b, uint64(at.size))
}

// withState finds the checkpoint of a state.
func (x *index) withState(state [32]byte) (known, bool) {
	for i := len(x.recs) - 1; i >= 0; i-- {
		if x.recs[i].State == state {
			return x.recs[i], true
		}
	}
	return known{}, false
}

// rows is the whole table, sorted; of two places the later counts.
func (x *index) rows() []byte {
	fresh := make([][32]byte, 0, len(x.fresh))
	for sha, at := range x.fresh {
		if !x.bad[at] {
			fresh = append(fresh, sha)
		}
	}
	slices.SortFunc(fresh, func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	out := make([]byte, 0, len(x.table)+len(fresh)*rowSize)
	old := x.table
	for _, sha := range fresh {
		for len(old) > 0 && bytes.Compare(old[:32], sha[:]) <= 0 {
			if !bytes.Equal(old[:32], sha[:]) && !x.bad[readRow(old)] {
				out = append(out, old[:rowSize]...)
			}
			old = old[rowSize:]
		}
		out = appendRow(out, sha, x.fresh[sha])
	}
	for ; len(old) > 0; old = old[rowSize:] {
		if !x.bad[readRow(old)] {
			out = append(out, old[:rowSize]...)
		}
	}
	return out
}

package checkpoint

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"
)

// recordVersion is the version that this package writes.
const recordVersion = 1

// record is a checkpoint as it is written: all of its items, or what differs
// from an earlier checkpoint.
type record struct {
	Info
	parent string // the earlier checkpoint; empty: the record holds everything
	// weight is the length of all records from the last one that holds
	// everything up to this one.
	weight int64
	roots  []string
	rules  []string
	gone   []string // paths of the parent that are not in this one
	items  []item
}

func (r *record) append(b []byte) []byte {
	b = binary.AppendUvarint(b, recordVersion)
	b = appendText(b, r.ID)
	b = binary.AppendVarint(b, r.Time.UnixNano())
	b = append(b, r.State[:]...)
	b = append(b, bit(r.Partial))
	b = binary.AppendUvarint(b, uint64(r.Files))
	b = binary.AppendUvarint(b, uint64(r.Bytes))
	b = appendText(b, r.parent)
	b = binary.AppendUvarint(b, uint64(r.weight))
	// A reader that only wants to know what there is stops here.
	b = appendTexts(b, r.roots)
	b = appendTexts(b, r.rules)
	b = appendPaths(b, r.gone)
	return appendItems(b, r.items, inRecord)
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

var errNewer = errors.New("written by a newer counterstep")

// readTop reads the first part of a record.
func (s *scanner) readTop() (r record) {
	if v := s.uint(); v != recordVersion && s.err == nil {
		s.fail()
		s.err = errNewer
	}
	r.ID = s.text()
	r.Time = time.Unix(0, s.int()).UTC()
	r.State = s.hash()
	r.Partial = s.byte() == 1
	r.Files = int(s.size())
	r.Bytes = s.size()
	r.parent = s.text()
	r.weight = s.size()
	if r.ID == "" || r.parent == r.ID {
		s.fail()
	}
	return r
}

// decodeRecord reads a whole record.
func decodeRecord(b []byte) (record, error) {
	s := scan(b)
	r := s.readTop()
	r.roots, r.rules = s.texts(), s.texts()
	r.gone = s.paths()
	r.items = s.items(inRecord)
	return r, s.end()
}

// maxTop is more than the first part of a record takes.
const maxTop = 1024

// decodeTop reads the first part of a record from its beginning.
func decodeTop(b []byte) (record, error) {
	s := scan(b)
	r := s.readTop()
	return r, s.err
}

// compare lists what a record of after must hold when before is known. Both
// are sorted.
func compare(before, after []item) (gone []string, changed []item) {
	i := 0
	for j := range after {
		for i < len(before) && before[i].Path < after[j].Path {
			gone = append(gone, before[i].Path)
			i++
		}
		if i < len(before) && before[i].Path == after[j].Path {
			if !same(&before[i], &after[j]) {
				changed = append(changed, after[j])
			}
			i++
			continue
		}
		changed = append(changed, after[j])
	}
	for ; i < len(before); i++ {
		gone = append(gone, before[i].Path)
	}
	return gone, changed
}

// state is a set of items by path: a long chain of records is applied to it, and
// sorted once.
type state map[string]*item

// apply brings the state forward by one record.
func (st state) apply(r *record) {
	for _, p := range r.gone {
		delete(st, p)
	}
	for i := range r.items {
		st[r.items[i].Path] = &r.items[i]
	}
}

func (st state) items() []item {
	out := make([]item, 0, len(st))
	for _, it := range st {
		out = append(out, *it)
	}
	slices.SortFunc(out, func(a, b item) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// totals fill in what Info says about items.
func (i *Info) totals(items []item) {
	i.Partial, i.Files, i.Bytes = false, 0, 0
	for k := range items {
		it := &items[k]
		if it.file() {
			i.Files++
			i.Bytes += it.Size
		}
		i.Partial = i.Partial || it.why.partial()
	}
}

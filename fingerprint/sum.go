package fingerprint

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Sum is the fingerprint of entries: xxhash64 over their canonical form, in
// the order of their paths whatever their order here. Counted are path, type,
// mode, size, content hash, link target, link groups (which paths are one
// inode, not the group's number), extended attributes and device numbers.
// Times, owner, device and inode, holes, the mode of a link and where the
// content is stored are not.
func Sum(entries []Entry) uint64 {
	byPath := func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(entries, byPath) {
		entries = slices.Clone(entries)
		slices.SortFunc(entries, byPath)
	}
	groups := renumber(entries)
	h := xxhash.New()
	buf := make([]byte, 0, 512)
	for i := range entries {
		buf = appendCanonical(buf[:0], &entries[i], groups[entries[i].Group])
		h.Write(buf)
	}
	return h.Sum64()
}

// SumUnder is the Sum of those entries that are at or below one of prefixes.
func SumUnder(entries []Entry, prefixes ...string) uint64 {
	var under []Entry
	for _, e := range entries {
		if slices.ContainsFunc(prefixes, func(p string) bool { return isUnder(e.Path, p) }) {
			under = append(under, e)
		}
	}
	return Sum(under)
}

// Hex is a fingerprint as 16 hexadecimal digits.
func Hex(sum uint64) string { return fmt.Sprintf("%016x", sum) }

// Rebase returns a copy of entries in which every path at or below from is at
// or below to instead, so that a shadow compares with the real thing. Other
// entries are left out.
func Rebase(entries []Entry, from, to string) []Entry {
	out := make([]Entry, 0, len(entries))
	for _, e := range entries {
		if !isUnder(e.Path, from) {
			continue
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(e.Path, strings.TrimSuffix(from, "/")), "/")
		switch {
		case rest == "":
			e.Path = to
		default:
			e.Path = strings.TrimSuffix(to, "/") + "/" + rest
		}
		out = append(out, e)
	}
	return out
}

// Equal reports whether a and b are the same state: everything that [Sum]
// counts but path and link group.
func Equal(a, b Entry) bool {
	if a.Type != b.Type {
		return false
	}
	a.Path, b.Path = "", ""
	return string(appendCanonical(nil, &a, 0)) == string(appendCanonical(nil, &b, 0))
}

// renumber maps group numbers to numbers that depend on the paths alone: 1, 2,
// … in the order of the first path. A group of one is none.
func renumber(sorted []Entry) map[int]int {
	var groups map[int]int
	size := map[int]int{}
	for i := range sorted {
		if g := sorted[i].Group; g != 0 {
			size[g]++
		}
	}
	for i := range sorted {
		g := sorted[i].Group
		if g == 0 || size[g] < 2 || groups[g] != 0 {
			continue
		}
		if groups == nil {
			groups = map[int]int{}
		}
		groups[g] = len(groups) + 1
	}
	return groups
}

// appendCanonical writes what counts. Every part has a length or a fixed size,
// so two different states never give the same bytes.
func appendCanonical(b []byte, e *Entry, group int) []byte {
	b = appendString(b, e.Path)
	b = append(b, byte(e.Type))
	if e.Type == Absent {
		return b
	}
	if e.Type != Symlink { // the mode of a link means nothing
		b = binary.AppendUvarint(b, uint64(e.Mode))
	}
	switch e.Type {
	case File:
		b = binary.AppendUvarint(b, uint64(e.Size))
		b = binary.BigEndian.AppendUint64(b, e.XXH)
	case Symlink:
		b = appendString(b, e.Target)
	case Block, Char:
		b = binary.AppendUvarint(b, e.Rdev)
	}
	b = binary.AppendUvarint(b, uint64(group))
	b = binary.AppendUvarint(b, uint64(len(e.Xattrs)))
	for _, x := range e.Xattrs {
		b = appendString(b, x.Name)
		b = appendString(b, x.Value)
	}
	return b
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// isUnder reports whether path is dir or below it.
func isUnder(path, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

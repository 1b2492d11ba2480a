package checkpoint

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/counterstep/counterstep/fingerprint"
)

// form says which fields of an item are written.
type form uint8

const (
	inState  form = iota // what identifies a state: no inode, unless it is shared
	inRecord             // what a record holds
	inCache              // and the ctime
)

// Bits of an item's flag byte.
const (
	hasWhy = 1 << iota
	hasInode
	hasXattrs
	hasExtents
	allFlags = hasWhy | hasInode | hasXattrs | hasExtents
)

// appendItem writes an item. Its path is written as what differs from prev.
func appendItem(b []byte, prev string, it *item, f form) []byte {
	b = appendPath(b, prev, it.Path)
	var flags byte
	if it.why != Held {
		flags |= hasWhy
	}
	if f != inState || it.Type == fingerprint.File && it.Links > 1 {
		flags |= hasInode
	}
	if len(it.Xattrs) > 0 {
		flags |= hasXattrs
	}
	if it.Extents != nil {
		flags |= hasExtents
	}
	b = append(b, byte(it.Type), flags)
	if it.why != Held {
		b = append(b, byte(it.why))
	}
	for _, n := range [...]uint64{uint64(it.Mode), uint64(it.UID), uint64(it.GID)} {
		b = binary.AppendUvarint(b, n)
	}
	b = binary.AppendVarint(b, it.MTime)
	if flags&hasInode != 0 {
		b = binary.AppendUvarint(b, uint64(it.Links))
		b = binary.AppendUvarint(b, it.Dev)
		b = binary.AppendUvarint(b, it.Ino)
	}
	switch it.Type {
	case fingerprint.File:
		b = binary.AppendUvarint(b, uint64(it.Size))
		if it.why == Held {
			b = binary.LittleEndian.AppendUint64(b, it.XXH)
			b = append(b, it.SHA[:]...)
		}
	case fingerprint.Symlink:
		b = appendText(b, it.Target)
	case fingerprint.Block, fingerprint.Char:
		b = binary.AppendUvarint(b, it.Rdev)
	}
	b = appendRare(b, it)
	if f == inCache {
		b = binary.AppendVarint(b, it.ctime)
	}
	return b
}

// appendRare writes what few things have.
func appendRare(b []byte, it *item) []byte {
	if len(it.Xattrs) > 0 {
		b = binary.AppendUvarint(b, uint64(len(it.Xattrs)))
		for _, x := range it.Xattrs {
			b = appendText(appendText(b, x.Name), x.Value)
		}
	}
	if it.Extents != nil {
		b = binary.AppendUvarint(b, uint64(len(it.Extents)))
		for _, x := range it.Extents {
			b = binary.AppendUvarint(b, uint64(x.Off))
			b = binary.AppendUvarint(b, uint64(x.Len))
		}
	}
	return b
}

// appendPath writes how many bytes a path shares with the one before, and the
// rest.
func appendPath(b []byte, prev, path string) []byte {
	n := 0
	for n < len(prev) && n < len(path) && prev[n] == path[n] {
		n++
	}
	b = binary.AppendUvarint(b, uint64(n))
	return appendText(b, path[n:])
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendTexts(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendText(b, s)
	}
	return b
}

// appendItems writes sorted items, their number first.
func appendItems(b []byte, items []item, f form) []byte {
	b = binary.AppendUvarint(b, uint64(len(items)))
	prev := ""
	for i := range items {
		b = appendItem(b, prev, &items[i], f)
		prev = items[i].Path
	}
	return b
}

// appendPaths writes sorted paths, their number first.
func appendPaths(b []byte, paths []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(paths)))
	prev := ""
	for _, p := range paths {
		b = appendPath(b, prev, p)
		prev = p
	}
	return b
}

// stateOf identifies a state, and says how many bytes a record of all of it
// takes, more or less.
func stateOf(roots, rules []string, items []item) (state [32]byte, size int64) {
	b := make([]byte, 0, 96*len(items)+256)
	b = appendTexts(b, roots)
	b = appendTexts(b, rules)
	b = appendItems(b, items, inState)
	return sha256.Sum256(b), int64(len(b))
}

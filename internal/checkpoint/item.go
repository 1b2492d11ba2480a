package checkpoint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
)

// item is one thing of a checkpoint.
type item struct {
	fingerprint.Entry
	why   Reason
	ctime int64 // only in the cache
}

// find looks a path up in sorted items.
func find(items []item, path string) (int, bool) {
	return slices.BinarySearchFunc(items, path, func(it item, p string) int { return cmp.Compare(it.Path, p) })
}

// same reports whether two items would be recorded alike.
func same(a, b *item) bool {
	return a.Path == b.Path && a.Type == b.Type && a.why == b.why && a.Mode == b.Mode &&
		a.UID == b.UID && a.GID == b.GID && a.MTime == b.MTime && a.Size == b.Size &&
		a.SHA == b.SHA && a.XXH == b.XXH && a.Target == b.Target && a.Rdev == b.Rdev &&
		a.Links == b.Links && a.Dev == b.Dev && a.Ino == b.Ino &&
		slices.Equal(a.Xattrs, b.Xattrs) && slices.Equal(a.Extents, b.Extents) && (a.Extents == nil) == (b.Extents == nil)
}

// settle brings an item into the form in which it is recorded.
func (it *item) settle() {
	it.ATime, it.Group, it.Off, it.Big = it.MTime, 0, 0, 0
	if it.why == Held {
		return
	}
	it.XXH, it.SHA, it.Extents = 0, [32]byte{}, nil
	if it.Type == fingerprint.Dir {
		it.Entry = fingerprint.Entry{Path: it.Path, Type: fingerprint.Dir}
	}
}

// file reports whether the item has a content that is held.
func (it *item) file() bool { return it.Type == fingerprint.File && it.why == Held }

// number gives the paths of one inode a common group.
func number(entries []fingerprint.Entry) {
	type inode struct{ dev, ino uint64 }
	first := map[inode]int{}
	groups := 0
	for i := range entries {
		e := &entries[i]
		e.Group = 0
		if e.Links < 2 || e.Type == fingerprint.Dir || e.Ino == 0 {
			continue
		}
		key := inode{e.Dev, e.Ino}
		j, ok := first[key]
		switch {
		case !ok:
			first[key] = i
		case entries[j].Group == 0:
			groups++
			entries[j].Group, e.Group = groups, groups
		default:
			e.Group = entries[j].Group
		}
	}
}

// isUnder reports whether path is dir or below it.
func isUnder(path, dir string) bool {
	dir = strings.TrimSuffix(dir, "/")
	return strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

// unseen says why nothing is known of a path that is no item: Held when it is
// known that nothing was there.
func (c *Checkpoint) unseen(path string) Reason {
	for {
		if slices.Contains(c.Roots, path) {
			return Held
		}
		slash := strings.LastIndexByte(path, '/')
		if slash <= 0 {
			return Outside
		}
		path = path[:slash]
		if i, ok := find(c.items, path); ok {
			it := &c.items[i]
			switch {
			case it.why != Held && it.Type == fingerprint.Dir:
				return it.why
			case it.why == Held:
				return Held
			}
		}
	}
}

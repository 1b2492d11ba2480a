package checkpoint

import (
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
)

// Change is a path that differs between two checkpoints.
type Change struct {
	Path string
	// Pre and Post are what was there: type Absent when nothing was. They say so
	// only as far as PreWhy and PostWhy are Held; otherwise the checkpoint does
	// not know, and nothing may be concluded from an Absent.
	Pre, Post       fingerprint.Entry
	PreWhy, PostWhy Reason
}

// Known reports whether both sides are known.
func (c Change) Known() bool { return c.PreWhy == Held && c.PostWhy == Held }

// TimesOnly reports that nothing differs but when it was changed, or, for a
// file, which inode it is.
func (c Change) TimesOnly() bool {
	return c.Known() && fingerprint.Equal(c.Pre, c.Post) && c.Pre.Type != fingerprint.Absent &&
		c.Pre.UID == c.Post.UID && c.Pre.GID == c.Post.GID
}

// Diff lists what differs between two checkpoints of a set, sorted by path.
// Paths that one of them did not look at at all are left out. Entries are as
// those of [Checkpoint.Entries], without link groups.
func Diff(pre, post *Checkpoint) []Change {
	var out []Change
	pair(pre.items, post.items, func(a, b *item) {
		if a != nil && b != nil && alike(a, b) {
			return
		}
		c := Change{}
		if a != nil {
			c.Path, c.Pre, c.PreWhy = a.Path, a.Entry, a.why
		}
		if b != nil {
			c.Path, c.Post, c.PostWhy = b.Path, b.Entry, b.why
		}
		if a == nil {
			c.Pre, c.PreWhy = pre.Entry(c.Path)
		}
		if b == nil {
			c.Post, c.PostWhy = post.Entry(c.Path)
		}
		if c.PreWhy != Outside && c.PostWhy != Outside {
			out = append(out, c)
		}
	})
	return out
}

// alike reports whether two items are the same state, times included, inode
// numbers not.
func alike(a, b *item) bool {
	if !a.shared() && !b.shared() {
		x := *a
		x.Links, x.Dev, x.Ino = b.Links, b.Dev, b.Ino
		return same(&x, b)
	}
	return same(a, b)
}

// shared reports whether the item may be one of several paths of an inode.
func (it *item) shared() bool { return it.Type == fingerprint.File && it.Links > 1 }

// pair calls f for every path of two sorted lists, with nil where it is not in
// one of them.
func pair(a, b []item, f func(a, b *item)) {
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].Path < b[j].Path:
			f(&a[i], nil)
			i++
		case i == len(a) || b[j].Path < a[i].Path:
			f(nil, &b[j])
			j++
		default:
			f(&a[i], &b[j])
			i++
			j++
		}
	}
}

// Under lists the entries at and below a path, with link groups.
func (c *Checkpoint) Under(path string) []fingerprint.Entry {
	from, _ := slices.BinarySearchFunc(c.items, path, func(it item, p string) int { return strings.Compare(it.Path, p) })
	var out []fingerprint.Entry
	for i := from; i < len(c.items) && strings.HasPrefix(c.items[i].Path, path); i++ {
		if it := &c.items[i]; it.why == Held && isUnder(it.Path, path) {
			out = append(out, it.Entry)
		}
	}
	number(out)
	return out
}

package checkpoint

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// recheck makes sure that the contents of the old items that stand for
// something are held, now that it is known what is.
func (t *taking) recheck() {
	t.unread = t.unread[:0]
	for i, s := range t.seen {
		if s.Trouble != nil || !t.worth(s) {
			continue
		}
		if t.from[i] = t.resumed(s); t.from[i] < 0 {
			t.unread = append(t.unread, s)
		}
	}
}

// resumed finds the old item that stands for a thing; -1 when there is none, or
// when its content is not held.
func (t *taking) resumed(s *workspace.Seen) int {
	i, ok := find(t.old.items, s.Path)
	if !ok {
		return -1
	}
	it := &t.old.items[i]
	if !t.alike(s, it) || !t.old.trusted(it) || !it.why.lasting() {
		return -1
	}
	if it.file() {
		if _, ok := t.idx.content(it.SHA); !ok {
			return -1
		}
	}
	return i
}

// read reads the files, the small ones first, so that a budget that runs out
// leaves out few.
func (t *taking) read(ctx context.Context, k *sink) error {
	slices.SortFunc(t.unread, func(a, b *workspace.Seen) int {
		return cmp.Or(cmp.Compare(bulk(a), bulk(b)), strings.Compare(a.Path, b.Path))
	})
	lead, follow := leaders(t.unread)
	err := t.view.Read(ctx, lead, workspace.ReadOptions{Sink: k, Stop: func() error {
		if t.o.over() {
			return leave{OverBudget}
		}
		return nil
	}})
	if err != nil {
		return err
	}
	for _, s := range lead {
		if s.Type == fingerprint.File && reasonOf(s.Trouble) != OverBudget {
			t.stats.Opened++
		}
	}
	var rest []*workspace.Seen
	for _, f := range follow {
		if !f.adopt() {
			rest = append(rest, f.Seen)
		}
	}
	t.stats.Opened += len(rest)
	return t.view.Read(ctx, rest, workspace.ReadOptions{Sink: k})
}

// bulk puts small files before large ones, and those by size.
func bulk(s *workspace.Seen) int64 {
	if s.Type != fingerprint.File || s.Size < workspace.BigFile {
		return 0
	}
	return s.Size
}

// follower is another path of an inode that is read elsewhere.
type follower struct {
	*workspace.Seen
	of *workspace.Seen
}

// adopt takes over what was read at the other path, if it is still the same
// inode in the same state.
func (f follower) adopt() bool {
	if f.of.Type != fingerprint.File || f.of.Ino != f.Ino || f.of.Dev != f.Dev || f.of.CTime != f.CTime {
		return false
	}
	path := f.Path
	f.Entry, f.Trouble = f.of.Entry, f.of.Trouble
	f.Path = path
	return true
}

// leaders leaves one path of each inode to be read.
func leaders(list []*workspace.Seen) (lead []*workspace.Seen, follow []follower) {
	type inode struct{ dev, ino uint64 }
	first := map[inode]*workspace.Seen{}
	for _, s := range list {
		if s.Type != fingerprint.File || s.Links < 2 {
			lead = append(lead, s)
			continue
		}
		key := inode{s.Dev, s.Ino}
		if l, ok := first[key]; ok {
			follow = append(follow, follower{s, l})
			continue
		}
		first[key] = s
		lead = append(lead, s)
	}
	return lead, follow
}

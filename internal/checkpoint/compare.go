package checkpoint

import (
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// compare finds out what has to be read. With sure, the contents of the old
// items are known to be held.
func (t *taking) compare(sure bool) {
	at := make(map[string]int, len(t.old.items))
	for i := range t.old.items {
		at[t.old.items[i].Path] = i
	}
	t.seen = make([]*workspace.Seen, 0, len(at)+64)
	t.from = make([]int, 0, len(at)+64)
	t.view.Each(func(s *workspace.Seen) {
		if isGitLock(s.Path) && s.Type == fingerprint.File {
			return
		}
		t.stats.Looked++
		t.seen = append(t.seen, s)
		t.from = append(t.from, -1)
		i, known := at[s.Path]
		if known && t.alike(s, &t.old.items[i]) {
			it := &t.old.items[i]
			stands := t.old.trusted(it) && it.why.lasting() && (sure || !it.file())
			if stands || s.Trouble != nil {
				t.from[len(t.from)-1] = i
				t.same++
				return
			}
		}
		if s.Trouble == nil && t.worth(s) {
			t.unread = append(t.unread, s)
		}
	})
}

// alike reports whether what is seen looks as the item did.
func (t *taking) alike(s *workspace.Seen, it *item) bool {
	if s.Trouble != nil {
		return it.why == reasonOf(s.Trouble) && it.Type == s.Type
	}
	if it.Type == fingerprint.File && (it.why == TooLarge) == t.worth(s) {
		return false
	}
	return it.ctime == s.CTime && it.Type == s.Type && it.Ino == s.Ino && it.MTime == s.MTime &&
		it.Size == s.Size && it.Mode == s.Mode && it.UID == s.UID && it.GID == s.GID && it.Links == s.Links
}

// worth reports whether a thing is to be read at all.
func (t *taking) worth(s *workspace.Seen) bool {
	return s.Type != fingerprint.File || t.o.SizeCap <= 0 || s.Size <= t.o.SizeCap
}

// unchanged reports whether nothing differs from the old cache.
func (t *taking) unchanged() bool {
	return t.same == len(t.old.items) && t.same == len(t.seen) &&
		slices.Equal(t.old.roots, t.new.roots) && slices.Equal(t.old.rules, t.new.rules)
}

// items is the state, sorted.
func (t *taking) items() []item {
	out := make([]item, 0, len(t.seen))
	for i, s := range t.seen {
		if s.Type == fingerprint.Absent {
			continue // gone before it was read
		}
		if j := t.from[i]; j >= 0 {
			it := t.old.items[j]
			it.Dev = s.Dev
			it.settle()
			out = append(out, it)
			continue
		}
		it := item{Entry: s.Entry, ctime: s.CTime, why: reasonOf(s.Trouble)}
		if s.Trouble == nil && !t.worth(s) {
			it.why = TooLarge
		}
		it.settle()
		out = append(out, it)
	}
	slices.SortFunc(out, func(a, b item) int { return strings.Compare(a.Path, b.Path) })
	return out
}

package checkpoint

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/workspace"
)

// Take records the state of a workspace. When it returns without an error the
// checkpoint survives a power cut. A state that is held already is not recorded
// again: the checkpoint is then the earlier one.
//
// A file that did not change since the last Take is looked at, not opened.
// What cannot be held (see [Reason]) is named in the checkpoint and is no
// error; trouble with the set itself, and the end of ctx, are, and then nothing
// was recorded. A program that writes into memory it has mapped shows no sign of
// it until the system writes the page back; such a change may be seen late.
func (s *Set) Take(ctx context.Context, o Options) (*Checkpoint, error) {
	unlock, err := durable.Lock(ctx, s.lock)
	if err != nil {
		return nil, err
	}
	defer unlock()
	t := &taking{set: s, o: o, old: &cache{}}
	return t.take(ctx)
}

// taking is one Take.
type taking struct {
	set   *Set
	o     Options
	old   *cache
	new   cache
	stats Stats

	view *workspace.View
	seen []*workspace.Seen
	// from[i] is the item of the old cache that stands for seen[i]; -1: none.
	from   []int
	unread []*workspace.Seen
	same   int // items that are as they were

	idx *index // nil while it is not needed
}

func (t *taking) take(ctx context.Context) (*Checkpoint, error) {
	var err error
	if t.new.stamp, err = t.set.stamp(); err != nil {
		return nil, err
	}
	if old := t.set.readCache(); old != nil {
		t.old = old
	}
	if err := t.survey(ctx); err != nil {
		return nil, err
	}
	defer t.view.Close()
	marks, err := t.set.marks()
	if err != nil {
		return nil, err
	}
	sure := t.old.ID != "" && slices.Equal(marks, t.old.marks)
	t.compare(sure)
	if sure && len(t.unread) == 0 && t.unchanged() {
		return t.again(t.old), nil
	}
	return t.record(ctx)
}

// survey looks at the workspace.
func (t *taking) survey(ctx context.Context) (err error) {
	o := &t.o
	excludes := o.Excludes
	if excludes == nil {
		excludes = DefaultExcludes()
	}
	x := newExcluder(excludes, o.Leave)
	t.new.roots = append([]string{o.Root}, o.Also...)
	t.new.rules = rules(excludes, o)
	t.view, err = workspace.Survey(ctx, t.new.roots, workspace.SurveyOptions{
		Workers: o.Workers,
		Leave: func(dir string) error {
			if r := x.reason(dir); r != Held {
				return leave{r}
			}
			if o.over() {
				return leave{OverBudget}
			}
			return nil
		},
	})
	if err != nil {
		return fmt.Errorf("look at the workspace: %w", err)
	}
	return nil
}

// rules say what was left out, in words.
func rules(excludes []Exclude, o *Options) []string {
	out := make([]string, 0, len(excludes)+2)
	for _, e := range excludes {
		out = append(out, e.String())
	}
	out = append(out, "objects of git, locks of git")
	if o.SizeCap > 0 {
		out = append(out, fmt.Sprintf("files over %d bytes", o.SizeCap))
	}
	for _, d := range o.Leave {
		out = append(out, d)
	}
	return out
}

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

// again hands out the checkpoint of a cache.
func (t *taking) again(c *cache) *Checkpoint {
	return &Checkpoint{
		Info: c.Info, Roots: c.roots, Rules: c.rules, Found: true,
		Stats: t.stats, items: c.items, set: t.set,
	}
}

// record reads what has to be read and records the state if it is new.
func (t *taking) record(ctx context.Context) (*Checkpoint, error) {
	var err error
	if t.idx, err = t.set.openIndex(); err != nil {
		return nil, err
	}
	defer t.idx.packs.close()
	syncs, err := t.set.catchUp(ctx, t.idx, t.old.marks)
	t.stats.Syncs += syncs
	if err != nil {
		return nil, err
	}
	t.recheck()
	k := &sink{set: t.set, idx: t.idx, stats: &t.stats, done: t.progress()}
	synced := false
	defer func() {
		if k.out != nil {
			k.out.close(synced)
		}
	}()
	if err := t.read(ctx, k); err != nil {
		return nil, err
	}
	t.new.items = t.items()
	found, err := t.store(k)
	if err != nil {
		return nil, err
	}
	if k.out != nil {
		if err := k.out.sync(); err != nil {
			return nil, err
		}
		synced = true
		t.stats.Syncs += k.out.syncs
	}
	if err := fail.Point("checkpoint.synced"); err != nil {
		return nil, trouble("after the sync", err)
	}
	t.keep(k)
	c := t.again(&t.new)
	c.Found = found
	return c, nil
}

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

// progress returns what the sink calls after each file.
func (t *taking) progress() func() {
	files := 0
	return func() {
		files++
		if t.o.Progress != nil && files%64 == 0 {
			t.o.Progress(files, t.stats.Read)
		}
	}
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

package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	if o.ID == "" || len(o.ID) > 64 {
		return nil, errors.New("a checkpoint needs an id of at most 64 bytes")
	}
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
	return append(out, o.Leave...)
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

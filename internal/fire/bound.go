package fire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// bounded adds to the scope what a call with unknown writes changed: what
// differs between the checkpoints before and after it. Where the call was never
// settled, the present takes the place of the latter, and then only what is
// gone comes back.
func (j *job) bounded(ctx context.Context, e *Engine) error {
	b := j.call.Bound
	if b == nil {
		return nil
	}
	set := checkpoint.In(e.Store)
	pre, err := set.Load(b.Checkpoint)
	if errors.Is(err, checkpoint.ErrGone) {
		return hint.New("counterstep show "+short(j.saga.ID), "the checkpoint before %s is gone", short(j.saga.ID))
	}
	if err != nil {
		return err
	}
	j.checkpoint = pre
	var post *checkpoint.Checkpoint
	if b.Post != "" {
		post, err = set.Load(b.Post)
	} else {
		j.settled = false
		post, err = e.now(ctx, set, b)
	}
	if err != nil {
		return err
	}
	j.left = post
	j.held = map[string]bool{}
	parents := map[string]bool{}
	j.relocated(pre, post, string(b.Root))
	for _, c := range checkpoint.Diff(pre, post) {
		if !slices.ContainsFunc(j.step().Moves, func(m inverse.Move) bool {
			return inverse.Within(c.Path, string(m.From)) || inverse.Within(c.Path, string(m.To))
		}) {
			j.change(c, parents)
		}
	}
	if j.settled {
		j.housekept(ctx, parents)
	}
	j.groups(pre, post, string(b.Root), parents)
	for dir := range parents {
		j.parent(pre, dir)
	}
	slices.SortFunc(j.pre, func(a, b fingerprint.Entry) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// now takes a checkpoint of the present.
func (e *Engine) now(ctx context.Context, set *checkpoint.Set, b *inverse.Bound) (*checkpoint.Checkpoint, error) {
	also := make([]string, len(b.Also))
	for i, d := range b.Also {
		also[i] = string(d)
	}
	leave := filepath.Dir(e.Store.Dir()) // all stores lie there
	return set.Take(ctx, checkpoint.Options{ID: e.NewID(), Root: string(b.Root), Also: also, Leave: []string{leave, e.Store.Dir()}, Now: e.Now})
}

// relocated leaves only those renames to be taken back as such of which both
// checkpoints say that nothing else happened to what was moved. All others are
// what the checkpoints say: something that is gone, and something new. Of what
// came from or went beyond root, or was left out, they say nothing.
func (j *job) relocated(pre, post *checkpoint.Checkpoint, root string) {
	var moves []inverse.Move
	for _, m := range j.step().Moves {
		was, is := pre.Under(string(m.From)), post.Under(string(m.To))
		_, why := pre.Entry(string(m.From))
		beyond := why != checkpoint.Held || !inverse.Within(string(m.From), root) || !inverse.Within(string(m.To), root)
		whole := beyond || len(was) == len(is) && len(post.Under(string(m.From))) == 0
		for i := 0; whole && !beyond && i < len(was); i++ {
			moved := is[i]
			moved.Path = string(m.From) + strings.TrimPrefix(moved.Path, string(m.To))
			whole = inverse.Same(was[i], moved)
		}
		if whole {
			moves = append(moves, m)
		}
	}
	j.call.Step.Moves = moves
}

// change takes one difference into the scope, unless the exact scope has it.
func (j *job) change(c checkpoint.Change, parents map[string]bool) {
	named := func(r inverse.Root) bool {
		return c.Path == string(r.Path) || r.Tree && inverse.Within(c.Path, string(r.Path))
	}
	if slices.ContainsFunc(j.step().Roots, named) || slices.ContainsFunc(j.call.Bound.Others, named) {
		return
	}
	if workspace.IsTemp(c.Path, j.saga.ID) {
		return // of a firing that was interrupted
	}
	if !c.Known() {
		why := c.PreWhy
		if why == checkpoint.Held {
			why = c.PostWhy
		}
		if why != checkpoint.Excluded && why != checkpoint.GitObjects {
			j.skipped = append(j.skipped, Line{Path: c.Path, Do: "keep", Status: workspace.StatusSkipped, Reason: "not held: " + why.String()})
		}
		return
	}
	if c.TimesOnly() && c.Pre.Group == 0 && (c.Pre.Type != fingerprint.File || c.Pre.MTime == c.Post.MTime) {
		if c.Pre.Type == fingerprint.Dir {
			parents[c.Path] = true
		}
		return
	}
	parents[path.Dir(c.Path)] = true
	j.roots = append(j.roots, workspace.Root{Path: c.Path})
	j.pre = append(j.pre, c.Pre)
	j.post = append(j.post, c.Post)
	j.held[c.Path] = true
}

// groups tells which of the changed paths were names of one inode, and takes
// the names that did not change into the scope, so that all can become one file
// again.
func (j *job) groups(pre, post *checkpoint.Checkpoint, root string, parents map[string]bool) {
	linked := map[uint64]bool{}
	for _, e := range j.pre {
		if j.held[e.Path] && e.Type == fingerprint.File && e.Links > 1 {
			linked[e.Ino] = true
		}
	}
	if len(linked) == 0 {
		return
	}
	group := map[string]int{}
	for _, e := range pre.Under(root) {
		if e.Group == 0 || !linked[e.Ino] {
			continue
		}
		group[e.Path] = e.Group
		if left, why := post.Entry(e.Path); !j.held[e.Path] && why == checkpoint.Held {
			j.change(checkpoint.Change{Path: e.Path, Pre: e, Post: left}, parents)
		}
	}
	for i, e := range j.pre {
		if j.held[e.Path] {
			j.pre[i].Group = group[e.Path]
		}
	}
}

// parent remembers how a directory was, so that its time can be put back when
// its listing is what it was.
func (j *job) parent(pre *checkpoint.Checkpoint, dir string) {
	e, why := pre.Entry(dir)
	if why != checkpoint.Held || e.Type != fingerprint.Dir {
		return
	}
	var names []string
	for _, c := range pre.Under(dir) {
		if path.Dir(c.Path) == dir && c.Type != fingerprint.Absent {
			names = append(names, path.Base(c.Path))
		}
	}
	for _, g := range pre.Gaps() {
		if path.Dir(g.Path) == dir && !slices.Contains(names, path.Base(g.Path)) {
			names = append(names, path.Base(g.Path))
		}
	}
	slices.Sort(names)
	j.around = append(j.around, inverse.Parent{
		Path: inverse.Name(dir), MTime: e.MTime, Names: fingerprint.ContentOf([]byte(strings.Join(names, "\x00"))),
	})
}

// open reads held content, from the checkpoint or from the payload.
func (j *job) open(e fingerprint.Entry) (io.ReadCloser, error) {
	if m, ok := j.merged[e.Path]; ok && m.Text != nil && m.Entry.SHA == e.SHA {
		return io.NopCloser(bytes.NewReader(m.Text)), nil
	}
	if j.from != nil {
		return j.elsewhere(e)
	}
	if j.checkpoint != nil && j.held[j.source(e.Path)] {
		from, _ := j.checkpoint.Entry(j.source(e.Path))
		return j.checkpoint.Open(from)
	}
	return j.payload.Open(e)
}

// source is the path that content was held under: the armed version of a
// drifted file is written under another name.
func (j *job) source(p string) string {
	p = j.unsuffixed(p)
	if from, ok := j.follows[p]; ok {
		return from
	}
	return p
}

func (j *job) unsuffixed(p string) string {
	for at := p; at != "/" && at != "."; at = path.Dir(at) {
		if from, ok := strings.CutSuffix(at, ".counterstep-"+inverse.Tag(j.saga.ID)); ok {
			return from + p[len(at):]
		}
	}
	return p
}

// verify checks every held byte that firing needs.
func (j *job) verify(ctx context.Context, needed map[string]bool) error {
	for p := range needed {
		if !j.held[j.source(p)] {
			continue
		}
		from, _ := j.checkpoint.Entry(j.source(p))
		if from.Type != fingerprint.File {
			continue
		}
		r, err := j.checkpoint.Open(from)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, r)
		if err = errors.Join(err, r.Close()); err != nil {
			return fmt.Errorf("check what is held of %q: %w", p, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) close() {
	if j.payload != nil {
		j.payload.Close()
	}
	for _, c := range []*checkpoint.Checkpoint{j.checkpoint, j.left} {
		if c != nil {
			c.Close()
		}
	}
	if j.redo != nil {
		j.redo.Close()
	}
	if j.first != nil {
		j.first.close()
	}
}

// overlap refuses to fire what other calls may have changed, unless asked to.
func (j *job) overlap(o Options) error {
	b := j.call.Bound
	alone := b == nil || !slices.ContainsFunc(b.Shared, func(id string) bool { return !o.among[id] })
	if alone || o.Shared || o.DryRun {
		return nil
	}
	ids := make([]string, len(b.Shared))
	for i, id := range b.Shared {
		ids[i] = short(id)
	}
	return hint.New("counterstep fire "+short(j.saga.ID)+" --shared",
		"%s ran in the same time as %s, so what changed may be theirs; look with --dry-run", strings.Join(ids, ", "), short(j.saga.ID))
}

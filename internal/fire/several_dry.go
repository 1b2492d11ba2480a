package fire

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/merge"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// drySeveral says what firing calls one after the other, the newest first, would
// do with each path. What only one of them changed is compared with the present.
// An older call meets what the newer ones leave: of the paths that they share it
// says what becomes of what it left itself, as it will be when those were taken
// back exactly.
func (e *Engine) drySeveral(ctx context.Context, todo []ledger.Saga, o Options) ([]Fired, error) {
	out := []Fired{}
	newer := touched{map[string]string{}, map[string]string{}}
	for _, s := range todo {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := e.Fire(ctx, s, o)
		if _, other := errors.AsType[*untouchedError](err); other {
			continue
		}
		if err != nil {
			r = Result{ID: s.ID, Status: "would not fire", Armed: s.Armed.Fingerprint, Lines: []Line{}}
		}
		f := fired(s, r)
		if err != nil {
			f.Reason = hint.Clean(err.Error())
		} else {
			f.after(e.shared(ctx, s, o, newer))
		}
		f.Later = slices.DeleteFunc(f.Later, func(l Later) bool { return o.among[l.ID] })
		out = append(out, f)
	}
	return out, nil
}

// shared says, of the paths of a call that newer ones changed too, what taking it
// back makes of what it left; and adds all its paths to newer.
func (e *Engine) shared(ctx context.Context, s ledger.Saga, o Options, newer touched) (lines []Line, is func(string) bool) {
	before := newer.clone()
	is = func(p string) bool { return before.by(p) != "" }
	c, err := e.Changes(ctx, s)
	if err != nil {
		return nil, func(string) bool { return false }
	}
	defer c.Close()
	for _, ch := range c.List {
		if who := before.by(ch.Path); who != "" && o.wants(ch.Path) {
			lines = append(lines, c.back(ch, "once "+who+" is fired"))
		}
		newer.add(ch.Path, name(s))
	}
	for _, m := range c.Moves {
		who := cmp.Or(before.by(string(m.From)), before.by(string(m.To)))
		if who != "" && o.wants(string(m.From)) {
			lines = append(lines, Line{Path: string(m.From), Do: "rename", Reason: "after " + who})
		}
		newer.add(string(m.From), name(s))
		newer.add(string(m.To), name(s))
	}
	return lines, is
}

// touched tells which call has changed a path, something below it, or what it is
// in. Of several it is the oldest.
type touched struct{ at, below map[string]string }

func (t touched) clone() touched { return touched{maps.Clone(t.at), maps.Clone(t.below)} }

func (t touched) add(p, who string) {
	t.at[p] = who
	for dir := path.Dir(p); len(dir) > 1; dir = path.Dir(dir) {
		t.below[dir] = who
	}
}

func (t touched) by(p string) string {
	if who := cmp.Or(t.at[p], t.below[p]); who != "" {
		return who
	}
	for dir := path.Dir(p); len(dir) > 1; dir = path.Dir(dir) {
		if who := t.at[dir]; who != "" {
			return who
		}
	}
	return ""
}

// wants reports whether a path is among those that were asked for.
func (o Options) wants(p string) bool {
	return len(o.Only) == 0 || slices.ContainsFunc(o.Only, func(q string) bool { return inverse.Within(p, q) })
}

// after replaces the lines about paths that newer calls share.
func (f *Fired) after(lines []Line, shared func(string) bool) {
	f.Lines = slices.DeleteFunc(f.Lines, func(l Line) bool { return shared(l.Path) && l.Do != "ref" })
	f.Lines = append(f.Lines, lines...)
	slices.SortStableFunc(f.Lines, func(a, b Line) int { return strings.Compare(a.Path, b.Path) })
	f.Status = "would fire"
	for _, l := range f.Lines {
		switch {
		case l.Conflicts > 0:
			f.Status = "would conflict"
			return
		case l.open() || l.Do == doMerge:
			f.Status = "would be stale"
		}
	}
}

// back is the line about a path that goes from what a call left to what was there
// before.
func (c *Changes) back(ch Change, reason string) Line {
	l := Line{Path: ch.Path, Do: doRestore, Reason: reason}
	switch {
	case ch.Pre.Type == fingerprint.Absent:
		l.Do = "remove"
	case ch.Pre.Type == ch.Post.Type && (ch.Pre.Type == fingerprint.Dir || sameContent(ch.Pre, ch.Post)):
		l.Do = doMetadata
	}
	if ch.Pre.Size > maxDiffFile || ch.Post.Size > maxDiffFile {
		return l
	}
	now, okNow := c.After(ch)
	want, okWant := c.Before(ch)
	if okNow && okWant && !merge.Binary(now) && !merge.Binary(want) {
		l.Diff = string(merge.Unified(hint.Clean(ch.Path)+" then", hint.Clean(ch.Path)+" after the fire", now, want))
	}
	return l
}

package fire

import (
	"context"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/merge"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// Later is a later call that touched the same paths.
type Later struct {
	Number  int    `json:"number,omitempty"`
	ID      string `json:"id"`
	Command string `json:"command"`
	// Paths are those that firing is about as well, the first eight.
	Paths []inverse.Name `json:"paths"`
	// Lines says that it changed lines that the fired call had changed.
	Lines bool `json:"same_lines,omitempty"`
}

// Between is something that ran since and that no undo covers.
type Between struct {
	ID   string   `json:"id"`
	What []string `json:"what"`
}

// maxLater is how many later calls are looked at.
const maxLater = 100

// since finds the later calls that depend on this one, the oldest first, and
// what ran since without an undo. What cannot be read is left out: firing does
// not depend on it.
func (e *Engine) since(ctx context.Context, j *job) (later []Later, between []Between) {
	if j.saga.Armed.Undoes != "" {
		return nil, nil
	}
	var records []ledger.Record
	err := ledger.Walk(e.Store.LedgerDir(), func(r ledger.Record) bool {
		if r.Seq <= j.saga.Armed.Seq {
			return false
		}
		records = append(records, r)
		return true
	})
	if err != nil {
		return nil, nil
	}
	touched := map[string]bool{}
	for _, l := range j.lines {
		if l.Do != doTimes {
			touched[l.Path] = true
		}
	}
	looked := 0
	for _, s := range slices.Backward(ledger.Fold(records)) {
		switch {
		case s.Armed.Kind == ledger.Barrier && len(s.Armed.Barrier) > 0:
			between = append(between, Between{ID: s.ID, What: s.Armed.Barrier})
		case s.Armed.Kind == "" || s.Armed.Undoes != "" || s.Manifest == "" || !s.Fireable() || looked == maxLater:
		default:
			looked++
			if l, ok := e.laterOn(ctx, j, s, touched); ok {
				later = append(later, l)
			}
		}
	}
	return later, between
}

// laterOn compares one later call with this one.
func (e *Engine) laterOn(ctx context.Context, j *job, s ledger.Saga, touched map[string]bool) (Later, bool) {
	c, err := e.Changes(ctx, s)
	if err != nil {
		return Later{}, false
	}
	defer c.Close()
	l := Later{Number: s.Number, ID: s.ID, Command: s.Armed.Command}
	for _, ch := range c.List {
		if !touched[ch.Path] {
			continue
		}
		if len(l.Paths) < 8 {
			l.Paths = append(l.Paths, inverse.Name(ch.Path))
		}
		l.Lines = l.Lines || j.sameLines(c, ch)
	}
	for _, m := range c.Moves {
		if touched[string(m.From)] && len(l.Paths) < 8 {
			l.Paths = append(l.Paths, m.From)
		}
	}
	return l, len(l.Paths) > 0
}

// sameLines reports whether a later change to a text is about lines that this
// call had changed: without it they could be taken back, with it they cannot.
func (j *job) sameLines(c *Changes, ch Change) bool {
	pre, post := entryAt(j.pre, ch.Path), entryAt(j.post, ch.Path)
	if pre.Type != fingerprint.File || post.Type != fingerprint.File {
		return false
	}
	a, okA := j.before(pre)
	b, okB := j.after(post)
	x, okX := c.Before(ch)
	y, okY := c.After(ch)
	if !okA || !okB || !okX || !okY || merge.Binary(b) || merge.Binary(y) {
		return false
	}
	return len(merge.Three(b, x, a, merge.Options{}).Conflicts) == 0 && len(merge.Three(b, y, a, merge.Options{}).Conflicts) > 0
}

func entryAt(entries []fingerprint.Entry, p string) fingerprint.Entry {
	for _, e := range entries {
		if e.Path == p {
			return e
		}
	}
	return fingerprint.Entry{Path: p, Type: fingerprint.Absent}
}

const (
	// maxDiffs and maxDiffFile bound what a dry run shows.
	maxDiffs    = 64
	maxDiffFile = 1 << 20
)

// preview adds to every line about a text how firing would change it.
func (j *job) preview(ctx context.Context) {
	shown := 0
	for i, a := range j.undo.Actions {
		l := slices.IndexFunc(j.lines, func(l Line) bool { return l.Path == a.Entry.Path })
		if l < 0 || a.Op != workspace.Put && a.Op != workspace.Remove || shown == maxDiffs || ctx.Err() != nil {
			continue
		}
		diff := j.diff(ctx, j.undo.Actions[i])
		if diff != "" {
			shown++
			j.lines[l].Diff = diff
		}
	}
}

func (j *job) diff(ctx context.Context, a workspace.Action) string {
	var now, want []byte
	ok := true
	if a.Now.Type == fingerprint.File && a.Now.Size <= maxDiffFile {
		now, ok = j.present(ctx, a.Now)
	} else if a.Now.Type == fingerprint.File {
		return ""
	}
	if ok && a.Op == workspace.Put && a.Entry.Type == fingerprint.File {
		if a.Entry.Size > maxDiffFile {
			return ""
		}
		r, err := j.open(a.Entry)
		if err != nil {
			return ""
		}
		want, ok = readAll(r, a.Entry)
	}
	if !ok || merge.Binary(now) || merge.Binary(want) {
		return ""
	}
	return string(merge.Unified(hint.Clean(a.Entry.Path)+" now", hint.Clean(a.Entry.Path)+" after the fire", now, want))
}

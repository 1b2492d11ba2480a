package fire

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// meant drops renames outside of what is rewound.
func (w *rewind) meant(moves []inverse.Move) []inverse.Move {
	return slices.DeleteFunc(moves, func(m inverse.Move) bool {
		out := !inverse.Within(string(m.From), w.o.Root) || !inverse.Within(string(m.To), w.o.Root)
		return out || !w.among(string(m.From)) && !w.among(string(m.To))
	})
}

// among reports whether a path is one of those that were asked for.
func (w *rewind) among(p string) bool {
	return len(w.o.Paths) == 0 || slices.ContainsFunc(w.o.Paths, func(o string) bool { return inverse.Within(p, o) })
}

// take takes one path into the scope.
func (w *rewind) take(ctx context.Context, p string) {
	ts := redone(slices.Clone(w.line.paths[p]))
	var numbers []int
	moved := false
	for _, t := range ts {
		moved = moved || t.nav
		if !t.own && t.saga.Number > 0 {
			numbers = append(numbers, t.saga.Number)
		}
	}
	switch _, git := gitDir(p); {
	case len(numbers) == 0 && !moved || !w.among(p):
		return
	case !inverse.Within(p, w.o.Root):
		for _, t := range ts {
			w.outside(t)
		}
		return
	case git && !w.o.Git:
		for _, n := range numbers {
			w.gits[n] = true
		}
		return
	}
	base, why := baseAt(w.base, p)
	g, ok := w.line.goal(ctx, p, base)
	if !ok {
		reason := "what was there is not known"
		if w.base != nil {
			reason = "the checkpoint does not hold it: " + why.String()
		}
		w.line.skipped = append(w.line.skipped, Skip{Path: ledger.Name(p), Call: append(numbers, 0)[0], Reason: reason})
		return
	}
	for _, n := range numbers {
		w.calls[n] = true
	}
	w.goals[p] = g
}

// shelter keeps the directories around files that keep a person's change, also
// those that a call has made.
func (w *rewind) shelter() {
	for _, p := range sortedKeys(w.goals) {
		if g := w.goals[p]; !g.mine || g.want.Type == fingerprint.Absent {
			continue
		}
		for dir := filepath.Dir(p); len(dir) > len(w.o.Root); dir = filepath.Dir(dir) {
			g, ok := w.goals[dir]
			if !ok || g.want.Type == fingerprint.Dir {
				continue
			}
			if e, ok := w.line.wasDir(dir); ok {
				g.want, g.mine, g.old = e, true, nil
				w.goals[dir] = g
			}
		}
	}
}

// wasDir is the newest look at a path that found a directory there.
func (t *timeline) wasDir(p string) (fingerprint.Entry, bool) {
	for _, o := range slices.Backward(t.paths[p]) {
		for _, e := range []fingerprint.Entry{o.post, o.pre} {
			if e.Type == fingerprint.Dir {
				return e, true
			}
		}
	}
	return fingerprint.Entry{}, false
}

// scope takes a path with its goal into the job.
func (w *rewind) scope(p string, g goal) {
	j := w.job
	j.roots = append(j.roots, workspace.Root{Path: p})
	j.pre, j.post = append(j.pre, g.want), append(j.post, g.left)
	j.held[p] = true
	j.from[p], j.leftAt[p] = g.source, g.after
	w.mine[p] = g.mine
	if g.old != nil && g.old.entry.Type != fingerprint.Absent && g.old.entry.Type != fingerprint.Dir {
		j.olds = append(j.olds, *g.old)
	}
}

// outside notes a call that changed something outside of the workspace.
func (w *rewind) outside(t touch) {
	known := slices.ContainsFunc(w.line.undone, func(n NotUndone) bool { return n.ID == t.saga.ID })
	if t.own || known || t.saga.Status == ledger.IsFired {
		return
	}
	w.line.undone = append(w.line.undone, NotUndone{
		ID: t.saga.ID, Number: t.saga.Number, Command: t.saga.Armed.Command,
		Why: "it changed " + hint.Clean(t.pre.Path) + ", outside of the workspace", Next: "counterstep fire " + word(t.saga),
	})
}

// links tells which of the paths were names of one inode, and takes their other
// names in, so that all can become one file again.
func (w *rewind) links() {
	if w.base == nil {
		return
	}
	j := w.job
	linked := map[uint64]bool{}
	for i, e := range j.pre {
		if b, why := w.base.Entry(e.Path); why == checkpoint.Held && b.Type == fingerprint.File && b.Links > 1 && inverse.Same(b, e) {
			j.pre[i].Ino, j.pre[i].Dev, j.pre[i].Links = b.Ino, b.Dev, b.Links
			linked[b.Ino] = true
		} else {
			j.pre[i].Ino, j.pre[i].Dev = 0, 0
		}
	}
	if len(linked) == 0 {
		return
	}
	group := map[string]int{}
	for _, e := range w.base.Under(w.o.Root) {
		if e.Group == 0 || !linked[e.Ino] {
			continue
		}
		group[e.Path] = e.Group
		if !j.held[e.Path] && w.among(e.Path) {
			v, _ := baseAt(w.base, e.Path)
			j.roots = append(j.roots, workspace.Root{Path: e.Path})
			j.pre, j.post = append(j.pre, e), append(j.post, e)
			j.held[e.Path], j.from[e.Path] = true, v.open
		}
	}
	for i, e := range j.pre { // a name with a change of its own is no longer one of them
		if b, why := w.base.Entry(e.Path); why == checkpoint.Held && inverse.Same(b, e) {
			j.pre[i].Group = group[e.Path]
		}
	}
}

// directories remembers how the directories around the scope were.
func (w *rewind) directories() {
	j := w.job
	slices.SortFunc(j.pre, func(a, b fingerprint.Entry) int { return strings.Compare(a.Path, b.Path) })
	around := map[string]bool{}
	for p := range j.held {
		around[filepath.Dir(p)] = true
	}
	for _, m := range j.step().Moves {
		around[filepath.Dir(string(m.From))], around[filepath.Dir(string(m.To))] = true, true
	}
	for _, dir := range sortedKeys(around) {
		switch {
		case !inverse.Within(dir, w.o.Root):
		case w.base != nil:
			j.parent(w.base, dir)
		default: // its listing then is not known; a redo brings back that of now
			j.around = append(j.around, inverse.Parent{Path: inverse.Name(dir)})
		}
	}
}

package fire

import (
	"context"
	"slices"

	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// List lists the newest n calls that a pick means, newest first: actions, and what
// ran that no undo covers. n is 0 for all. With path, only those that changed it or
// something below it. Of the ledger no more is read than it takes.
func (e *Engine) List(ctx context.Context, p Pick, path string, n int) ([]ledger.Saga, error) {
	keep, err := e.picker(p)
	if err != nil {
		return nil, err
	}
	listed := func(s ledger.Saga) bool {
		switch {
		case s.Armed.Undoes != "" || !keep(s):
			return false
		case s.Armed.Kind == ledger.Barrier || s.Armed.Kind == ledger.Unguarded:
			return path == ""
		case !s.Armed.IsAction() || s.Status == ledger.IsCall || s.Status == ledger.IsRefused:
			return false
		}
		return path == "" || e.changed(ctx, s, path)
	}
	var out []ledger.Saga
	seen := 0 // of the sagas that begin in what was read, how many were looked at
	_, err = ledger.Recent(e.Store.LedgerDir(), func(sagas []ledger.Saga) bool {
		for _, s := range sagas[min(seen, len(sagas)):] {
			if n > 0 && len(out) == n {
				break
			}
			if listed(s) {
				out = append(out, s)
			}
		}
		seen = len(sagas)
		return n > 0 && len(out) == n
	})
	return out, err
}

// changed reports whether a call changed a path or something below it. What the
// ledger does not name is looked up in what the call holds; when that is not
// there, it is not known, and false.
func (e *Engine) changed(ctx context.Context, s ledger.Saga, path string) bool {
	paths, more := s.Changed()
	within := func(p string) bool { return inverse.Within(p, path) }
	if slices.ContainsFunc(paths, func(n ledger.Name) bool { return within(string(n)) }) {
		return true
	}
	if more == 0 && len(paths) > 0 || s.Manifest == "" || s.Status == ledger.IsForgotten {
		return false
	}
	j, err := e.loadWith(s, nil)
	if err != nil {
		return false
	}
	defer j.close()
	if j.bounded(ctx, e) != nil {
		return false
	}
	pre, post := byPath(j.pre), byPath(j.post)
	for _, p := range unionOf(pre, post) {
		if within(p) && (!j.settled || !alike(stateAt(pre, p), stateAt(post, p))) {
			return true
		}
	}
	return slices.ContainsFunc(j.step().Moves, func(m inverse.Move) bool { return within(string(m.From)) || within(string(m.To)) })
}

package fire

import (
	"context"
	"fmt"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// touch is what one call did to one path.
type touch struct {
	saga ledger.Saga
	// armed and settled are the places in the ledger of the looks before and
	// after it; settled is 0 for a call of which only the former is known.
	armed, settled uint64
	// own says that it was a firing or a rewind, not a call of an agent; nav that
	// it was a rewind, or what took one back.
	own, nav  bool
	pre, post fingerprint.Entry
	// moved says that the content before it is that of another path, which the
	// call renamed by identity; vague that another call changed that one at the
	// same time, so that it is not certain what was renamed.
	moved, vague bool
}

// add takes what one call did into the timeline.
func (t *timeline) add(ctx context.Context, s ledger.Saga, before func(string) []fingerprint.Entry) error {
	own := s.Armed.Undoes != ""
	if s.Status == ledger.IsForgotten {
		return fmt.Errorf("what it held was let go")
	}
	l, err := t.find(ctx, s)
	if err != nil {
		return err
	}
	j := l.job
	if own && !j.settled {
		return nil // the firing did not come to its end
	}
	if !own {
		t.calls[s.ID] = s
		for _, l := range j.skipped {
			t.skipped = append(t.skipped, Skip{Path: ledger.Name(l.Path), Call: s.Number, Reason: l.Reason})
		}
		for _, r := range j.remotes {
			t.undone = append(t.undone, NotUndone{ID: s.ID, Number: s.Number, Command: s.Armed.Command, Why: "it changed " + r.Name + ", a remote", Next: "counterstep fire " + word(s)})
		}
	}
	proto := touch{saga: s, armed: s.Armed.Seq, settled: settledAt(s), own: own, nav: t.navigates(s)}
	if !j.settled {
		proto.settled = 0
	}
	pre, post := byPath(j.pre), byPath(j.post)
	for _, m := range j.step().Moves {
		delete(post, string(m.To)) // only looked at, see addMoves
		delete(post, string(m.From))
	}
	for _, p := range unionOf(pre, post) {
		one := proto
		one.pre, one.post = stateAt(pre, p), stateAt(post, p)
		if !j.settled {
			one.post = fingerprint.Entry{Path: p, Type: unknownType}
			if j.predictedGone(p) {
				one.post.Type = fingerprint.Absent
			}
		}
		if alike(one.pre, one.post) {
			continue
		}
		t.paths[p] = append(t.paths[p], one)
	}
	t.addMoves(j, proto, before)
	return nil
}

// unknownType is the type of what a call left at a path when that is not known.
// No look finds it.
const unknownType fingerprint.Type = '?'

// alike reports that a call did nothing to a path.
func alike(a, b fingerprint.Entry) bool {
	return inverse.Same(a, b) && (a.Type != fingerprint.File || a.MTime == b.MTime)
}

// predictedGone reports that a call that was not settled was to leave nothing
// at a path.
func (j *job) predictedGone(p string) bool {
	return slices.ContainsFunc(j.step().Roots, func(r inverse.Root) bool {
		return r.Gone && (p == string(r.Path) || r.Tree && inverse.Within(p, string(r.Path)))
	})
}

func byPath(entries []fingerprint.Entry) map[string]fingerprint.Entry {
	m := make(map[string]fingerprint.Entry, len(entries))
	for _, e := range entries {
		e.Group = 0 // groups of one look mean nothing in another
		m[e.Path] = e
	}
	return m
}

func stateAt(m map[string]fingerprint.Entry, p string) fingerprint.Entry {
	if e, ok := m[p]; ok && e.Type != 0 {
		return e
	}
	return fingerprint.Entry{Path: p, Type: fingerprint.Absent}
}

func unionOf(a, b map[string]fingerprint.Entry) []string {
	var out []string
	for p := range a {
		out = append(out, p)
	}
	for p := range b {
		if _, ok := a[p]; !ok {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, inverse.ComparePaths)
	return out
}

// word is what people type for a saga.
func word(s ledger.Saga) string {
	if s.Number > 0 {
		return fmt.Sprint(s.Number)
	}
	return short(s.ID)
}

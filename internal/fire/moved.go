package fire

import (
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// moved is a rename by identity: nothing was captured for it.
type moved struct {
	inverse.Move
	saga  ledger.Saga
	known bool // what was moved is known, path by path
}

// addMoves takes renames by identity in. What was moved is what was there before,
// as far as that is known.
func (t *timeline) addMoves(j *job, proto touch, before func(string) []fingerprint.Entry) {
	for _, m := range j.step().Moves {
		if !j.didMove(m) {
			continue
		}
		from, to := string(m.From), string(m.To)
		state, vague := t.under(from, proto.armed, before)
		if !proto.own {
			t.moves = append(t.moves, moved{m, proto.saga, len(state) > 0})
		}
		for _, e := range state {
			gone, there := proto, proto
			gone.moved = true
			gone.pre, gone.post = e, fingerprint.Entry{Path: e.Path, Type: fingerprint.Absent}
			t.paths[e.Path] = append(t.paths[e.Path], gone)
			at := e
			at.Path = to + e.Path[len(from):]
			there.moved, there.vague = true, vague[e.Path]
			there.pre, there.post = fingerprint.Entry{Path: at.Path, Type: fingerprint.Absent}, at
			t.paths[at.Path] = append(t.paths[at.Path], there)
		}
	}
}

// renames are the moves that can be taken back by renaming: nothing else touches
// either end. Their paths leave the timeline. Of the others, those are skipped of
// which nothing is known.
func (t *timeline) renames() []inverse.Move {
	var out []inverse.Move
	for _, m := range t.moves {
		ends := func(p string) bool { return inverse.Within(p, string(m.From)) || inverse.Within(p, string(m.To)) }
		alone := true
		for p, ts := range t.paths {
			if !ends(p) {
				continue
			}
			if ts = redone(slices.Clone(ts)); len(ts) > 0 && (len(ts) > 1 || ts[0].saga.ID != m.saga.ID || !ts[0].moved) {
				alone = false
			}
		}
		for _, o := range t.moves {
			if o.Move != m.Move && (ends(string(o.From)) || ends(string(o.To))) {
				alone = false
			}
		}
		_, there, err := find(m.Move, string(m.To))
		switch {
		case alone && (there && err == nil || !m.known):
			out = append(out, m.Move)
			for p := range t.paths {
				if ends(p) {
					delete(t.paths, p)
				}
			}
		case !m.known:
			t.skipped = append(t.skipped, Skip{
				Path: ledger.Name(m.From), Call: m.saga.Number,
				Reason: "moved to " + hint.Clean(string(m.To)) + ", and no checkpoint holds it",
			})
		}
	}
	return out
}

// didMove reports whether a rename has happened.
func (j *job) didMove(m inverse.Move) bool {
	if j.settled {
		return !j.stayed(m)
	}
	_, at, err := find(m, string(m.To))
	return err == nil && at
}

// under is the state of a tree as a call found it: before, and what was done to it
// since. What a call that ran at the same time left says nothing; what that one
// found does.
func (t *timeline) under(dir string, armed uint64, before func(dir string) []fingerprint.Entry) (out []fingerprint.Entry, vague map[string]bool) {
	state := map[string]fingerprint.Entry{}
	vague = map[string]bool{}
	for _, e := range before(dir) {
		state[e.Path] = e
	}
	for p, ts := range t.paths {
		if !inverse.Within(p, dir) {
			continue
		}
		var at uint64
		for _, o := range ts {
			vague[p] = vague[p] || o.settled > armed
			switch {
			case o.settled > 0 && o.settled <= armed && o.settled > at:
				state[p], at = o.post, o.settled
			case o.settled > armed && at == 0:
				state[p] = o.pre
			}
		}
	}
	for _, e := range state {
		if e.Type != fingerprint.Absent && e.Type != unknownType {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b fingerprint.Entry) int { return inverse.ComparePaths(a.Path, b.Path) })
	return out, vague
}

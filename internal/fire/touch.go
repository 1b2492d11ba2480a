package fire

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
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

// timeline is what happened to the paths of a workspace since a point.
type timeline struct {
	engine  *Engine
	damage  []ledger.Damage
	since   uint64
	byID    map[string]ledger.Saga
	paths   map[string][]touch
	moves   []moved
	skipped []Skip
	undone  []NotUndone
	calls   map[string]ledger.Saga // agents' calls that are in it

	mu   sync.Mutex // guards what follows; contents are read by several goroutines
	jobs []*lent
}

// lent is a saga that is held open.
type lent struct {
	job  *job
	uses int
}

// openJobs is how many sagas are held open at a time: each has a file or two.
const openJobs = 48

// find opens what a saga holds. It stays open at least until the next call, and
// as long as it is used. The caller holds the lock.
func (t *timeline) find(ctx context.Context, s ledger.Saga) (*lent, error) {
	for i, l := range t.jobs {
		if l.job.saga.ID == s.ID {
			t.jobs = append(slices.Delete(t.jobs, i, i+1), l) // used last
			return l, nil
		}
	}
	j, err := t.engine.loadWith(s, t.damage)
	if err != nil {
		return nil, err
	}
	j.ctx = ctx
	if err := j.bounded(ctx, t.engine); err != nil {
		j.close()
		return nil, err
	}
	if len(t.jobs) >= openJobs {
		if i := slices.IndexFunc(t.jobs, func(l *lent) bool { return l.uses == 0 }); i >= 0 {
			t.jobs[i].job.close()
			t.jobs = slices.Delete(t.jobs, i, i+1)
		}
	}
	t.jobs = append(t.jobs, &lent{job: j})
	return t.jobs[len(t.jobs)-1], nil
}

func (t *timeline) close() {
	for _, l := range t.jobs {
		l.job.close()
	}
}

// content opens what a saga holds of an entry.
func (t *timeline) content(ctx context.Context, s ledger.Saga, e fingerprint.Entry) (io.ReadCloser, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, err := t.find(ctx, s)
	if err != nil {
		return nil, err
	}
	in, err := l.job.open(e)
	if err != nil {
		return nil, err
	}
	l.uses++
	return &lentReader{ReadCloser: in, done: func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		l.uses--
	}}, nil
}

// lentReader gives a saga back when it is closed.
type lentReader struct {
	io.ReadCloser
	done func()
}

func (r *lentReader) Close() error {
	err := r.ReadCloser.Close()
	if r.done != nil {
		r.done()
		r.done = nil
	}
	return err
}

// trace reads what happened since a place in the ledger. before are the states of
// a tree at that time; it is asked about what a call renamed.
func (e *Engine) trace(ctx context.Context, sagas []ledger.Saga, damage []ledger.Damage, since uint64, before func(dir string) []fingerprint.Entry) *timeline {
	byID := map[string]ledger.Saga{}
	for _, s := range sagas {
		byID[s.ID] = s
	}
	t := &timeline{engine: e, byID: byID, damage: damage, since: since, paths: map[string][]touch{}, calls: map[string]ledger.Saga{}}
	var in []ledger.Saga
	for _, s := range sagas {
		switch a := s.Armed; {
		case a.Kind == ledger.Barrier && a.Seq > since:
			t.undone = append(t.undone, NotUndone{ID: s.ID, Command: a.Command, Why: "no undo covers it"})
		case a.Kind == ledger.Unguarded && a.Seq > since:
			t.undone = append(t.undone, NotUndone{ID: s.ID, Command: a.Command, Why: "it ran without the hook being asked"})
		case a.Kind != ledger.Armed && a.Kind != ledger.Created, s.Status == ledger.IsCall, s.Status == ledger.IsRefused:
		case a.Seq > since || a.Undoes == "" && settledAt(s) > since:
			in = append(in, s)
		}
	}
	slices.SortFunc(in, func(a, b ledger.Saga) int { return cmp.Compare(order(a), order(b)) })
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range in {
		if err := t.add(ctx, s, before); err != nil {
			t.skipped = append(t.skipped, Skip{Call: s.Number, Reason: hint.Clean(err.Error())})
		}
	}
	return t
}

// settledAt is the place of the look after a call; 0 when there was none.
func settledAt(s ledger.Saga) uint64 {
	switch {
	case s.Armed.Kind == ledger.Created:
		return s.Armed.Seq
	case s.Settle != nil && !s.Settle.Background:
		return s.Settle.Seq
	}
	return 0
}

// order brings calls into the order in which they ended.
func order(s ledger.Saga) uint64 {
	if at := settledAt(s); at > 0 {
		return at
	}
	return s.Armed.Seq | 1<<62
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

// navigates reports whether a saga belongs to a rewind: a person went to another
// point, and goes on from there.
func (t *timeline) navigates(s ledger.Saga) bool {
	for range t.byID {
		if s.Armed.Kind == ledger.Rewind || s.Armed.Undoes == "" {
			break
		}
		s = t.byID[s.Armed.Undoes]
	}
	return s.Armed.Kind == ledger.Rewind
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

// A call that has not come back after these times is taken for one that never
// ran, or that nobody reported.
const (
	callTime       = 10 * time.Minute
	backgroundTime = 2 * time.Hour
)

// inFlight are agents' calls that may be running: let go, not settled, and
// neither too old for that nor followed by the session's next prompt.
func inFlight(e *Engine, sagas []ledger.Saga) []ledger.Saga {
	later := map[string]uint64{} // session → its newest prompt
	for _, s := range sagas {
		if s.Armed.Kind == ledger.Checkpoint {
			later[s.Armed.Session] = max(later[s.Armed.Session], s.Armed.Seq)
		}
	}
	var out []ledger.Saga
	for _, s := range sagas {
		a := s.Armed
		background := a.Background || s.Settle != nil && s.Settle.Background
		limit := callTime
		if background {
			limit = backgroundTime
		}
		switch {
		case a.Kind != ledger.Armed || a.Undoes != "" || settledAt(s) > 0:
		case s.Status != ledger.IsArmed && s.Status != ledger.IsOpen:
		case e.Now().Sub(a.Time) > limit, !background && a.Seq < later[a.Session]:
		default:
			out = append(out, s)
		}
	}
	return out
}

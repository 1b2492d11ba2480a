package fire

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

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

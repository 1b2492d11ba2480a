package fire

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/inverse"
)

// goal is what a rewind wants at one path.
type goal struct {
	want fingerprint.Entry
	// left is what agents left there last; its type is unknownType when that is
	// not known.
	left fingerprint.Entry
	// source gives the content of want, after that of left, as far as it is held.
	source func() (io.ReadCloser, error)
	after  func() ([]byte, bool)
	// mine says that want holds a change that no call made, and that came before
	// a later call; old, when it is set, is the state at the point besides.
	mine bool
	old  *version
}

// version is a state of a path with where its content is.
type version struct {
	entry fingerprint.Entry
	open  func() (io.ReadCloser, error)
}

// goal works out what a path is to become: what it was at the point, with what
// nobody's call did to it since. base is what the checkpoint holds of it. It is
// false where there is nothing to do, or it cannot be told what.
//
// Between two calls that touched the path one after the other, the look before
// the later one must find what the earlier one left. Where it does not, somebody
// else was there, and that look holds the newest state that has their change.
func (t *timeline) goal(ctx context.Context, p string, base *version) (goal, bool) {
	ts := redone(slices.Clone(t.paths[p]))
	if !slices.ContainsFunc(ts, func(t touch) bool { return !t.own || t.nav }) {
		return goal{}, false // only firings: no agent has changed it
	}
	point := t.before(ctx, ts[0])
	switch {
	case base == nil && (ts[0].armed <= t.since || ts[0].moved):
		return goal{}, false // it began before, and what was there is not held
	case base != nil && (ts[0].armed <= t.since || ts[0].moved || !inverse.Same(base.entry, ts[0].pre)):
		point = *base
	case base != nil: // a payload needs no other part of the store
		point.entry = base.entry
	}
	g := goal{want: point.entry, source: point.open}
	for i, one := range ts {
		was, known := expected(ts, i, point.entry)
		if !known || one.moved || one.armed <= t.since || inverse.Same(one.pre, was) {
			continue
		}
		v := t.before(ctx, one)
		if one.own { // the firing kept it, or merged it
			v = t.leftBy(ctx, one)
		}
		g.mine, g.want, g.source, g.old = true, v.entry, v.open, nil
		if !one.own && !inverse.Same(was, point.entry) {
			g.old = &point
		}
	}
	if g.mine && inverse.Same(g.want, point.entry) {
		g.mine, g.old, g.want, g.source = false, nil, point.entry, point.open
	}
	g.left, g.after = t.last(ctx, p, ts)
	return g, true
}

// redone drops firings that were taken back, with what took them back: for the
// path it is as if nothing had happened.
func redone(ts []touch) []touch {
	slices.SortStableFunc(ts, func(a, b touch) int { return cmp.Compare(a.armed, b.armed) })
	for i := 0; i+1 < len(ts); i++ {
		a, b := ts[i], ts[i+1]
		if a.own && b.own && a.settled > 0 && a.settled < b.armed && alike(a.pre, b.post) && alike(a.post, b.pre) {
			ts = slices.Delete(ts, i, i+2)
			i = max(i-2, -1)
		}
	}
	return ts
}

// expected is what the look before touch i has to find when nobody but agents
// was there. It is not known while another call that touches the path ran.
func expected(ts []touch, i int, point fingerprint.Entry) (fingerprint.Entry, bool) {
	was, at, vague := point, uint64(0), false
	for k, o := range ts {
		switch {
		case k == i:
		case o.armed < ts[i].armed && (o.settled == 0 || o.settled > ts[i].armed):
			return was, false
		case o.settled > at && o.settled <= ts[i].armed:
			was, at, vague = o.post, o.settled, o.vague
		}
	}
	return was, was.Type != unknownType && !vague
}

// last is what calls left at a path in the end.
func (t *timeline) last(ctx context.Context, p string, ts []touch) (fingerprint.Entry, func() ([]byte, bool)) {
	left := fingerprint.Entry{Path: p, Type: unknownType}
	after := func() ([]byte, bool) { return nil, false }
	at := uint64(0)
	for _, o := range ts {
		if o.settled > at || o.settled == 0 && at == 0 && o.post.Type == fingerprint.Absent {
			left, at = o.post, o.settled
			after = func() ([]byte, bool) { return t.text(ctx, o) }
		}
	}
	return left, after
}

// before is what a call found.
func (t *timeline) before(ctx context.Context, o touch) version {
	return version{entry: o.pre, open: func() (io.ReadCloser, error) {
		if o.moved {
			return nil, errors.New("it was renamed, not held")
		}
		return t.content(ctx, o.saga, o.pre)
	}}
}

// leftBy is what a call left.
func (t *timeline) leftBy(ctx context.Context, o touch) version {
	return version{entry: o.post, open: func() (io.ReadCloser, error) {
		data, ok := t.text(ctx, o)
		if !ok {
			return nil, fmt.Errorf("what %s left is not held", name(o.saga))
		}
		return io.NopCloser(bytes.NewReader(data)), nil
	}}
}

// text is the content that a call left, when it is held.
func (t *timeline) text(ctx context.Context, o touch) ([]byte, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, err := t.find(ctx, o.saga)
	if err != nil {
		return nil, false
	}
	return l.job.after(o.post)
}

// baseAt is what a checkpoint holds of a path; nil when it does not.
func baseAt(c *checkpoint.Checkpoint, p string) (*version, checkpoint.Reason) {
	if c == nil {
		return nil, checkpoint.Outside
	}
	e, why := c.Entry(p)
	if why != checkpoint.Held {
		return nil, why
	}
	e.Group = 0
	return &version{entry: e, open: func() (io.ReadCloser, error) { return c.Open(e) }}, why
}

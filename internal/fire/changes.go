package fire

import (
	"context"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// Change is what a call, or a firing, did to one path.
type Change struct {
	Path string
	// Pre and Post are what was there before and after. The type of Post is 0
	// when that is not known.
	Pre, Post fingerprint.Entry
}

// Changes are what one call, or one firing, changed. They must be closed.
type Changes struct {
	Saga ledger.Saga
	// Call is what is held about the call.
	Call inverse.Call
	// List is sorted by path. Moves are the renames that took place.
	List  []Change
	Moves []inverse.Move
	// Settled says that what the call left was recorded.
	Settled bool

	job *job
}

// Changes reads what a saga changed. It reads no live file.
func (e *Engine) Changes(ctx context.Context, s ledger.Saga) (*Changes, error) {
	j, err := e.load(s)
	if err != nil {
		return nil, err
	}
	c, err := e.changes(ctx, j)
	if err != nil {
		j.close()
		return nil, err
	}
	return c, nil
}

func (e *Engine) changes(ctx context.Context, j *job) (*Changes, error) {
	c := &Changes{Saga: j.saga, Call: j.call, Settled: j.settled, job: j}
	j.ctx = ctx
	if b := j.call.Bound; b != nil && b.Post == "" {
		c.Settled = false // its changes are not known
	} else if err := j.bounded(ctx, e); err != nil {
		return nil, err
	}
	post := map[string]fingerprint.Entry{}
	for _, p := range j.post {
		post[p.Path] = p
	}
	seen := map[string]bool{}
	add := func(pre, left fingerprint.Entry) {
		seen[pre.Path] = true
		if left.Type == 0 || !inverse.Same(pre, left) {
			c.List = append(c.List, Change{Path: pre.Path, Pre: pre, Post: left})
		}
	}
	for _, pre := range j.pre {
		left, ok := post[pre.Path]
		if !ok && c.Settled {
			left = fingerprint.Entry{Path: pre.Path, Type: fingerprint.Absent}
		}
		if !seen[pre.Path] {
			add(pre, left)
		}
	}
	for _, left := range j.post {
		if !seen[left.Path] && left.Type != fingerprint.Absent && !j.isEnd(left.Path) {
			add(fingerprint.Entry{Path: left.Path, Type: fingerprint.Absent}, left)
		}
	}
	slices.SortFunc(c.List, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	for _, m := range j.step().Moves {
		if slices.ContainsFunc(j.post, func(p fingerprint.Entry) bool {
			return p.Path == string(m.To) && p.Dev == m.Dev && p.Ino == m.Ino
		}) {
			c.Moves = append(c.Moves, m)
		}
	}
	return c, nil
}

// isEnd reports whether a path is an end of a rename: what is recorded of it is
// no change of its content.
func (j *job) isEnd(p string) bool {
	return slices.ContainsFunc(j.step().Moves, func(m inverse.Move) bool { return p == string(m.From) || p == string(m.To) })
}

// Before is the content of a file before the change, After the one after it, as
// far as they are held. What is no file has none, and that is known.
func (c *Changes) Before(ch Change) (text []byte, known bool) {
	if ch.Pre.Type != fingerprint.File {
		return nil, true
	}
	if ch.Pre.Size > maxMerge {
		return nil, false
	}
	return c.job.before(ch.Pre)
}

// After is like [Changes.Before].
func (c *Changes) After(ch Change) (text []byte, known bool) {
	switch {
	case ch.Post.Type == 0:
		return nil, false
	case ch.Post.Type != fingerprint.File:
		return nil, true
	case ch.Post.Size > maxMerge:
		return nil, false
	case ch.Post.Size == 0:
		return nil, true
	}
	return c.job.after(ch.Post)
}

// Close lets go of what is held.
func (c *Changes) Close() { c.job.close() }

// Read reads a live file of at most 16 MiB; known is false when there is none
// or it is larger.
func Read(ctx context.Context, path string) (text []byte, known bool, err error) {
	e, data, err := look(ctx, path)
	if err != nil {
		return nil, false, err
	}
	return data, e.Type == fingerprint.File && e.Size <= maxMerge, nil
}

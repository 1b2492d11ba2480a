package fire

import (
	"context"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
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
		// A firing that took place has carried out its renames.
		if j.call.Undoes != "" && c.Settled || slices.ContainsFunc(j.post, func(p fingerprint.Entry) bool {
			return p.Path == string(m.To) && p.Dev == m.Dev && p.Ino == m.Ino
		}) {
			c.Moves = append(c.Moves, m)
		}
	}
	c.pairs()
	return c, nil
}

// pairs finds files that are gone from one path and, as the same inode with the
// same content, have appeared at another: they were moved.
func (c *Changes) pairs() {
	type inode struct{ dev, ino uint64 }
	gone := map[inode]Change{}
	for _, ch := range c.List {
		if ch.Pre.Type == fingerprint.File && ch.Post.Type == fingerprint.Absent && ch.Pre.Links < 2 {
			gone[inode{ch.Pre.Dev, ch.Pre.Ino}] = ch
		}
	}
	moved := map[string]bool{}
	for _, ch := range c.List {
		from, ok := gone[inode{ch.Post.Dev, ch.Post.Ino}]
		if !ok || ch.Pre.Type != fingerprint.Absent || !sameContent(from.Pre, ch.Post) {
			continue
		}
		c.Moves = append(c.Moves, inverse.Move{From: inverse.Name(from.Path), To: inverse.Name(ch.Path), Dev: ch.Post.Dev, Ino: ch.Post.Ino, Type: "f"})
		moved[from.Path], moved[ch.Path] = true, true
	}
	c.List = slices.DeleteFunc(c.List, func(ch Change) bool { return moved[ch.Path] })
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
	if ch.Pre.Size > MaxText {
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
	case ch.Post.Size > MaxText:
		return nil, false
	case ch.Post.Size == 0:
		return nil, true
	}
	return c.job.after(ch.Post)
}

// Held is the content that the checkpoint before a call has of a file, whether
// the call changed it or not. There is none where the call had no checkpoint.
func (c *Changes) Held(path string) (text []byte, exists, known bool) {
	if c.job.checkpoint == nil {
		return nil, false, false
	}
	e, why := c.job.checkpoint.Entry(path)
	switch {
	case why != checkpoint.Held || e.Size > MaxText:
		return nil, false, false
	case e.Type != fingerprint.File:
		return nil, false, true
	}
	r, err := c.job.checkpoint.Open(e)
	if err != nil {
		return nil, true, false
	}
	text, known = readAll(r, e)
	return text, true, known
}

// Close lets go of what is held.
func (c *Changes) Close() { c.job.close() }

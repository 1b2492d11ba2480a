package fire

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

type readCloser = io.ReadCloser

// compare looks at the present and decides what to do. A path that cannot be
// looked at, or of which the content cannot be read, is skipped, and does not
// stand in the way of the others.
func (w *rewind) compare(ctx context.Context, o Options) error {
	j := w.job
	for {
		j.lines, j.skipped = nil, nil
		err := j.compare(ctx, o)
		if err == nil {
			break
		}
		p, reason, ok := culprit(err)
		if !ok || !w.leave(p, reason) {
			return err
		}
	}
	w.besides()
	drop := map[string]string{}
	w.full(drop)
	w.homeless(drop)
	if err := w.unreadable(ctx, drop); err != nil {
		return err
	}
	w.skip(drop)
	return nil
}

// culprit is the path that a look failed at.
func culprit(err error) (path, reason string, ok bool) {
	if e, is := errors.AsType[*workspace.MovedError](err); is {
		return e.Path, "the way to it is not what it was: " + hint.Clean(e.Error()), true
	}
	if e, is := errors.AsType[*workspace.UnreadableError](err); is {
		return e.Path, hint.Clean(e.Error()), true
	}
	if e, is := errors.AsType[*workspace.ChangedError](err); is {
		return e.Path, hint.Clean(e.Error()), true
	}
	return "", "", false
}

// leave takes a path, and what is below it, out of the scope.
func (w *rewind) leave(p, reason string) bool {
	j := w.job
	within := func(q string) bool { return inverse.Within(q, p) }
	found := false
	for q := range j.held {
		if within(q) {
			w.line.skipped = append(w.line.skipped, Skip{Path: ledger.Name(q), Reason: reason})
			delete(j.held, q)
			found = true
		}
	}
	j.roots = slices.DeleteFunc(j.roots, func(r workspace.Root) bool { return within(r.Path) })
	j.pre = slices.DeleteFunc(j.pre, func(e fingerprint.Entry) bool { return within(e.Path) })
	j.post = slices.DeleteFunc(j.post, func(e fingerprint.Entry) bool { return within(e.Path) })
	return found
}

// besides puts the state at the point next to files that keep a change which was
// made to them between two calls.
func (w *rewind) besides() {
	j := w.job
	for _, v := range j.olds {
		p := v.entry.Path
		to := p + ".counterstep-" + inverse.Tag(j.saga.ID)
		if !j.held[p] || j.from[to] != nil || slices.ContainsFunc(j.undo.Drift, func(d inverse.Drift) bool { return d.Path == p && d.Beside != "" }) {
			continue
		}
		e := v.entry
		e.Path, e.Group = to, 0
		j.from[to] = v.open
		a := workspace.Action{Op: workspace.Put, Entry: e, Now: fingerprint.Entry{Path: to, Type: fingerprint.Absent}}
		n := len(j.undo.Actions)
		j.undo.Actions = append(j.undo.Actions, a)
		j.lines = slices.Insert(j.lines, n, Line{Path: p, Do: "beside", Beside: to, Reason: "somebody changed it between two calls; the state at the point is put beside it"})
	}
}

// elsewhere opens what a rewind puts back.
func (j *job) elsewhere(e fingerprint.Entry) (io.ReadCloser, error) {
	open := j.from[e.Path]
	if open == nil {
		open = j.from[j.source(e.Path)]
	}
	if open == nil {
		return nil, fmt.Errorf("nothing is held of %q", e.Path)
	}
	return open()
}

// full finds directories that are to be removed but hold what nobody's call has
// made.
func (w *rewind) full(drop map[string]string) {
	removed := map[string]bool{}
	for _, a := range w.job.undo.Actions {
		if a.Op == workspace.Remove {
			removed[a.Entry.Path] = true
		}
		if a.Op == workspace.Rename {
			removed[a.From] = true
		}
	}
	for _, a := range w.job.undo.Actions { // the deepest first
		if a.Op != workspace.Remove || a.Now.Type != fingerprint.Dir {
			continue
		}
		list, err := os.ReadDir(a.Entry.Path)
		stays := err != nil
		for _, d := range list {
			stays = stays || !removed[filepath.Join(a.Entry.Path, d.Name())]
		}
		if stays {
			delete(removed, a.Entry.Path)
			drop[a.Entry.Path] = ""
		}
	}
}

// homeless finds paths whose directory is gone and is not put back either.
func (w *rewind) homeless(drop map[string]string) {
	made := map[string]bool{}
	for _, a := range w.job.undo.Actions {
		if a.Op == workspace.Put && a.Entry.Type == fingerprint.Dir {
			made[a.Entry.Path] = true
		}
	}
	for _, a := range w.job.undo.Actions {
		if a.Op != workspace.Put {
			continue
		}
		dir := filepath.Dir(a.Entry.Path)
		if made[dir] {
			continue
		}
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			drop[a.Entry.Path] = "the directory around it is gone"
			delete(made, a.Entry.Path)
		}
	}
}

// unreadable finds paths whose content is not what was held.
func (w *rewind) unreadable(ctx context.Context, drop map[string]string) error {
	j := w.job
	for _, a := range j.undo.Actions {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, dropped := drop[a.Entry.Path]; dropped || a.Op != workspace.Put || a.Entry.Type != fingerprint.File || j.composed(a.Entry) {
			continue
		}
		if err := whole(j, a.Entry); err != nil {
			drop[a.Entry.Path] = "what is held of it cannot be read: " + hint.Clean(err.Error())
		}
	}
	return nil
}

// whole reads a content to its end.
func whole(j *job, e fingerprint.Entry) error {
	r, err := j.open(e)
	if err != nil {
		return err
	}
	defer r.Close()
	h := sha256.New()
	n, err := io.Copy(h, r)
	switch {
	case err != nil:
		return err
	case n != e.Size || e.SHA != [32]byte{} && [32]byte(h.Sum(nil)) != e.SHA:
		return errors.New("it is damaged")
	}
	return nil
}

// skip takes paths out of the plan; those without a reason are kept.
func (w *rewind) skip(drop map[string]string) {
	j := w.job
	n := len(j.undo.Actions)
	var actions []workspace.Action
	var lines, left []Line
	for i, a := range j.undo.Actions {
		reason, dropped := drop[a.Entry.Path]
		l := j.lines[i]
		switch {
		case !dropped:
			actions, lines = append(actions, a), append(lines, l)
		case reason == "":
			left = append(left, Line{Path: l.Path, Do: doKeep, Status: workspace.StatusKept, Reason: "it holds what no call has made"})
		default:
			left = append(left, Line{Path: l.Path, Do: doKeep, Status: workspace.StatusSkipped, Reason: reason})
		}
	}
	j.undo.Actions, j.lines = actions, slices.Concat(lines, j.lines[n:], left)
}

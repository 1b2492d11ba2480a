package fire

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// resume settles what a firing that was interrupted had in its hands. What was
// there before it is held by the redo that it armed.
func (e *Engine) resume(ctx context.Context, j *job, o *Options) error {
	if j.saga.Status != ledger.IsFiring && j.saga.Status != ledger.IsFailed || j.saga.UndoneBy == "" {
		return nil
	}
	redo, err := e.Find(j.saga.UndoneBy)
	if err != nil {
		return err
	}
	manifest, err := hash(redo.Manifest)
	if err != nil {
		return fmt.Errorf("record of %s: %w", short(redo.ID), err)
	}
	payload, err := e.Store.Payload(redo.ID, manifest)
	if errors.Is(err, store.ErrNoPayload) {
		return nil // let go of since: what is there now counts
	}
	if err != nil {
		return err
	}
	j.redo, j.was = payload, payload.Entries()
	if j.saga.Status == ledger.IsFiring && o.Choice == "" {
		o.Choice = inverse.Choice(j.saga.Last.Choice)
	}
	if j.writing, err = workspace.Live().Resume(j.saga.ID, j.reached(ctx, *o), j.was); err != nil {
		return hint.With(err, j.again())
	}
	return nil
}

// seen leaves the temporaries of an interrupted firing out.
func (j *job) seen() workspace.Options {
	return workspace.Options{Skip: func(p string) (string, bool) {
		return "a temporary of this firing", workspace.IsTemp(p, j.saga.ID)
	}}
}

// unwritten shows files that an interrupted firing was writing into, by any of
// their names, as they were before: what they hold now is its own doing. Apply
// looks again, and keeps a copy of it.
func (j *job) unwritten(now []fingerprint.Entry) {
	type inode struct{ dev, ino uint64 }
	was, writing := map[string]fingerprint.Entry{}, map[inode]bool{}
	for _, w := range j.was {
		was[w.Path] = w
		if slices.Contains(j.writing, w.Path) {
			writing[inode{w.Dev, w.Ino}] = true
		}
	}
	for i, e := range now {
		if w := was[e.Path]; writing[inode{e.Dev, e.Ino}] && w.Dev == e.Dev && w.Ino == e.Ino {
			now[i] = w
		}
	}
}

// clean removes the temporaries that an interrupted firing left around the
// paths of the scope.
func (j *job) clean() error {
	if j.was == nil {
		return nil
	}
	var dirs []string
	for _, e := range slices.Concat(j.pre, j.was) {
		dirs = append(dirs, path.Dir(e.Path))
	}
	slices.Sort(dirs)
	if _, err := workspace.Live().CleanTemps(slices.Compact(dirs), j.saga.ID); err != nil {
		return hint.With(fmt.Errorf("remove what an interrupted firing left: %w", err), j.again())
	}
	return nil
}

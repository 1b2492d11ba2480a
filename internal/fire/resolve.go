package fire

import (
	"bytes"
	"context"
	"fmt"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// Resolved says that the marked places of a firing are decided.
type Resolved struct {
	V  int    `json:"v"`
	ID string `json:"id"`
	// Status is fired when the scope equals the armed state, else stale.
	Status string `json:"status"`
	// Paths are the first files that had been merged.
	Paths       []inverse.Name `json:"paths"`
	Fingerprint string         `json:"fingerprint"`
}

// Resolve records that a person has decided what a firing had marked. It fails
// while a file still has one of its markers. Files are only looked at.
func (e *Engine) Resolve(ctx context.Context, s ledger.Saga) (Resolved, error) {
	unlock, err := e.lock(ctx)
	if err != nil {
		return Resolved{}, err
	}
	defer unlock()
	if s, err = e.Find(s.ID); err != nil {
		return Resolved{}, err
	}
	if s.Status != ledger.IsConflict {
		return Resolved{}, hint.New("counterstep show "+short(s.ID), "%s has nothing to resolve: it is %s", short(s.ID), s.Seen())
	}
	j, err := e.load(s)
	if err != nil {
		return Resolved{}, err
	}
	defer j.close()
	if err := j.bounded(ctx, e); err != nil {
		return Resolved{}, err
	}
	j.follow(ctx, e)
	out := Resolved{V: 1, ID: s.ID, Status: "fired", Paths: []inverse.Name{}}
	for _, r := range j.roots {
		if err := j.unmarked(ctx, r); err != nil {
			return Resolved{}, err
		}
	}
	after, err := workspace.Capture(ctx, j.roots, workspace.Options{NoSHA: true})
	if err != nil {
		return Resolved{}, hint.With(fmt.Errorf("look at what was resolved: %w", err), "counterstep resolve "+short(s.ID))
	}
	kind := ledger.Fired
	out.Fingerprint = fingerprint.Hex(inverse.Fingerprint(after, j.remotes))
	if out.Fingerprint != fingerprint.Hex(inverse.Fingerprint(j.pre, j.remotes)) {
		out.Status, kind = "stale", ledger.Stale
	}
	// What was decided is what a redo starts from.
	if s.UndoneBy != "" {
		if err := e.settleRedo(ctx, s.UndoneBy, after, &store.Keeper{}); err != nil {
			return Resolved{}, err
		}
	}
	rec := ledger.Record{ID: s.ID, Kind: kind, Time: e.Now(), Undoes: s.Armed.Undoes, Fingerprint: out.Fingerprint, Reason: "resolved"}
	for i, p := range s.Last.Paths {
		out.Paths = append(out.Paths, inverse.Name(p))
		if kind == ledger.Stale && i < 8 {
			rec.Paths = append(rec.Paths, p)
		}
	}
	_, err = ledger.Append(ctx, e.Store.LedgerDir(), rec, ledger.AppendOptions{Sync: true})
	return out, err
}

// unmarked fails when a text of the scope still has a marker of this saga.
func (j *job) unmarked(ctx context.Context, root workspace.Root) error {
	entries, err := workspace.Capture(ctx, []workspace.Root{root}, workspace.Options{StatOnly: true})
	if err != nil {
		return hint.With(fmt.Errorf("look for markers: %w", err), "counterstep resolve "+short(j.saga.ID))
	}
	for _, e := range entries {
		if e.Type != fingerprint.File || e.Size > MaxText {
			continue
		}
		g := &grab{}
		if _, err := workspace.Capture(ctx, []workspace.Root{{Path: e.Path}}, workspace.Options{Sink: g}); err != nil {
			return hint.With(fmt.Errorf("look for markers: %w", err), "counterstep resolve "+short(j.saga.ID))
		}
		for _, mark := range []string{"<<<<<<< now", "||||||| left by " + inverse.Tag(j.saga.ID), ">>>>>>> before " + inverse.Tag(j.saga.ID)} {
			if i := bytes.Index(g.data, []byte(mark)); i >= 0 && (i == 0 || g.data[i-1] == '\n') {
				line := 1 + bytes.Count(g.data[:i], []byte("\n"))
				return hint.New("edit it, then: counterstep resolve "+short(j.saga.ID), "%q still has a marker in line %d", e.Path, line)
			}
		}
	}
	return nil
}

// Package fire takes calls back: it checks what is held, compares the state
// before the call, after it and now, arms the way back, and only then changes
// anything.
package fire

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// The exit codes of fire and redo.
const (
	ExitStale  = 3 // also: merged with markers
	ExitFailed = 4
)

// Engine fires the sagas of one store.
type Engine struct {
	Store *store.Store
	Now   func() time.Time
	NewID func() string
	// Git gives the door to git, for sagas with remotes.
	Git func() (*git.Door, error)
	// Progress, when set, is told how far writing is.
	Progress func(files int, bytes int64)
}

// Options say how to fire.
type Options struct {
	// DryRun changes nothing.
	DryRun bool
	// Force takes the present state for what the call left, so that drifted
	// paths are replaced. What is replaced is held by the redo.
	Force bool
	// Shared fires also what other calls with unknown writes may have changed,
	// because they ran in the same time.
	Shared bool
	// Choice says what becomes of what both the call and somebody later changed.
	Choice inverse.Choice
	// Only, when set, are the paths to take back, with everything below them;
	// absolute and clean. All others stay as they are.
	Only []string
	// Confirm is asked before a remote is touched, with what others lose by it.
	// Without it no remote is.
	Confirm func([]Warning) error
	// Tell, when set, hears what is about to be done before anything is: lines
	// without a status, and what depends on it.
	Tell func(Result)
	// Choose, when set, picks the lines to carry out.
	Choose func([]Line) ([]bool, error)

	// among are ids that are fired together with this one.
	among map[string]bool
}

// Line is what firing does with one path.
type Line struct {
	Path string `json:"path"`
	// Do is restore, remove, rename, metadata, times, merge, keep, beside, ref,
	// or link (nothing is done, but another name is linked to it).
	Do string `json:"do"`
	// Status is what became of it: restored, removed, merged, kept, beside,
	// drifted or skipped; for a ref fired, already-there, refused-by-server, lease-lost or
	// indeterminate; empty in a dry run.
	Status string `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Beside is where the armed version was put.
	Beside string `json:"beside,omitempty"`
	// Conflicts counts the places of a merged file that are marked to be
	// decided.
	Conflicts int `json:"conflicts,omitempty"`
	// Diff is, in a dry run, how a text would change, as diff -u writes it.
	Diff string `json:"diff,omitempty"`
}

// Result is what firing did.
type Result struct {
	ID string `json:"id"`
	// Status is fired, stale, conflict or failed; "would fire", "would be stale"
	// or "would conflict" for a dry run; "already fired" when there was nothing
	// left to do.
	Status string `json:"status"`
	Lines  []Line `json:"paths"`
	// Later are later calls that touched the same paths; Between is what ran
	// since the call and that no undo covers: it stays as it is.
	Later   []Later   `json:"later,omitempty"`
	Between []Between `json:"no_undo_since,omitempty"`
	// Remotes says what others lose by it.
	Remotes []Warning `json:"remotes,omitempty"`
	// Redo is the id of the saga that takes this firing back.
	Redo        string `json:"redo,omitempty"`
	Armed       string `json:"armed_fingerprint"`
	Fingerprint string `json:"fingerprint,omitempty"`
	// Settled says whether the state after the call was recorded, or only
	// predicted.
	Settled bool `json:"settled"`
}

// OnlyMerged reports that everything was taken back, and that the state differs
// from the armed one only by later changes to the same files.
func (r Result) OnlyMerged() bool {
	merged := false
	for _, l := range r.Lines {
		if l.open() || l.Conflicts > 0 {
			return false
		}
		merged = merged || l.Do == doMerge
	}
	return merged
}

// asAsked reports that nothing was left but later changes to the same files, and
// paths that were not asked for.
func (r Result) asAsked() bool {
	for _, l := range r.Lines {
		if l.Conflicts > 0 || l.open() && l.Reason != notAmong {
			return false
		}
	}
	return true
}

// OnlyPart reports that paths were left which were not asked for, and nothing
// else.
func (r Result) OnlyPart() bool {
	part := false
	for _, l := range r.Lines {
		switch {
		case l.Do == doKeep && (l.Reason == notAmong || l.Reason == notChosen):
			part = true
		case l.open() || l.Do == doMerge:
			return false
		}
	}
	return part
}

// Fire takes the call of a saga back. It is safe to kill and to call again.
func (e *Engine) Fire(ctx context.Context, s ledger.Saga, o Options) (Result, error) {
	if !o.DryRun {
		unlock, err := e.lock(ctx)
		if err != nil {
			return Result{}, err
		}
		defer unlock()
		// Another fire may have ended while this one waited.
		if s, err = e.Find(s.ID); err != nil {
			return Result{}, err
		}
		if err := Done(s); err != nil {
			return Result{}, err
		}
	}
	j, err := e.load(s)
	if err != nil {
		return Result{}, err
	}
	defer j.close()
	if s.Status == ledger.IsFired {
		return Result{ID: s.ID, Status: "already fired", Armed: s.Armed.Fingerprint, Fingerprint: s.Armed.Fingerprint}, nil
	}
	if err := j.bounded(ctx, e); err != nil {
		return Result{}, err
	}
	j.follow(ctx, e)
	if err := j.overlap(o); err != nil {
		return Result{}, err
	}
	if !o.DryRun {
		if err := e.resume(ctx, j, &o); err != nil {
			return Result{}, err
		}
	}
	if err := j.compare(ctx, o); err != nil {
		return Result{}, err
	}
	if o.Choose != nil {
		if err := j.choose(o.Choose); err != nil {
			return Result{}, err
		}
	}
	if len(j.remotes) > 0 {
		j.warnings = e.warn(ctx, j)
	}
	j.later, j.between = e.since(ctx, j)
	if o.DryRun {
		j.preview(ctx)
		return j.result("would fire"), nil
	}
	if o.Tell != nil {
		o.Tell(j.result("would fire"))
	}
	if err := j.ready(ctx, e); err != nil {
		return Result{}, err
	}
	if len(j.remotes) > 0 {
		if o.Confirm == nil {
			return Result{}, hint.New("add --yes", "this changes a remote, which others may have fetched from")
		}
		if err := o.Confirm(j.warnings); err != nil {
			return Result{}, err
		}
	}
	return e.run(ctx, j)
}

// lock makes fires of one store wait for each other.
func (e *Engine) lock(ctx context.Context) (func() error, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	unlock, err := durable.Lock(ctx, e.Store.Dir()+"/fire.lock")
	if err != nil {
		return nil, hint.New("counterstep status", "another fire is at work: %w", err)
	}
	return unlock, nil
}

// run arms the way back, carries the actions out, and records what came of it.
func (e *Engine) run(ctx context.Context, j *job) (Result, error) {
	// From here on an interrupt must not leave things half done: Apply itself
	// stops before its first change, or goes through.
	redo, err := e.armRedo(ctx, j)
	if err != nil {
		return Result{}, err
	}
	firing := ledger.Record{
		ID: j.saga.ID, Kind: ledger.Firing, Time: e.Now(), Undoes: j.saga.Armed.Undoes, Temps: j.directories(),
		Choice: string(j.choice),
	}
	if _, err := ledger.Append(ctx, e.Store.LedgerDir(), firing, ledger.AppendOptions{Sync: true}); err != nil {
		return Result{}, err
	}
	if err := fail.Point("fire.firing"); err != nil {
		return Result{}, err
	}
	if err := e.fireRemotes(ctx, j); err != nil {
		return e.remoteFailed(ctx, j, redo, err)
	}
	outcomes, err := workspace.Live().Apply(ctx, j.saga.ID, j.undo.Actions, j.open, workspace.ApplyOptions{Durable: true, Progress: e.Progress})
	if err != nil && errors.Is(err, workspace.ErrPartial) {
		return Result{}, hint.New(j.again(), "the undo stopped half-way; firing again goes on with it: %w", err)
	}
	if err != nil {
		return e.failed(ctx, j, redo, err)
	}
	if err := fail.Point("fire.applied"); err != nil {
		return Result{}, err
	}
	j.outcomes(outcomes)
	if err := j.clean(); err != nil {
		return Result{}, err
	}
	ctx = context.WithoutCancel(ctx)
	j.parents(ctx)
	return e.finish(ctx, j, redo)
}

// finish looks at the scope once more and records the outcome.
func (e *Engine) finish(ctx context.Context, j *job, redo string) (Result, error) {
	o := j.seen()
	o.NoSHA = true
	after, err := workspace.Capture(ctx, j.roots, o)
	if err != nil {
		return Result{}, hint.With(fmt.Errorf("look at what was restored: %w", err), j.again())
	}
	status, kind := "fired", ledger.Fired
	got := fingerprint.Hex(inverse.Fingerprint(after, j.remotes))
	if got != fingerprint.Hex(inverse.Fingerprint(j.pre, j.remotes)) || j.incomplete() {
		status, kind = "stale", ledger.Stale
	}
	if j.conflicted() {
		status, kind = "conflict", ledger.Conflict
	}
	if err := e.settleRedo(ctx, redo, after, j.written()); err != nil {
		return Result{}, err
	}
	rec := ledger.Record{ID: j.saga.ID, Kind: kind, Time: e.Now(), Undoes: j.saga.Armed.Undoes, Fingerprint: got}
	if j.part && kind == ledger.Stale {
		rec.Reason = ledger.OnlyPart
	}
	for _, l := range j.lines {
		if kind != ledger.Fired && (l.open() || l.Do == doMerge) {
			rec.Paths = append(rec.Paths, ledger.Name(l.Path))
		}
	}
	if len(rec.Paths) > 8 {
		rec.Paths, rec.More = rec.Paths[:8], len(rec.Paths)-8
	}
	if _, err := ledger.Append(ctx, e.Store.LedgerDir(), rec, ledger.AppendOptions{Sync: true}); err != nil {
		return Result{}, err
	}
	r := j.result(status)
	r.Redo, r.Fingerprint = redo, got
	return r, nil
}

// remoteFailed handles a remote that did not take its refs back. When nothing
// was changed yet the saga has failed; when some refs were put back it is
// stale; when it is not known, it stays open and can be fired again.
func (e *Engine) remoteFailed(ctx context.Context, j *job, redo string, cause error) (Result, error) {
	switch {
	case errors.Is(cause, errIndeterminate):
		return j.result("indeterminate"), hint.Exit(hint.New(j.again(), "%w; firing again is safe", cause), ExitFailed)
	case !j.pushed:
		return e.failed(ctx, j, redo, cause)
	}
	rec := ledger.Record{ID: j.saga.ID, Kind: ledger.Stale, Time: e.Now(), Undoes: j.saga.Armed.Undoes, Reason: hint.Clean(cause.Error())}
	if _, err := ledger.Append(context.WithoutCancel(ctx), e.Store.LedgerDir(), rec, ledger.AppendOptions{Sync: true}); err != nil {
		return Result{}, errors.Join(cause, err)
	}
	r := j.result("stale")
	return r, hint.Exit(hint.New("counterstep show "+short(j.saga.ID), "some refs were put back, not all: %w", cause), ExitStale)
}

// failed records that the inverse could not run. Nothing was changed.
func (e *Engine) failed(ctx context.Context, j *job, redo string, cause error) (Result, error) {
	ctx = context.WithoutCancel(ctx)
	if errors.Is(cause, context.Canceled) {
		cause = errors.New("interrupted")
	}
	for _, rec := range []ledger.Record{
		{ID: redo, Kind: ledger.Failed, Time: e.Now(), Reason: "not needed: the firing failed"},
		{ID: j.saga.ID, Kind: ledger.Failed, Time: e.Now(), Reason: hint.Clean(cause.Error())},
	} {
		if _, err := ledger.Append(ctx, e.Store.LedgerDir(), rec, ledger.AppendOptions{Sync: true}); err != nil {
			return Result{}, errors.Join(cause, err)
		}
	}
	r := j.result("failed")
	err := hint.New(j.again(), "the undo could not run, nothing was changed: %w", cause)
	return r, hint.Exit(err, ExitFailed)
}

func short(id string) string { return id[:min(len(id), 12)] }

// step is the inverse as it was recorded.
func (j *job) step() inverse.Step { return j.call.Step }

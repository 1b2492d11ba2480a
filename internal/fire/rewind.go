package fire

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// RewindOptions say how to rewind.
type RewindOptions struct {
	// DryRun changes nothing, and says what would happen.
	DryRun bool
	// Paths, when set, are what is rewound, with everything below; absolute and
	// clean.
	Paths []string
	// Git rewinds repositories' own files too: HEAD, refs, index.
	Git bool
	// Choice is as in [Options].
	Choice inverse.Choice
	// Wait is how long to wait for calls in flight; below 0 they are not waited
	// for, and what they have not reported counts as not known.
	Wait time.Duration
	// Root is the real path of the workspace.
	Root string
	// Confirm, when set, is asked before anything is changed.
	Confirm func(Rewound) error
}

// Rewind brings the paths that calls of agents changed since a point back to
// what they were then. What nobody's call changed stays, and so do changes that
// a person made to the same files, before or after. [Engine.Redo] takes it back.
// It is safe to kill and to call again.
func (e *Engine) Rewind(ctx context.Context, to Target, o RewindOptions) (Rewound, error) {
	if err := e.settle(ctx, to, o); err != nil {
		return Rewound{}, err
	}
	if !o.DryRun {
		unlock, err := e.lock(ctx)
		if err != nil {
			return Rewound{}, err
		}
		defer unlock()
	}
	records, report, err := ledger.ReadAll(e.Store.LedgerDir())
	if err != nil {
		return Rewound{}, err
	}
	w := &rewind{engine: e, to: to, o: o, sagas: ledger.Fold(records)}
	defer w.close()
	if err := w.plan(ctx, report.Damage); err != nil {
		return Rewound{}, err
	}
	if o.DryRun {
		return w.result("would rewind"), nil
	}
	if len(w.job.undo.Actions) == 0 && w.job.saga.Status == "" {
		return w.result("would rewind"), nil
	}
	if o.Confirm != nil {
		if err := o.Confirm(w.result("would rewind")); err != nil {
			return Rewound{}, err
		}
	}
	return w.run(ctx)
}

// settle waits for calls that may be running.
func (e *Engine) settle(ctx context.Context, to Target, o RewindOptions) error {
	if o.Wait < 0 || o.DryRun {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	for {
		sagas, err := ledger.Recent(e.Store.LedgerDir(), func(sagas []ledger.Saga) bool {
			return len(sagas) > 0 && e.Now().Sub(sagas[len(sagas)-1].Armed.Time) > backgroundTime
		})
		if err != nil {
			return err
		}
		flying := inFlight(e, sagas)
		if len(flying) == 0 {
			return nil
		}
		if err := fail.Point("fire.wait"); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return ctx.Err()
			}
			return hint.New(to.retry()+" --no-wait", "%s may still be running (%s), so what it changes is not known yet; wait until it ends, or do not wait for it",
				name(flying[0]), hint.Clean(flying[0].Armed.Command))
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// rewind is one Rewind.
type rewind struct {
	engine *Engine
	to     Target
	o      RewindOptions
	sagas  []ledger.Saga
	base   *checkpoint.Checkpoint
	line   *timeline
	job    *job
	goals  map[string]goal
	mine   map[string]bool
	gits   map[int]bool // calls that changed repositories
	calls  map[int]bool // calls that are taken back
	refs   []MovedRef
}

func (w *rewind) close() {
	if w.line != nil {
		w.line.close()
	}
	if w.base != nil {
		w.base.Close()
	}
	if w.job != nil && w.job.redo != nil {
		w.job.redo.Close()
	}
}

// plan works out what is to be done.
func (w *rewind) plan(ctx context.Context, damage []ledger.Damage) error {
	for _, d := range damage {
		if d.Affects(w.to.Saga) {
			return hint.New("counterstep verify", "the ledger is damaged at byte %d (%s), and the point to rewind to may be affected", d.Offset, d.Reason)
		}
	}
	if err := w.load(); err != nil {
		return err
	}
	w.line = w.engine.trace(ctx, w.sagas, damage, w.to.since(), w.before)
	w.begin()
	w.job.call.Step.Moves = w.meant(w.line.renames())
	for _, p := range sortedKeys(w.line.paths) {
		w.take(ctx, p)
	}
	w.shelter()
	for _, p := range sortedKeys(w.goals) {
		w.scope(p, w.goals[p])
	}
	w.line.skipped = slices.DeleteFunc(w.line.skipped, func(s Skip) bool { return s.Path != "" && !w.among(string(s.Path)) })
	w.links()
	w.directories()
	o := Options{Choice: w.o.Choice}
	if !w.o.DryRun {
		if err := w.engine.resume(ctx, w.job, &o); err != nil {
			return err
		}
	}
	if err := w.compare(ctx, o); err != nil {
		return err
	}
	w.refs = w.movedRefs(ctx)
	return nil
}

// load opens the checkpoint of the point.
func (w *rewind) load() error {
	id := w.to.Saga.Armed.Checkpoint
	if id == "" {
		j, err := w.engine.load(w.to.Saga)
		if err != nil {
			return err
		}
		defer j.close()
		if j.call.Bound == nil {
			return nil
		}
		id = j.call.Bound.Checkpoint
	}
	c, err := checkpoint.In(w.engine.Store).Load(id)
	switch {
	case errors.Is(err, checkpoint.ErrGone):
		return gone(w.to.Saga)
	case err != nil:
		return err
	}
	w.base = c
	return nil
}

// before is the state of a tree at the point.
func (w *rewind) before(dir string) []fingerprint.Entry {
	if w.base == nil {
		return nil
	}
	out := w.base.Under(dir)
	for i := range out {
		out[i].Group = 0
	}
	return out
}

// begin makes the job, or takes up that of a rewind to the same point that was
// interrupted.
func (w *rewind) begin() {
	j := &job{
		engine: w.engine, settled: true, time: w.engine.Now().UnixNano(), held: map[string]bool{}, checkpoint: w.base,
		from: map[string]func() (readCloser, error){}, leftAt: map[string]func() ([]byte, bool){}, retry: w.to.retry(),
	}
	j.call.Cwd = inverse.Name(w.o.Root)
	j.saga.ID = w.engine.NewID()
	for _, s := range w.sagas {
		if s.Armed.Kind == ledger.Rewind && s.Status == ledger.IsFiring && s.Armed.Candidates != nil && s.Armed.Candidates[0] == w.to.Saga.ID {
			j.saga = s
			break
		}
	}
	w.job, w.goals, w.mine, w.gits, w.calls = j, map[string]goal{}, map[string]bool{}, map[int]bool{}, map[int]bool{}
}

// run carries the plan out.
func (w *rewind) run(ctx context.Context) (Rewound, error) {
	j := w.job
	if err := j.ready(ctx, w.engine); err != nil {
		return Rewound{}, err
	}
	if j.saga.Status == "" {
		a := w.to.Saga.Armed
		rec := ledger.Record{
			ID: j.saga.ID, Kind: ledger.Rewind, Time: w.engine.Now(), Tool: "rewind", Cwd: ledger.Name(w.o.Root),
			Harness: a.Harness, Session: a.Session, Prompt: a.Prompt, Checkpoint: a.Checkpoint, Candidates: []string{w.to.Saga.ID},
			Command: "rewind " + w.to.words(), Fingerprint: fingerprint.Hex(inverse.Fingerprint(j.pre, nil)),
		}
		rec, err := ledger.Append(ctx, w.engine.Store.LedgerDir(), rec, ledger.AppendOptions{Sync: true})
		if err != nil {
			return Rewound{}, err
		}
		j.saga.Armed = rec
		if err := fail.Point("fire.rewind"); err != nil {
			return Rewound{}, err
		}
	}
	for _, a := range j.undo.Actions { // a redo takes away what is put beside
		if a.Op == workspace.Put && !j.held[a.Entry.Path] {
			j.roots = append(j.roots, workspace.Root{Path: a.Entry.Path})
			j.held[a.Entry.Path] = true
		}
	}
	r, err := w.engine.run(ctx, j)
	if err != nil {
		return Rewound{}, err
	}
	out := w.result("rewound")
	out.ID, out.Redo = j.saga.ID, r.Redo
	return out, nil
}

// result says what was done, or would be.
func (w *rewind) result(status string) Rewound {
	r := Rewound{
		V: 1, Status: status, Point: w.to.point(), Restored: []ledger.Name{}, Removed: []ledger.Name{}, Merged: []Kept{}, Kept: []Kept{},
		Skipped: append([]Skip{}, w.line.skipped...), Calls: sortedKeys(w.calls), Repository: sortedKeys(w.gits), NotUndone: w.line.undone,
		Refs: w.refs, Git: w.ranGit(),
	}
	lines := slices.Clone(w.job.lines)
	for i, l := range lines {
		if w.mine[l.Path] && (l.Do == doRestore || l.Do == doMetadata) && l.Status != workspace.StatusSkipped {
			lines[i].Do, lines[i].Reason = doKeep, "as it was changed before a later call"
		}
	}
	r.sortLines(lines)
	if status == "would rewind" && len(w.job.undo.Actions) == 0 {
		r.Status = "nothing to do"
	}
	if r.Calls == nil {
		r.Calls = []int{}
	}
	return r
}

func sortedKeys[K interface{ ~int | ~string }, V any](m map[K]V) []K {
	var out []K
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

package fire

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
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
	if err := e.settle(ctx, o); err != nil {
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
func (e *Engine) settle(ctx context.Context, o RewindOptions) error {
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
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return ctx.Err()
			}
			return hint.New("counterstep rewind --no-wait …", "%s may still be running (%s), so what it changes is not known yet; wait until it ends, or do not wait for it",
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

// meant drops renames outside of what is rewound.
func (w *rewind) meant(moves []inverse.Move) []inverse.Move {
	return slices.DeleteFunc(moves, func(m inverse.Move) bool {
		out := !inverse.Within(string(m.From), w.o.Root) || !inverse.Within(string(m.To), w.o.Root)
		return out || !w.among(string(m.From)) && !w.among(string(m.To))
	})
}

// among reports whether a path is one of those that were asked for.
func (w *rewind) among(p string) bool {
	return len(w.o.Paths) == 0 || slices.ContainsFunc(w.o.Paths, func(o string) bool { return inverse.Within(p, o) })
}

// take takes one path into the scope.
func (w *rewind) take(ctx context.Context, p string) {
	ts := redone(slices.Clone(w.line.paths[p]))
	var numbers []int
	moved := false
	for _, t := range ts {
		moved = moved || t.nav
		if !t.own && t.saga.Number > 0 {
			numbers = append(numbers, t.saga.Number)
		}
	}
	switch _, git := gitDir(p); {
	case len(numbers) == 0 && !moved || !w.among(p):
		return
	case !inverse.Within(p, w.o.Root):
		for _, t := range ts {
			w.outside(t)
		}
		return
	case git && !w.o.Git:
		for _, n := range numbers {
			w.gits[n] = true
		}
		return
	}
	base, why := baseAt(w.base, p)
	g, ok := w.line.goal(ctx, p, base)
	if !ok {
		reason := "what was there is not known"
		if w.base != nil {
			reason = "the checkpoint does not hold it: " + why.String()
		}
		w.line.skipped = append(w.line.skipped, Skip{Path: ledger.Name(p), Call: append(numbers, 0)[0], Reason: reason})
		return
	}
	for _, n := range numbers {
		w.calls[n] = true
	}
	w.goals[p] = g
}

// shelter keeps the directories around files that keep a person's change, also
// those that a call has made.
func (w *rewind) shelter() {
	for _, p := range sortedKeys(w.goals) {
		if g := w.goals[p]; !g.mine || g.want.Type == fingerprint.Absent {
			continue
		}
		for dir := filepath.Dir(p); len(dir) > len(w.o.Root); dir = filepath.Dir(dir) {
			g, ok := w.goals[dir]
			if !ok || g.want.Type == fingerprint.Dir {
				continue
			}
			if e, ok := w.line.wasDir(dir); ok {
				g.want, g.mine, g.old = e, true, nil
				w.goals[dir] = g
			}
		}
	}
}

// wasDir is the newest look at a path that found a directory there.
func (t *timeline) wasDir(p string) (fingerprint.Entry, bool) {
	for _, o := range slices.Backward(t.paths[p]) {
		for _, e := range []fingerprint.Entry{o.post, o.pre} {
			if e.Type == fingerprint.Dir {
				return e, true
			}
		}
	}
	return fingerprint.Entry{}, false
}

// scope takes a path with its goal into the job.
func (w *rewind) scope(p string, g goal) {
	j := w.job
	j.roots = append(j.roots, workspace.Root{Path: p})
	j.pre, j.post = append(j.pre, g.want), append(j.post, g.left)
	j.held[p] = true
	j.from[p], j.leftAt[p] = g.source, g.after
	w.mine[p] = g.mine
	if g.old != nil && g.old.entry.Type != fingerprint.Absent && g.old.entry.Type != fingerprint.Dir {
		j.olds = append(j.olds, *g.old)
	}
}

// outside notes a call that changed something outside of the workspace.
func (w *rewind) outside(t touch) {
	known := slices.ContainsFunc(w.line.undone, func(n NotUndone) bool { return n.ID == t.saga.ID })
	if t.own || known || t.saga.Status == ledger.IsFired {
		return
	}
	w.line.undone = append(w.line.undone, NotUndone{
		ID: t.saga.ID, Number: t.saga.Number, Command: t.saga.Armed.Command,
		Why: "it changed " + hint.Clean(t.pre.Path) + ", outside of the workspace", Next: "counterstep fire " + word(t.saga),
	})
}

// links tells which of the paths were names of one inode, and takes their other
// names in, so that all can become one file again.
func (w *rewind) links() {
	if w.base == nil {
		return
	}
	j := w.job
	linked := map[uint64]bool{}
	for i, e := range j.pre {
		if b, why := w.base.Entry(e.Path); why == checkpoint.Held && b.Type == fingerprint.File && b.Links > 1 && inverse.Same(b, e) {
			j.pre[i].Ino, j.pre[i].Dev, j.pre[i].Links = b.Ino, b.Dev, b.Links
			linked[b.Ino] = true
		} else {
			j.pre[i].Ino, j.pre[i].Dev = 0, 0
		}
	}
	if len(linked) == 0 {
		return
	}
	group := map[string]int{}
	for _, e := range w.base.Under(w.o.Root) {
		if e.Group == 0 || !linked[e.Ino] {
			continue
		}
		group[e.Path] = e.Group
		if !j.held[e.Path] && w.among(e.Path) {
			v, _ := baseAt(w.base, e.Path)
			j.roots = append(j.roots, workspace.Root{Path: e.Path})
			j.pre, j.post = append(j.pre, e), append(j.post, e)
			j.held[e.Path], j.from[e.Path] = true, v.open
		}
	}
	for i, e := range j.pre { // a name with a change of its own is no longer one of them
		if b, why := w.base.Entry(e.Path); why == checkpoint.Held && inverse.Same(b, e) {
			j.pre[i].Group = group[e.Path]
		}
	}
}

// directories remembers how the directories around the scope were.
func (w *rewind) directories() {
	j := w.job
	slices.SortFunc(j.pre, func(a, b fingerprint.Entry) int { return strings.Compare(a.Path, b.Path) })
	around := map[string]bool{}
	for p := range j.held {
		around[filepath.Dir(p)] = true
	}
	for _, m := range j.step().Moves {
		around[filepath.Dir(string(m.From))], around[filepath.Dir(string(m.To))] = true, true
	}
	for _, dir := range sortedKeys(around) {
		switch {
		case !inverse.Within(dir, w.o.Root):
		case w.base != nil:
			j.parent(w.base, dir)
		default: // its listing then is not known; a redo brings back that of now
			j.around = append(j.around, inverse.Parent{Path: inverse.Name(dir)})
		}
	}
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

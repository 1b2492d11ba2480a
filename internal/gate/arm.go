package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"syscall"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
	"github.com/counterstep/counterstep/rehearse"
)

// maxShadow is the size in bytes up to which a rehearsal writes a shadow. Above
// it every held byte is read again and compared instead.
const maxShadow = 4 << 30

// Armed is what arming a call yields.
type Armed struct {
	ID          string
	Step        inverse.Step
	Entries     []fingerprint.Entry
	Sealed      store.Sealed
	Fingerprint uint64
	Proof       ledger.Proof
	// Remotes are held in private stores; Plain is what pushes do besides that
	// loses nothing.
	Remotes []git.Remote
	Plain   []string
	// Bound is the checkpoint of a call whose writes are not known; missing
	// names what it does not hold.
	Bound   *inverse.Bound
	missing []string
}

// arm captures what the call can destroy, proves the inverse, and records it;
// only then the call is let go.
func (g *Gate) arm(ctx context.Context, r Request, st *store.Store, v classify.Verdict) Decision {
	if n, ok := g.prepared(ctx, r, st, v); ok {
		return g.armAgain(ctx, r, st, n)
	}
	if err := g.afford(st, 0); err != nil {
		return g.unarmed(ctx, r, st, v, err)
	}
	a, err := g.prepare(ctx, r, st, v)
	if err != nil {
		return g.unarmed(ctx, r, st, v, err)
	}
	if a.empty() {
		v.Barriers = append(v.Barriers, a.Plain...)
		return g.passed(ctx, r, st, v)
	}
	if err := g.enter(ctx, st, g.armedRecord(r, v, a)); err != nil {
		return fault(err)
	}
	expect(st, r, pending{ID: a.ID, Armed: true, Step: a.Step, Tool: r.Tool, Remotes: a.Remotes, Files: a.Sealed.Files, Bound: a.Bound})
	if err := fail.Point("gate.release"); err != nil {
		return fault(err)
	}
	return Decision{Message: joined(message(r, a), g.warning(st))}
}

// armedRecord is the line by which a call counts as armed.
func (g *Gate) armedRecord(r Request, v classify.Verdict, a Armed) ledger.Record {
	rec := g.record(ledger.Armed, a.ID, r, v)
	if a.Bound != nil { // what is opaque is covered, as far as the bound goes
		rec.Barrier, rec.Reason = v.Barriers, a.covers()
	}
	rec.Barrier = append(rec.Barrier, a.Plain...)
	rec.Inverse, rec.Background = a.words(), r.Background
	rec.Fingerprint = fingerprint.Hex(a.Fingerprint)
	rec.Proof = &a.Proof
	rec.Manifest, rec.CallSHA = hexOf(a.Sealed.Manifest), hexOf(a.Sealed.Call)
	rec.Files, rec.Bytes = a.Sealed.Files, a.Sealed.Bytes
	return rec
}

// enter makes the armed line durable. When it cannot, the payload goes.
func (g *Gate) enter(ctx context.Context, st *store.Store, rec ledger.Record) error {
	if err := fail.Point("gate.armed"); err != nil {
		return err
	}
	if _, err := g.append(ctx, st, rec, ledger.AppendOptions{Sync: true}); err != nil {
		g.unrecord(st, rec.ID)
		return err
	}
	return nil
}

// armAgain records that the call for which a payload was armed ahead is made
// now, by this session.
func (g *Gate) armAgain(ctx context.Context, r Request, st *store.Store, n ahead) Decision {
	rec := n.Record
	rec.Time, rec.Harness, rec.Session, rec.Prompt, rec.Call, rec.Agent, rec.Tool = g.Now(), r.Harness, r.Session, r.Prompt, r.CallID, r.Agent, r.Tool
	rec.Background, rec.Again = r.Background, true
	if err := fail.Point("gate.again"); err != nil {
		return fault(err)
	}
	if _, err := g.append(ctx, st, rec, ledger.AppendOptions{Sync: true}); err != nil {
		return fault(err)
	}
	expect(st, r, pending{ID: rec.ID, Armed: true, Step: n.Step, Tool: r.Tool, Files: rec.Files, Bound: n.Bound})
	return Decision{Message: fmt.Sprintf("counterstep: %s was armed before. Undo: counterstep fire %s", hint.Clean(shorten(Redact(what(r)), 60)), Short(rec.ID))}
}

// empty reports that there is nothing to hold.
func (a Armed) empty() bool { return a.Step.Empty() && len(a.Remotes) == 0 && a.Bound == nil }

// prepare plans, captures, seals and rehearses.
func (g *Gate) prepare(ctx context.Context, r Request, st *store.Store, v classify.Verdict) (Armed, error) {
	a := Armed{ID: g.NewID()}
	var err error
	if a.Step, err = inverse.Plan(v.Effects, workspace.Disk{}); err != nil {
		return a, fmt.Errorf("plan the undo: %w", err)
	}
	var layouts []git.Layout
	if a.Remotes, layouts, a.Plain, err = g.remotes(ctx, st, v); err != nil {
		return a, err
	}
	if err := g.bound(ctx, r, st, v, &a); err != nil {
		return a, err
	}
	if a.empty() {
		return a, nil
	}
	if err := g.rehearseRemotes(ctx, st, a.Remotes, layouts); err != nil {
		return a, err
	}
	staging, err := g.capture(ctx, r, st, &a)
	if err != nil {
		return a, err
	}
	roots := Roots(a.Step)
	a.Fingerprint = inverse.Fingerprint(a.Entries, a.Remotes)
	data := g.call(a.ID, r, v, a.Step)
	data.Remotes, data.Bound = a.Remotes, a.Bound
	call, err := json.Marshal(data)
	if err != nil {
		staging.Abort()
		return a, fmt.Errorf("write call.json: %w", err)
	}
	if a.Sealed, err = staging.Seal(a.Entries, call); err != nil {
		staging.Abort()
		return a, err
	}
	if a.Proof, err = g.rehearse(ctx, st, staging, a, roots, v); err != nil {
		staging.Abort()
		return a, err
	}
	if err := staging.Commit(ctx); err != nil {
		staging.Abort()
		return a, err
	}
	return a, nil
}

// unrecord removes the payload of a call that could not be recorded. When its
// line came into the ledger all the same, as after a sync that failed, the
// payload stays: an armed line without one must not be.
func (g *Gate) unrecord(st *store.Store, id string) {
	if records, err := ledger.Find(st.LedgerDir(), id); err == nil && len(records) == 0 {
		st.Remove(id)
	}
}

// capture reads the scope into a staging. When a file of it has names outside,
// those in the workspace join the scope, so that the names can become one file
// again.
func (g *Gate) capture(ctx context.Context, r Request, st *store.Store, a *Armed) (*store.Staging, error) {
	limit, first := g.budget(), true
	for {
		staging, err := st.Begin(a.ID)
		if err != nil {
			return nil, err
		}
		a.Entries, err = workspace.Capture(ctx, Roots(a.Step), workspace.Options{Sink: staging, OneFS: true, Progress: g.Progress, Limit: limit})
		if less, ok := g.withinBudget(st, a, err); ok && less != limit {
			staging.Abort()
			limit = less
			continue
		}
		if err != nil {
			staging.Abort()
			return nil, err
		}
		more := 0
		if first {
			for _, name := range g.otherNames(ctx, r, a.Entries) {
				if err := a.Step.Include(name, workspace.Disk{}); err != nil {
					staging.Abort()
					return nil, err
				}
				more++
			}
		}
		if more == 0 {
			return staging, nil
		}
		staging.Abort()
		first = false
	}
}

// maxNames is how many files of the workspace are looked at to find the other
// names of a captured inode.
const maxNames = 200_000

// otherNames finds names in the workspace of captured files that have more
// links than the scope shows. What cannot be found is left: such a file comes
// back as one of its own.
func (g *Gate) otherNames(ctx context.Context, r Request, entries []fingerprint.Entry) []string {
	type inode struct{ dev, ino uint64 }
	missing := map[inode]int{}
	for _, e := range entries {
		if e.Type == fingerprint.File && e.Links > 1 {
			if _, ok := missing[inode{e.Dev, e.Ino}]; !ok {
				missing[inode{e.Dev, e.Ino}] = int(e.Links)
			}
			missing[inode{e.Dev, e.Ino}]--
		}
	}
	maps.DeleteFunc(missing, func(_ inode, n int) bool { return n <= 0 })
	ws := g.Workspace(r.Cwd)
	if len(missing) == 0 || ws.Root == g.Home || ws.Root == "/" {
		return nil
	}
	all, err := workspace.Capture(ctx, []workspace.Root{{Path: ws.Root, Tree: true}}, workspace.Options{StatOnly: true, Limit: workspace.Limits{Files: maxNames}})
	if err != nil {
		return nil
	}
	have := map[string]bool{}
	for _, e := range entries {
		have[e.Path] = true
	}
	var names []string
	for _, e := range all {
		if _, ok := missing[inode{e.Dev, e.Ino}]; ok && e.Type == fingerprint.File && !have[e.Path] {
			names = append(names, e.Path)
		}
	}
	return names
}

// rehearse proves the inverse on a shadow, or, when that would be too large,
// proves that every held byte is what was captured. Meanwhile the payload is on
// its way to the disk.
func (g *Gate) rehearse(ctx context.Context, st *store.Store, staging *store.Staging, a Armed, roots []workspace.Root, v classify.Verdict) (ledger.Proof, error) {
	payload, err := staging.Payload()
	if err != nil {
		return ledger.Proof{}, err
	}
	defer payload.Close()
	if a.Sealed.Bytes > maxShadow {
		if err := payload.Verify(ctx, nil); err != nil {
			return ledger.Proof{}, err
		}
		return ledger.Proof{Kind: "restored", Reason: fmt.Sprintf("over %d bytes", int64(maxShadow))}, nil
	}
	space := rehearse.Space(g.RuntimeDir, st.ShadowDir(), a.Sealed.Bytes)
	err = rehearse.Simulate(ctx, space, rehearse.Scope{
		ID: a.ID, Roots: roots, Pre: a.Entries, Fate: fates(v.Effects),
		Undo: func(now []fingerprint.Entry) []workspace.Action {
			return inverse.Resolve(inverse.States{ID: a.ID, Pre: a.Entries, Now: now, Step: a.Step, Force: true}).Actions
		},
		Open: func(e fingerprint.Entry) (io.ReadCloser, error) { return payload.Open(e) },
	})
	return ledger.Proof{Kind: "simulated"}, err
}

// Roots are the paths to look at for a step.
func Roots(s inverse.Step) []workspace.Root {
	roots := make([]workspace.Root, len(s.Roots))
	for i, r := range s.Roots {
		roots[i] = workspace.Root{Path: string(r.Path), Tree: r.Tree}
	}
	return roots
}

// fates predicts every path from the effects. The worst that any effect can do
// to a path counts.
func fates(effects []classify.Effect) func(string) rehearse.Fate {
	return func(path string) rehearse.Fate {
		fate := rehearse.Kept
		for _, e := range effects {
			hit := path == e.Path || path == e.To || e.Tree && within(path, e.Path) || e.Kind == classify.Move && (within(path, e.Path) || within(path, e.To))
			if !hit {
				continue
			}
			switch e.Kind {
			case classify.Delete:
				fate = rehearse.Gone
			case classify.Move:
				if within(path, e.Path) {
					fate = rehearse.Gone
				} else {
					fate = rehearse.Changed
				}
			case classify.Overwrite, classify.Create:
				fate = rehearse.Changed
			}
		}
		return fate
	}
}

// unarmed turns a failure to arm into an answer: what the files make
// impossible is a refusal with its reason, trouble of ours is a fault.
func (g *Gate) unarmed(ctx context.Context, r Request, st *store.Store, v classify.Verdict, err error) Decision {
	var instead string
	switch {
	case isTrouble(err):
		return fault(err)
	case isAs[*partialError](err):
		instead = "ask a person to make that path readable, to move it, or to exclude its directory in counterstep.toml"
	case isAs[*quotaError](err):
		instead = "ask a person to run: counterstep gc --keep 7d, or to raise the quota in counterstep.toml"
	case isAs[*workspace.LimitError](err):
		e, _ := errors.AsType[*workspace.LimitError](err)
		err, instead = errors.New(tooMuch(e)), armFirst(r)
	case isAs[*workspace.UnreadableError](err):
		instead = "leave the unreadable path out, or ask a person to change its mode"
	case isAs[*workspace.ChangedError](err):
		instead = "wait until nothing writes there, then try again"
	case isAs[*workspace.MountError](err):
		instead = "name the directories beside the mounted one"
	case isAs[*workspace.MovedError](err):
		instead = "name the real path, without links on the way"
	case errors.Is(err, errRepo):
		instead = noRepo
	case errors.Is(err, errRemote), errors.Is(err, git.ErrUnreachable):
		instead = "make the remote reachable without a prompt, or ask a person to push"
	case errors.Is(err, context.DeadlineExceeded):
		return fault(hint.New(armFirst(r), "this call touches more than can be captured in time"))
	default:
		return fault(err)
	}
	v.Refusals = append(v.Refusals, classify.Refusal{Reason: err.Error(), Instead: instead})
	return g.refuseIn(ctx, r, st, v)
}

// isTrouble reports whether a disk or the system failed us. That is no property
// of the call, wherever it came up.
func isTrouble(err error) bool {
	return slices.ContainsFunc([]error{
		syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EROFS, syscall.EMFILE, syscall.ENFILE,
	}, func(e error) bool { return errors.Is(err, e) })
}

func isAs[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

const (
	// sizeCap is the size in bytes above which a checkpoint does not hold a file.
	sizeCap = 512 << 20
	// checkpointTime is how long taking a checkpoint may last in a hook.
	checkpointTime = 30 * time.Second
)

// bounds reports whether a workspace is a bound for programs whose writes are
// not known: never the root, nor anything that holds the home directory.
func (g *Gate) bounds(ws workspace.Workspace) bool {
	return ws.Root != "/" && (g.Home == "" || !within(real(g.Home), ws.Root))
}

// bounded holds a call whose writes are not known but lie in a bound: its state
// is kept in a checkpoint first. Without a bound it is let go and recorded as a
// barrier, or refused when a command word itself is not known.
func (g *Gate) bounded(ctx context.Context, r Request, st *store.Store, ws workspace.Workspace, v classify.Verdict) Decision {
	bound := g.bounds(ws)
	switch {
	case v.Unnamed && (!bound || len(v.Dirs)+len(v.Wide) > 0):
		v.Refusals = append(v.Refusals, classify.Refusal{
			Reason:  "a command word is computed while the line runs, so what it does cannot be known",
			Instead: "write the command's name out",
		})
		return g.refuseIn(ctx, r, st, v)
	case !bound && len(v.Repositories) > 0:
		v.Refusals = append(v.Refusals, classify.Refusal{
			Reason:  "git would throw away what no checkpoint holds: " + ws.Root + " is too wide to be one",
			Instead: "run it in the directory of the repository",
		})
		return g.refuseIn(ctx, r, st, v)
	case bound || len(v.Effects) > 0:
		return g.arm(ctx, r, st, v)
	default:
		return g.passed(ctx, r, st, v)
	}
}

// ofSystem reports a place that holds no files of anybody's.
func ofSystem(dir string) bool {
	return within(dir, "/proc") || within(dir, "/sys") || within(dir, "/dev")
}

// TakeCheckpoint records the state of a workspace and of directories besides.
func (g *Gate) TakeCheckpoint(ctx context.Context, st *store.Store, ws workspace.Workspace, id string, also []string, limit time.Duration) (*checkpoint.Checkpoint, error) {
	o := checkpoint.Options{
		ID: id, Root: ws.Root, Leave: []string{filepath.Join(g.StateHome, "counterstep"), st.Dir()},
		SizeCap: sizeCap, Now: g.Now, Progress: g.Progress,
	}
	if limit > 0 {
		o.Deadline = g.Now().Add(limit)
	}
	for _, d := range also {
		if !within(real(g.Home), d) && d != "/" && !ofSystem(d) { // a bound never holds the home directory
			o.Also = append(o.Also, d)
		}
	}
	p, err := g.policy(ws)
	if err != nil {
		return nil, err
	}
	if len(p.Exclude) > 0 {
		o.Excludes = checkpoint.DefaultExcludes()
		for _, name := range p.Exclude {
			o.Excludes = append(o.Excludes, checkpoint.Exclude{Name: name})
		}
	}
	c, err := checkpoint.In(st).Take(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("take a checkpoint: %w", err)
	}
	return c, nil
}

// bound takes the checkpoint of a call before it runs.
func (g *Gate) bound(ctx context.Context, r Request, st *store.Store, v classify.Verdict, a *Armed) error {
	ws := g.Workspace(r.Cwd)
	if v.Class != classify.Bounded || !g.bounds(ws) {
		return nil
	}
	limit := checkpointTime
	if g.unhurried {
		limit = 0
	}
	layouts, err := g.local(ws, &v)
	if err != nil {
		return err
	}
	c, err := g.TakeCheckpoint(ctx, st, ws, g.NewID(), v.Dirs, limit)
	if err != nil {
		return err
	}
	defer c.Close()
	if p, err := g.policy(ws); err != nil {
		return err
	} else if p.NoPartial && c.Partial {
		return &partialError{missing: c.Missing()}
	}
	a.Bound = &inverse.Bound{Checkpoint: c.ID, Root: inverse.Name(ws.Root), Partial: c.Partial}
	for _, d := range v.Dirs {
		a.Bound.Also = append(a.Bound.Also, inverse.Name(d))
	}
	if a.Bound.Repos, err = g.holdObjects(ctx, st, layouts, v); err != nil {
		return err
	}
	for i, gap := range c.Missing() {
		if i == 8 {
			break
		}
		a.missing = append(a.missing, fmt.Sprintf("%s (%s)", gap.Path, gap.Reason))
	}
	return nil
}

// partialError says that the policy wants a checkpoint that holds everything.
type partialError struct{ missing []checkpoint.Gap }

func (e *partialError) Error() string {
	first := ""
	if len(e.missing) > 0 {
		first = fmt.Sprintf(": %s (%s)", e.missing[0].Path, e.missing[0].Reason)
	}
	return fmt.Sprintf("the checkpoint would leave out %d paths, and the policy forbids that%s", len(e.missing), first)
}

// settleBound records the state of the bound after a call, and lists what
// differs.
func (g *Gate) settleBound(ctx context.Context, st *store.Store, b *inverse.Bound) (changed []string, err error) {
	also := make([]string, len(b.Also))
	for i, d := range b.Also {
		also[i] = string(d)
	}
	post, err := g.TakeCheckpoint(ctx, st, workspace.Workspace{Root: string(b.Root)}, g.NewID(), also, checkpointTime)
	if err != nil {
		return nil, err
	}
	defer post.Close()
	b.Post = post.ID
	if post.ID == b.Checkpoint {
		return nil, nil
	}
	pre, err := checkpoint.In(st).Load(b.Checkpoint)
	if err != nil {
		return nil, err
	}
	defer pre.Close()
	for _, c := range checkpoint.Diff(pre, post) {
		if !c.TimesOnly() || c.Pre.Type == fingerprint.File && c.Pre.MTime != c.Post.MTime {
			changed = append(changed, c.Path)
		}
	}
	return changed, nil
}

// putLeft keeps what a call left besides files of its exact scope.
func putLeft(st *store.Store, id string, remotes []git.Remote, bound *inverse.Bound) error {
	if len(remotes) == 0 && bound == nil {
		return nil
	}
	data, err := json.Marshal(inverse.Left{Remotes: remotes, Bound: bound})
	if err != nil {
		return err
	}
	return st.PutRefs(id, data)
}

// harmless takes a bounded call off the list of what can be fired, since it
// changed nothing.
func (g *Gate) harmless(ctx context.Context, st *store.Store, r Request, p pending) error {
	rec := g.record(ledger.Call, p.ID, r, classify.Verdict{Class: classify.Bounded})
	rec.Reason = "changed nothing"
	if _, err := g.append(ctx, st, rec, ledger.AppendOptions{Sync: true}); err != nil {
		return err
	}
	return st.Remove(p.ID)
}

// covers says what a bounded call's undo covers, and what it leaves out.
func (a Armed) covers() string {
	if a.Bound == nil {
		return ""
	}
	text := "covers " + hint.Clean(string(a.Bound.Root)) + ", not what the program does outside of it"
	if a.Bound.Partial {
		text += fmt.Sprintf("; not held: %s", hint.Clean(fmt.Sprint(a.missing)))
	}
	return text
}

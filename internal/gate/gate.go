package gate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/policy"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// Gate decides calls. One Gate serves one call; it holds what the outside
// world tells, so that a test can tell something else.
type Gate struct {
	// StateHome is $XDG_STATE_HOME or its default, empty when no home is known;
	// RuntimeDir is $XDG_RUNTIME_DIR or empty. Both are absolute.
	StateHome, RuntimeDir string
	// Store is the store's directory when it is not the workspace's usual one.
	Store string
	// Home is the user's home directory.
	Home string
	// Env holds the variables that a command line may use.
	Env map[string]string
	// Shell is the shell that will run the command: bash, zsh or sh.
	Shell string
	// Binary is the path of this program.
	Binary string
	// UserPolicy is the file of the user's policy; empty: there is none.
	UserPolicy string
	// Policy are the files that decide what the gate does, besides the
	// settings of the harness: nobody but a person changes them.
	Policy []string
	// Settings lists the files in which a harness keeps its hooks for a
	// workspace.
	Settings func(root string) []string
	// Intact returns an error when a changed settings file no longer holds our
	// hooks.
	Intact func(file string) error
	// Git gives the door to git. It may be nil: then no push can be armed.
	Git func() (*git.Door, error)
	// Now is the clock, NewID makes ids (ULIDs).
	Now   func() time.Time
	NewID func() string
	// Said reads in the harness's record of a conversation, nil when it has none.
	Said func(transcript string, w Wanted) Said
	// Quota is how many bytes a store may take, Budget what one capture in a hook
	// may hold; zero values mean the usual.
	Quota  int64
	Budget workspace.Limits
	// Progress, when set, is told how far a capture is.
	Progress func(files int, bytes int64)

	// unhurried lifts the limits that hold while an agent waits.
	unhurried bool
	// What was found out about directories; many calls are classified by one
	// Gate only when they are explained.
	spaces   map[string]workspace.Workspace
	places   map[string]*places
	policies map[string]loaded
}

// Decide answers a request. It never panics on what a request holds, and it
// never returns a decision that lets a destructive call go without a durable
// record of how to take it back.
func (g *Gate) Decide(ctx context.Context, r Request) Decision {
	switch r.Event {
	case Before:
		return g.before(ctx, r)
	case After, AfterFailed:
		return both(g.ended(ctx, r), g.after(ctx, r))
	case Prompt:
		return both(g.ended(ctx, r), g.prompt(ctx, r))
	case Stop, End:
		d := g.ended(ctx, r)
		for _, st := range g.stores(r) {
			g.listen(ctx, st, r)
		}
		return d
	case Config:
		return g.config(r)
	case Start:
		return g.start(r)
	default:
		return Decision{}
	}
}

// before decides a call that is about to run.
func (g *Gate) before(ctx context.Context, r Request) Decision {
	if r.Cwd == "" || !filepath.IsAbs(r.Cwd) {
		return fault(hint.New("counterstep doctor", "the payload names no absolute directory (cwd %q)", r.Cwd))
	}
	ws := g.Workspace(r.Cwd)
	v, err := g.Judge(r, ws)
	if err != nil {
		return fault(err)
	}
	switch v.Class {
	case classify.Inert:
		return g.inert(ctx, r, ws, v)
	case classify.Irreversible:
		return g.refuse(ctx, r, ws, v)
	}
	st, err := g.open(ws)
	if err != nil {
		return fault(err)
	}
	if v.Class == classify.Bounded {
		return g.bounded(ctx, r, st, ws, v)
	}
	return g.arm(ctx, r, st, v)
}

// Workspace is where the calls of a directory are recorded. A directory that
// cannot be a workspace, such as the home directory itself, still has a store
// for exact calls; it is only no bound for programs whose writes are unknown.
func (g *Gate) Workspace(cwd string) workspace.Workspace {
	if ws, ok := g.spaces[cwd]; ok {
		return ws
	}
	ws, err := workspace.Registry{Home: g.Home}.Find(g.StateHome, cwd)
	if err != nil {
		ws = workspace.Workspace{Root: real(cwd)}
	}
	if g.spaces == nil {
		g.spaces = map[string]workspace.Workspace{}
	}
	g.spaces[cwd] = ws
	return ws
}

// Classify is [Gate.Judge] for those who cannot do anything about a policy that
// is not understood.
func (g *Gate) Classify(r Request, ws workspace.Workspace) classify.Verdict {
	v, _ := g.Judge(r, ws)
	return v
}

// classify says what the call of r would do, without touching anything.
func (g *Gate) classify(r Request, ws workspace.Workspace, p policy.Policy) classify.Verdict {
	c := g.context(r.Cwd, ws)
	c.Rules, c.Hosts = p.Rules, p.Hosts
	shield(&c, p.Protected)
	switch r.Input.Kind {
	case Shell:
		return g.reach(ws, classify.Command(c, r.Input.Command))
	case PowerShell:
		return g.reach(ws, classify.PowerShell(c, r.Input.Command))
	case Write, Edit:
		return classify.File(c, r.Tool, r.Input.Paths)
	case Read:
		return g.reading(c, r)
	case External:
		return classify.Verdict{Class: classify.Inert, Barriers: []string{r.Tool}}
	default:
		return classify.Tool(c, r.Tool, r.Input.Words)
	}
}

// reading lets a tool read anything but the store: captured secrets are not for
// agents.
func (g *Gate) reading(c classify.Context, r Request) classify.Verdict {
	for _, p := range r.Input.Paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(r.Cwd, p)
		}
		if reason, ok := c.ReadProtected(p); ok {
			return classify.Verdict{Refusals: []classify.Refusal{{Reason: fmt.Sprintf("%s reads %s", r.Tool, reason)}}}
		}
	}
	return classify.Verdict{Class: classify.Inert}
}

// open opens the workspace's store, or makes it when there is none yet.
func (g *Gate) open(ws workspace.Workspace) (*store.Store, error) {
	if g.Store == "" && g.StateHome == "" {
		return nil, ErrNoHome()
	}
	dir := g.Dir(ws)
	st, err := store.Open(dir)
	if errors.Is(err, store.ErrMissing) {
		return store.Create(dir)
	}
	return st, err
}

// ErrNoHome says that it is not known where the store lies.
func ErrNoHome() error {
	return hint.New("set HOME", "neither HOME nor XDG_STATE_HOME is an absolute path, so there is no place for the store")
}

// Dir is the directory of the workspace's store.
func (g *Gate) Dir(ws workspace.Workspace) string {
	if g.Store != "" {
		return g.Store
	}
	return store.Dir(g.StateHome, ws.Root)
}

// inert lets a call go at once. Nothing about the store can stop it.
func (g *Gate) inert(ctx context.Context, r Request, ws workspace.Workspace, v classify.Verdict) Decision {
	kind := ledger.Call
	switch {
	case len(v.Barriers) > 0:
		kind = ledger.Barrier
	case r.Input.Kind == Read:
		return Decision{}
	}
	st, err := g.open(ws)
	if err != nil {
		return Decision{Note: "not recorded: " + hint.Clean(err.Error())}
	}
	rec := g.record(kind, g.NewID(), r, v)
	if _, err := g.append(ctx, st, rec, ledger.AppendOptions{Sync: kind == ledger.Barrier}); err != nil {
		if kind == ledger.Barrier {
			return fault(err)
		}
		return Decision{Note: "not recorded: " + hint.Clean(err.Error())}
	}
	if step, err := inverse.Plan(v.Effects, workspace.Disk{}); err == nil {
		expect(st, r, pending{ID: rec.ID, Step: step, Tool: r.Tool})
	}
	return Decision{}
}

// passed lets a call go and records that no inverse covers it.
func (g *Gate) passed(ctx context.Context, r Request, st *store.Store, v classify.Verdict) Decision {
	rec := g.record(ledger.Barrier, g.NewID(), r, v)
	if _, err := g.append(ctx, st, rec, ledger.AppendOptions{Sync: true}); err != nil {
		return fault(err)
	}
	return Decision{}
}

// config refuses a change of settings that would take our hooks out.
func (g *Gate) config(r Request) Decision {
	if g.Intact == nil {
		return Decision{}
	}
	if err := g.Intact(r.SettingsFile); err != nil {
		return Decision{Refused: true, Reason: err.Error(), Hint: "a person takes the hook out with: counterstep uninstall"}
	}
	return Decision{}
}

// start speaks only when something keeps the gate from working. It clears away
// what killed processes left.
func (g *Gate) start(r Request) Decision {
	st, err := g.open(g.Workspace(r.Cwd))
	if err != nil {
		return Decision{Message: "counterstep: " + hint.Clean(err.Error()) + "; destructive calls will be refused"}
	}
	if _, err := st.Sweep(g.Now(), g.RuntimeDir); err != nil {
		return Decision{Note: hint.Clean(err.Error())}
	}
	return Decision{}
}

// fault is our own failure: the call is blocked where it can be.
func fault(err error) Decision {
	d := Decision{Fault: true, Reason: hint.Clean(err.Error())}
	if hints := hint.Of(err); len(hints) > 0 {
		d.Hint = hints[0]
	}
	return d
}

package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
)

const about = `counterstep holds every destructive call of a coding agent until an undo for it
exists and has been proven. Then the call runs, and you can take it back.

  counterstep init          put the hook into this project's settings
  counterstep ledger        what was armed, what can be undone
  counterstep fire --last   take the newest call back
  counterstep rewind 2      back to before prompt 2 of 'counterstep checkpoints'
  counterstep redo          take that back

It is a safety net, not a sandbox: it promises that what it arms can be put
back, not that a program with your rights cannot do harm.

Exit codes: 0 done, 1 error, 2 blocked call or wrong usage, 3 stale, 4 failed.`

func newRoot(env Env) *cobra.Command {
	root := &cobra.Command{
		Use: "counterstep", Short: "The undo for what coding agents do", Long: about,
		SilenceErrors: true, SilenceUsage: true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			next := "counterstep --help"
			if near := c.SuggestionsFor(args[0]); len(near) > 0 {
				next = "counterstep " + near[0]
			}
			return hint.Exit(hint.New(next, "there is no command %q", args[0]), 2)
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.PersistentFlags().String("store", "", "use the store in this `DIR` instead of the workspace's own")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return hint.Exit(hint.With(err, c.CommandPath()+" --help"), 2)
	})
	root.AddCommand(
		newInit(env), newUninstall(env), newList(env), newLedger(env), newShow(env), newFire(env), newRedo(env), newResolve(env), newCheckpoints(env), newRewind(env),
		newBlame(env), newSearch(env), newDiff(env), newStats(env),
		newExplain(env), newRehearse(env), newArm(env), newAllow(env), newRules(env), newVerify(env), newExport(env), newForget(env), newGC(env), newStatus(env), newDoctor(env), newDemo(env), newHook(env), newVersion(env),
	)
	addCompletions(env, root)
	return root
}

// newHook documents the command that Main answers itself.
func newHook(env Env) *cobra.Command {
	return &cobra.Command{
		Use: "hook [HARNESS]", Short: "Answer one event of a coding agent (read from stdin)",
		Long: "Reads one event as JSON from stdin and answers in the harness's own form.\nIt is started by the agent, see 'counterstep init'.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if code := hook(env, args); code != 0 {
				return hint.Exit(errors.New("blocked"), code)
			}
			return nil
		},
	}
}

// place is a workspace with its store.
type place struct {
	gate   *gate.Gate
	ws     workspace.Workspace
	dir    string
	store  *store.Store
	engine *fire.Engine
}

// open finds the store of the current directory. A store that is not there is
// no error for commands that only look: place.store is nil then.
func open(env Env, c *cobra.Command, write bool) (place, error) {
	g := newGate(env)
	g.Store, _ = c.Flags().GetString("store")
	p := place{gate: g, ws: g.Workspace(env.Dir)}
	if g.Store == "" && g.StateHome == "" {
		return p, gate.ErrNoHome()
	}
	p.dir = g.Dir(p.ws)
	st, err := store.Open(p.dir)
	if err != nil && !write && !errors.Is(err, store.ErrMissing) {
		st, err = store.OpenReadOnly(p.dir)
	}
	if errors.Is(err, store.ErrMissing) && !write {
		return p, nil
	}
	if errors.Is(err, store.ErrMissing) {
		return p, hint.New("counterstep init", "nothing was recorded for %s yet", p.ws.Root)
	}
	if err != nil {
		return p, err
	}
	p.store = st
	p.engine = &fire.Engine{Store: st, Now: env.Now, NewID: env.newID, Git: g.Git}
	return p, nil
}

// exactly is cobra.ExactArgs with a message that says what is missing.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		s := "s"
		if len(args) == 1 {
			s = ""
		}
		return hint.Exit(hint.New(c.CommandPath()+" --help", "%s takes %s, not %d argument%s", c.Name(), what, len(args), s), 2)
	}
}

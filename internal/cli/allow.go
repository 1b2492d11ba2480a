package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
)

func newAllow(env Env) *cobra.Command {
	var once bool
	c := &cobra.Command{
		Use: "allow --once 'COMMAND'", Short: "Let one refused command through, once, without an undo",
		Long: `Lets exactly this command through the hook once, in this workspace, within the
next hour. Nothing can take back what it does: the ledger shows it as a barrier.

This is for people. It asks at a terminal and nowhere else, and the hook refuses
it to agents. What no agent may touch (the home directory, the store, the
settings that hold the hook, protected paths) cannot be allowed: run such a
command yourself.`,
		Example: "  counterstep allow --once 'curl -X DELETE https://staging.example.com/cache'",
		Args:    exactly(1, "one command, quoted"),
	}
	c.Flags().BoolVar(&once, "once", false, "there is no other way; it must be said")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if !once {
			return hint.Exit(hint.New("counterstep allow --once 'COMMAND'", "a command is only allowed once; for more there is counterstep.toml"), 2)
		}
		if !env.Terminal {
			return hint.Exit(hint.New("run it at a terminal", "a person has to say so, and there is no terminal to ask at"), 2)
		}
		g := newGate(env)
		g.Store, _ = c.Flags().GetString("store")
		r := gate.Request{Tool: "Bash", Cwd: env.Dir, Input: gate.Input{Kind: gate.Shell, Command: args[0]}}
		v, err := g.Judge(r, g.Workspace(env.Dir))
		if err != nil {
			return err
		}
		for _, f := range v.Refusals {
			fmt.Fprintf(env.Stderr, "no undo: %s\n", hint.Clean(f.Reason))
		}
		ok, err := confirm(env, "let an agent run this once, with nothing to take it back?", "")
		if err != nil || !ok {
			return err
		}
		if err := g.Allow(r); err != nil {
			return err
		}
		fmt.Fprintf(env.Stdout, "allowed once, until %s\n", env.Now().Add(gate.AllowTime).Local().Format("15:04"))
		return nil
	}
	return c
}

package cli

import (
	"context"
	"os"
	"os/signal"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/trial"
)

// Main runs one command line and returns the exit code: 0 done, 1 error, 2 a
// wrong command line or a blocked call, 3 stale, 4 failed. The hook is
// dispatched before the command framework: it is started for every call of an
// agent.
func Main(env Env, args []string) int {
	if len(args) > 0 && args[0] == "hook" {
		return hook(env, args[1:])
	}
	if len(args) == 1 && args[0] == trial.Verb {
		if err := trial.Inside(context.Background(), env.Stdin, env.Stdout); err != nil {
			hint.Print(env.Stderr, err)
			return 1
		}
		return 0
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root := newRoot(env)
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	hint.Print(env.Stderr, err)
	return hint.Code(err)
}

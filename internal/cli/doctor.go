package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/doctor"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/trial"
)

func newDoctor(env Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "doctor", Short: "Check that the guard works: hook, agent, store, file system",
		Long: `Sends a harmless call through the command line in each settings file, as the
agent would, and looks for it in the ledger; sends one without an undo, which
must be refused; asks the agent's program for its version; looks at the
store and at what its file system can do; and names calls that were never settled,
that ran without the hook, and hooks that the agent did not wait for. One line per finding, with the
command that sets it right.

  ok    as it should be
  note  worth knowing
  warn  works, but less well than it could
  fail  a promise is not kept

Exit codes: 0 nothing fails, 1 something does.`,
		Args: exactly(0, "no arguments"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON, one array")
	c.RunE = func(*cobra.Command, []string) error {
		found := doctor.Examine(c.Context(), doctorOptions(env, c))
		if asJSON {
			if err := writeJSON(env.Stdout, found); err != nil {
				return err
			}
		} else {
			printFindings(env.Stdout, found)
		}
		if n := doctor.Failed(found); n > 0 {
			return fmt.Errorf("%d of %d findings fail", n, len(found))
		}
		return nil
	}
	return c
}

func doctorOptions(env Env, c *cobra.Command) doctor.Options {
	g := newGate(env) // what the hook itself will use: it knows no --store
	o := doctor.Options{
		Machine: machine(env), UserPolicy: g.UserPolicy, Dir: env.Dir, Root: g.Workspace(env.Dir).Root,
		Executable: env.Executable, Path: env.Getenv("PATH"), Managed: doctor.ManagedFiles(runtime.GOOS),
		Place: func(dir string) string { return g.Dir(g.Workspace(dir)) },
		Git:   g.Git, Now: env.Now, NewID: env.newID,
	}
	o.Apart = func(ctx context.Context) error { return trial.Probe(ctx, env.Executable, o.Root) }
	o.StoreDir = o.Place(env.Dir)
	if o.Config = env.Getenv("CLAUDE_CONFIG_DIR"); !filepath.IsAbs(o.Config) {
		if o.Config = ""; env.home() != "" {
			o.Config = filepath.Join(env.home(), ".claude")
		}
	}
	if s, _ := c.Flags().GetString("store"); s != "" {
		if o.StoreDir = s; !filepath.IsAbs(s) {
			o.StoreDir = filepath.Join(env.Dir, s)
		}
	}
	for _, name := range append([]string{"PATH", "HOME", "SHELL", "TMPDIR", "LANG", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"}, passed[:]...) {
		if v := env.Getenv(name); v != "" {
			o.Environ = append(o.Environ, name+"="+v)
		}
	}
	return o
}

func printFindings(w io.Writer, all []doctor.Finding) {
	for _, f := range all {
		fmt.Fprintf(w, "%-5s %-7s %s", f.Level, f.Check, hint.Clean(f.What))
		if f.Fix != "" {
			fmt.Fprintf(w, "  fix: %s", hint.Clean(f.Fix))
		}
		fmt.Fprintln(w)
	}
}

package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/setup"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

func newInit(env Env) *cobra.Command {
	var scope string
	var show bool
	c := &cobra.Command{
		Use: "init", Short: "Put the hook into the settings of this project",
		Long: `Merges counterstep's entries into a settings file of Claude Code, registers the
workspace, makes its store, and links it as .counterstep (for people; git is
told to leave it out). Running it again changes nothing.

  project   .claude/settings.json (often committed: on a machine where
            counterstep was never installed the entries pass with a note)
  local     .claude/settings.local.json
  user      ~/.claude/settings.json`,
		Args: exactly(0, "no arguments"),
	}
	c.Flags().StringVar(&scope, "scope", string(setup.Project), "`SCOPE` of the settings: project, local or user")
	c.Flags().BoolVar(&show, "print", false, "print what the settings file would become, and do nothing")
	c.RunE = func(*cobra.Command, []string) error {
		plan, err := setup.Init(setupOptions(env, scope))
		if err != nil {
			return err
		}
		if show {
			_, err := env.Stdout.Write(plan.After)
			return err
		}
		return install(env, c, plan)
	}
	return c
}

func setupOptions(env Env, scope string) setup.Options {
	// From anywhere below the top of a project, the project is meant.
	return setup.Options{
		Scope: setup.Scope(scope), Project: newGate(env).Workspace(env.Dir).Root, Binary: env.Executable,
		Machine: machine(env),
	}
}

func machine(env Env) setup.Machine {
	return setup.Machine{Home: env.home(), StateHome: env.stateHome()}
}

func install(env Env, c *cobra.Command, plan setup.Plan) error {
	g := newGate(env)
	g.Store, _ = c.Flags().GetString("store")
	ws, err := workspace.Registry{Home: g.Home}.Register(g.StateHome, g.Workspace(env.Dir).Root)
	if err != nil {
		return err
	}
	st, err := store.Create(g.Dir(ws))
	if err != nil {
		return err
	}
	if err := plan.Apply(c.Context()); err != nil {
		return err
	}
	w := env.Stdout
	fmt.Fprintf(w, "workspace  %s\nstore      %s\n", hint.Clean(ws.Root), hint.Clean(st.Dir()))
	if plan.Changed {
		fmt.Fprintf(w, "settings   %s (entries added, nothing else changed)\n", hint.Clean(plan.File))
	} else {
		fmt.Fprintf(w, "settings   %s (they were there already)\n", hint.Clean(plan.File))
	}
	if err := setup.Link(ws.Root, st.Dir()); err != nil {
		fmt.Fprintf(env.Stderr, "counterstep: no link for people: %s\n", hint.Clean(err.Error()))
	} else {
		fmt.Fprintf(w, "link       %s\n", hint.Clean(filepath.Join(ws.Root, ".counterstep")))
		if _, err := setup.Exclude(ws.Root); err != nil {
			fmt.Fprintf(env.Stderr, "counterstep: git will list the link: %s\n", hint.Clean(err.Error()))
		}
	}
	bar := newProgress(env, "first checkpoint")
	g.Progress = bar.update
	cp, err := g.TakeCheckpoint(c.Context(), st, ws, env.newID(), nil, 0)
	bar.done()
	if err != nil {
		return err
	}
	defer cp.Close()
	fmt.Fprintf(w, "checkpoint %d files, %s%s\n", cp.Files, inverse.Size(cp.Bytes), map[bool]string{true: " (not complete: counterstep doctor)"}[cp.Partial])
	fmt.Fprintln(w, "\nRestart the Claude Code session: hooks are read when a session starts.\nThen work as before; counterstep ledger lists what can be taken back.")
	return nil
}

func newUninstall(env Env) *cobra.Command {
	var scope string
	var show bool
	c := &cobra.Command{
		Use: "uninstall", Short: "Take the hook out of the settings again",
		Long: "Takes exactly the entries out that init put in. The store, its ledger and the\nlink stay: what was armed can still be fired.",
		Args: exactly(0, "no arguments"),
	}
	c.Flags().StringVar(&scope, "scope", string(setup.Project), "`SCOPE` of the settings: project, local or user")
	c.Flags().BoolVar(&show, "print", false, "print what the settings file would become, and do nothing")
	c.RunE = func(*cobra.Command, []string) error {
		plan, err := setup.Uninstall(setupOptions(env, scope))
		if err != nil {
			return err
		}
		if show {
			_, err := env.Stdout.Write(plan.After)
			return err
		}
		if err := plan.Apply(c.Context()); err != nil {
			return err
		}
		g := newGate(env)
		g.Store, _ = c.Flags().GetString("store")
		uninstalled(env, plan, g, g.Workspace(env.Dir))
		return nil
	}
	return c
}

func uninstalled(env Env, plan setup.Plan, g *gate.Gate, ws workspace.Workspace) {
	w := env.Stdout
	if plan.Changed {
		fmt.Fprintf(w, "settings   %s (our entries are out, nothing else changed)\n", hint.Clean(plan.File))
	} else {
		fmt.Fprintf(w, "settings   %s (no entries of ours)\n", hint.Clean(plan.File))
	}
	dir := g.Dir(ws)
	link := filepath.Join(ws.Root, ".counterstep")
	fmt.Fprintf(w, "store      %s stays, and so does %s\n", hint.Clean(dir), hint.Clean(link))
	fmt.Fprintf(w, "\nWhat was armed can still be fired. To delete it for good:\n  chmod -R u+w %s && rm -rf %s %s\n", quote(dir), quote(dir), quote(link))
}

// quote writes a word for a POSIX shell.
func quote(s string) string {
	safe := true
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '/' || r == '.' || r == '-' || r == '_' || r == '+') {
			safe = false
		}
	}
	if safe && s != "" {
		return s
	}
	out := "'"
	for i := range len(s) {
		if s[i] == '\'' {
			out += `'\''`
		} else {
			out += s[i : i+1]
		}
	}
	return hint.Clean(out + "'")
}

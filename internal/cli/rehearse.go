package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/internal/trial"
	"github.com/counterstep/counterstep/inverse"
)

func newRehearse(env Env) *cobra.Command {
	var asJSON bool
	var limit time.Duration
	c := &cobra.Command{
		Use: "rehearse -- 'COMMAND'", Short: "Show what a command would do, by running it where it can do no harm",
		Long: `Really runs the command, on an overlay of the workspace that lies in memory and
in namespaces of its own: everything else is read-only, and there is no network
and no socket. Shows what it created, changed and removed, then runs the undo
there and says whether it brought everything back. The workspace is not touched.

Only coreutils, findutils, sed, grep and local git are run, never a program
whose writes are not known. The hooks of a repository do not run. Linux only.

Exit codes: 0 as predicted, and the undo is proven where there is something to
undo; 1 this host cannot do it, or it went wrong; 2 not a command that is
rehearsed; 3 it wrote something that was not predicted; 4 the undo fell short.
What the command's own exit status was is shown.`,
		Args: exactly(1, "one command, quoted"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.Flags().DurationVar(&limit, "timeout", time.Minute, "end the command after this `TIME`")
	c.RunE = func(_ *cobra.Command, args []string) error {
		v, r, err := rehearsal(c.Context(), env, c, args[0], limit)
		if err != nil {
			return err
		}
		if asJSON {
			err = writeJSON(env.Stdout, struct {
				V     int    `json:"v"`
				Class string `json:"class"`
				trial.Report
				Outside int `json:"outside"`
			}{1, v.Class.String(), r, r.Outside()})
		} else {
			err = page(c.Context(), env, func(w io.Writer, p palette) error { return writeRehearsal(w, p, v, r) })
		}
		switch {
		case err != nil:
			return err
		case r.Outside() > 0:
			return hint.Exit(fmt.Errorf("it wrote %d paths that were not predicted", r.Outside()), 3)
		case r.Short != "":
			return hint.Exit(errors.New(r.Short), 4)
		}
		return nil
	}
	return c
}

// rehearsal judges a command and runs it apart.
func rehearsal(ctx context.Context, env Env, c *cobra.Command, command string, limit time.Duration) (v classify.Verdict, r trial.Report, err error) {
	g := newGate(env)
	g.Store, _ = c.Flags().GetString("store")
	ws := g.Workspace(env.Dir)
	v, err = g.Judge(gate.Request{Tool: "Bash", Cwd: env.Dir, Input: gate.Input{Kind: gate.Shell, Command: command}}, ws)
	if err != nil {
		return v, r, err
	}
	next := "counterstep explain '" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	if why := trial.Refuse(v, ws.Root); why != "" {
		return v, r, hint.Exit(hint.New(next, "not rehearsed: %s", hint.Clean(why)), 2)
	}
	if ws.Root == "/" || ws.Root == "/tmp" || env.home() != "" && inverse.Within(env.home(), ws.Root) {
		return v, r, hint.Exit(hint.New("cd PROJECT", "not rehearsed: %s is too wide to be a workspace", ws.Root), 2)
	}
	path := proc.Clean(env.Getenv("PATH"))
	shell, err := proc.Look("bash", path)
	if err != nil {
		if shell, err = proc.Look("sh", path); err != nil {
			return v, r, err
		}
	}
	dir, err := filepath.EvalSymlinks(env.Dir)
	if err != nil {
		return v, r, err
	}
	hide := []string{filepath.Join(env.stateHome(), "counterstep")}
	if g.Store != "" {
		hide = append(hide, g.Dir(ws))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err = trial.Run(ctx, trial.Plan{
		ID: env.newID(), Command: command, Root: ws.Root, Cwd: dir, Hide: hide, Verdict: v,
		Executable: env.Executable, Shell: shell, Env: apartEnviron(env, path),
	})
	if errors.Is(err, trial.ErrUnable) {
		return v, r, hint.With(fmt.Errorf("%w; nothing was run", err), "sysctl user.max_user_namespaces kernel.apparmor_restrict_unprivileged_userns")
	}
	return v, r, err
}

// apartEnviron is the environment of a rehearsed command. Hooks of a repository
// are code of others.
func apartEnviron(env Env, path string) []string {
	out := []string{
		"PATH=" + path, "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_PAGER=cat",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=/dev/null",
		"GIT_CONFIG_KEY_1=core.fsmonitor", "GIT_CONFIG_VALUE_1=false",
	}
	for _, name := range []string{"HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "XDG_CONFIG_HOME"} {
		if v := env.Getenv(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	return out
}

// writeRehearsal writes a report for people.
func writeRehearsal(w io.Writer, p palette, v classify.Verdict, r trial.Report) error {
	for _, out := range [][]byte{r.Stdout, r.Stderr} {
		for line := range strings.Lines(string(out)) {
			fmt.Fprintf(w, "| %s\n", hint.CleanText(strings.TrimRight(line, "\r\n")))
		}
	}
	fmt.Fprintf(w, "exit %d, %d paths would change\n", r.Code, len(r.Changes))
	for _, c := range r.Changes {
		head := fmt.Sprintf("%-8s %s", c.Kind, hint.Clean(string(c.Path)))
		if c.Dir {
			head += "/"
		}
		if c.Note != "" {
			head += "  (" + c.Note + ")"
		}
		if c.Names > 1 {
			head += fmt.Sprintf("  (one of %d names of this file: a write into it shows under all)", c.Names)
		}
		if c.Outside {
			head += "  NOT PREDICTED"
		}
		fmt.Fprintln(w, p.yellow(head))
		writeDiff(w, p, c.Diff)
	}
	_, err := fmt.Fprintf(w, "%s: %s\n%s\n", v.Class, answer(v), provenWords(r))
	return err
}

func provenWords(r trial.Report) string {
	switch {
	case r.Proof != "":
		return "the undo was run as well, and everything was as before"
	case r.Short != "":
		return "the undo fell short"
	default:
		return "nothing to undo was predicted"
	}
}

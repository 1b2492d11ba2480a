package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

// fireFlags are the flags of fire and redo.
type fireFlags struct {
	last, dryRun, asJSON, yes, interactive, force, shared bool

	pick fire.Pick
}

// several reports whether more than one call is meant.
func (f *fireFlags) several() bool { return f.pick != fire.Pick{} }

func newFire(env Env) *cobra.Command {
	var f fireFlags
	c := &cobra.Command{
		Use: "fire N|ID|--last|--since ID|--session ID|--prompt N", Short: "Take a call back, or several",
		Long: `Takes one call back, verified: what it deleted or overwrote is put back byte for
byte, what it created is removed if it still is as the call left it. What
somebody changed since is never touched: it stays, and the armed version is put
beside it as NAME.counterstep-ID. 'counterstep redo' takes a fire back.

A call is named by its number in 'counterstep list' or by the beginning of its
id. With --since, --session or --prompt all calls that are meant are taken back,
the newest first. It stops at the first one that cannot be taken back
completely; the same command goes on from there. Flags together mean the calls
that all of them mean.

Exit codes: 0 fired, 1 error, 3 stale (something had changed: look), 4 failed
(nothing was changed).`,
		Args: cobra.MaximumNArgs(1),
	}
	c.Flags().BoolVar(&f.last, "last", false, "take the newest call back that can be")
	c.Flags().BoolVarP(&f.interactive, "interactive", "i", false, "ask for every path")
	c.Flags().BoolVar(&f.force, "force-now", false, "replace what was changed since as well; the redo holds it")
	c.Flags().BoolVar(&f.shared, "shared", false, "also what other calls may have changed that ran in the same time")
	c.Flags().StringVar(&f.pick.Since, "since", "", "take back this call and all later ones: `N` or an id")
	c.Flags().StringVar(&f.pick.Session, "session", "", "take back the calls of the session whose id begins with `ID`")
	c.Flags().IntVar(&f.pick.Prompt, "prompt", 0, "take back the calls of prompt `N` of 'counterstep checkpoints'")
	f.add(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		ways := len(args)
		for _, way := range []bool{f.last, f.several()} {
			if way {
				ways++
			}
		}
		switch {
		case ways != 1:
			return hint.Exit(hint.New("counterstep fire --last", "fire takes a number, an id, --last, or which calls to take back"), 2)
		case f.several() && f.interactive:
			return hint.Exit(hint.New("counterstep fire -i ID", "-i asks for the paths of one call"), 2)
		case f.several():
			return f.runSeveral(env, c)
		}
		return f.run(env, c, func(e *fire.Engine) (ledger.Saga, error) {
			if f.last {
				return e.Last()
			}
			return e.Find(args[0])
		})
	}
	return c
}

func newRedo(env Env) *cobra.Command {
	var f fireFlags
	c := &cobra.Command{
		Use: "redo", Short: "Take the newest fire back",
		Long: "Puts the scope of the newest fire into the state that it had before that fire.\nExit codes are those of fire.",
		Args: exactly(0, "no arguments"),
	}
	f.add(c)
	c.RunE = func(*cobra.Command, []string) error {
		return f.run(env, c, nil)
	}
	return c
}

func (f *fireFlags) add(c *cobra.Command) {
	c.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "say what would be done, path by path, and do nothing")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the result as JSON")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
}

// run fires what pick picks, or the newest redo when pick is nil.
func (f *fireFlags) run(env Env, c *cobra.Command, pick func(*fire.Engine) (ledger.Saga, error)) error {
	debug.SetGCPercent(400) // one short process, like the hook
	p, err := open(env, c, true)
	if err != nil {
		return err
	}
	bar := newProgress(env, "writing")
	p.engine.Progress = bar.update
	o := f.options(env)
	o.Shared = o.Shared || pick == nil
	if f.interactive {
		o.Choose = func(ls []fire.Line) ([]bool, error) { return ask(env, ls) }
	}
	var r fire.Result
	if pick == nil {
		r, err = p.engine.Redo(c.Context(), o)
	} else {
		var s ledger.Saga
		if s, err = pick(p.engine); err != nil {
			return err
		}
		if err = fireable(s); err != nil {
			return err
		}
		r, err = p.engine.Fire(c.Context(), s, o)
	}
	bar.done()
	if errors.Is(err, context.Canceled) {
		return hint.New("", "interrupted; nothing was changed")
	}
	if err != nil {
		return err
	}
	if f.asJSON {
		err = writeJSON(env.Stdout, r)
	} else {
		report(env.Stdout, r, pick == nil)
	}
	if err == nil && (r.Status == "stale" || r.Status == "would be stale") {
		return hint.Exit(hint.New("counterstep show "+gate.Short(r.ID), "not everything could be taken back: something was changed since"), fire.ExitStale)
	}
	return err
}

func (f *fireFlags) options(env Env) fire.Options {
	return fire.Options{
		DryRun: f.dryRun, Force: f.force, Shared: f.shared,
		Confirm: func(ws []fire.Warning) error { return f.confirm(env, ws) },
	}
}

// confirm asks before a remote is changed: others may have fetched from it.
func (f *fireFlags) confirm(env Env, ws []fire.Warning) error {
	for _, w := range ws {
		fmt.Fprintf(env.Stderr, "this puts back %s\n", hint.Clean(w.String()))
	}
	if f.yes {
		return nil
	}
	ok, err := confirm(env, "Change the remote?")
	if err == nil && !ok {
		return hint.New("", "stopped; nothing was changed")
	}
	return err
}

// fireable says why a record cannot be fired.
func fireable(s ledger.Saga) error {
	switch {
	case s.Fireable() || s.Status == ledger.IsFired:
		return nil
	case s.Status == ledger.IsRefused:
		return hint.New("counterstep show "+gate.Short(s.ID), "%s was refused: it did not run, so there is nothing to take back", gate.Short(s.ID))
	case s.Status == ledger.IsForgotten:
		return hint.New("counterstep ledger", "what %s held was forgotten", gate.Short(s.ID))
	default:
		return hint.New("counterstep show "+gate.Short(s.ID), "%s is a %s: no undo covers it", gate.Short(s.ID), s.Status)
	}
}

// report says what was done: one line, then what a person should look at.
func report(w io.Writer, r fire.Result, redo bool) {
	count := map[string]int{}
	for _, l := range r.Lines {
		if !quiet(l) {
			count[l.Do]++
		}
	}
	verb := map[bool]string{false: "fired", true: "redone"}[redo]
	status := r.Status
	if status == "fired" {
		status = verb
	}
	fmt.Fprintf(w, "%s %s: %s\n", status, gate.Short(r.ID), summary(count))
	if strings.HasPrefix(r.Status, "would") {
		for _, warning := range r.Remotes {
			fmt.Fprintf(w, "  remote   %s\n", hint.Clean(warning.String()))
		}
	}
	const most = 20
	shown := 0
	for _, l := range r.Lines {
		look := l.Do == "keep" || l.Do == "beside" || l.Status == "drifted" || l.Status == "skipped"
		if strings.HasPrefix(r.Status, "would") && !quiet(l) || look {
			if shown++; shown > most {
				continue
			}
			fmt.Fprintf(w, "  %-8s %s%s\n", l.Do, hint.Clean(l.Path), detail(l))
		}
	}
	if shown > most {
		fmt.Fprintf(w, "  and %d more; all of them: --json\n", shown-most)
	}
	switch {
	case r.Status == "fired" && !redo:
		fmt.Fprintf(w, "fingerprint %s equals the armed one; take this back: counterstep redo\n", r.Fingerprint)
	case r.Status == "already fired":
		fmt.Fprintln(w, "nothing was done; take the fire back: counterstep redo")
	}
}

// quiet are lines that say nothing to a person.
func quiet(l fire.Line) bool { return l.Do == "times" || l.Do == "link" }

func detail(l fire.Line) string {
	var parts []string
	if l.Status == "drifted" || l.Status == "skipped" {
		parts = append(parts, l.Status)
	}
	if l.Reason != "" {
		parts = append(parts, hint.Clean(l.Reason))
	}
	if l.Beside != "" {
		parts = append(parts, hint.Clean(l.Beside))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  (" + strings.Join(parts, ": ") + ")"
}

func summary(count map[string]int) string {
	words := []struct{ do, text string }{
		{"ref", "refs put back"},
		{"restore", "restored"},
		{"rename", "moved back"},
		{"metadata", "metadata restored"},
		{"remove", "removed"},
		{"keep", "kept"},
		{"beside", "put beside"},
	}
	var parts []string
	for _, w := range words {
		if n := count[w.do]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, w.text))
		}
	}
	if len(parts) == 0 {
		return "nothing to do, everything is as it was"
	}
	return strings.Join(parts, ", ")
}

// ask goes through the lines with a person.
func ask(env Env, ls []fire.Line) ([]bool, error) {
	if !env.Terminal {
		return nil, hint.New("counterstep fire ID", "-i needs a terminal")
	}
	in := bufio.NewReader(env.Stdin)
	yes := make([]bool, len(ls))
	for i, l := range ls {
		if quiet(l) {
			yes[i] = true
			continue
		}
		fmt.Fprintf(env.Stderr, "%s %s%s? [y/n/a/q] ", l.Do, hint.Clean(l.Path), detail(l))
		answer, err := in.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("read the answer: %w", err)
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			yes[i] = true
		case "a", "all":
			for ; i < len(ls); i++ {
				yes[i] = true
			}
			return yes, nil
		case "q", "quit":
			return nil, hint.New("", "stopped; nothing was changed")
		}
	}
	return yes, nil
}

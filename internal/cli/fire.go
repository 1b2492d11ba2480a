package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// fireFlags are the flags of fire and redo.
type fireFlags struct {
	last, dryRun, asJSON, yes, interactive, force, shared bool

	pick fire.Pick

	paths                 []string
	markers, ours, theirs bool
}

// several reports whether more than one call is meant.
func (f *fireFlags) several() bool { return f.pick != fire.Pick{} }

func newFire(env Env) *cobra.Command {
	var f fireFlags
	c := &cobra.Command{
		Use: "fire N|N..N|ID|--last|--since ID|--session ID|--prompt N", Short: "Take a call back, or several",
		Long: `Takes one call back, verified: what it deleted or overwrote is put back byte for
byte, what it created is removed if it still is as the call left it. What
somebody changed since stays: in a text only what the call changed is taken back,
line by line, and later changes are kept. Where both changed the same lines, and
in anything that is no text, the live file stays as it is and the armed version
is put beside it as NAME.counterstep-ID; --markers, --ours and --theirs choose
otherwise. 'counterstep redo' takes a fire back.

A call is named by its number in 'counterstep list' or by the beginning of its
id; 9..12 are the calls 9 to 12, 9.. all from 9 on. With --since, --session or
--prompt all calls that are meant are taken back, the newest first. It stops at
the first one that cannot be taken back completely; the same command goes on from
there. Flags together mean the calls that all of them mean.

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
	c.Flags().StringSliceVar(&f.paths, "paths", nil, "only these `PATHS` and what is below them")
	c.Flags().BoolVar(&f.markers, "markers", false, "write both versions of the same lines between <<<<<<< and >>>>>>>; then: counterstep resolve ID")
	c.Flags().BoolVar(&f.ours, "ours", false, "where both changed the same, keep what is there now")
	c.Flags().BoolVar(&f.theirs, "theirs", false, "where both changed the same, take the armed version; the redo holds the other")
	f.add(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 1 && f.span(args[0]) {
			args = nil
		}
		ways := len(args)
		for _, way := range []bool{f.last, f.several()} {
			if way {
				ways++
			}
		}
		choices := 0
		for _, chosen := range []bool{f.markers, f.ours, f.theirs, f.force} {
			if chosen {
				choices++
			}
		}
		switch {
		case choices > 1:
			return hint.Exit(hint.New("counterstep fire --help", "--markers, --ours, --theirs and --force-now are different choices: take one"), 2)
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
	if !f.asJSON {
		o.Tell = func(r fire.Result) { reportLater(env.Stdout, r) }
	}
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
		err = f.report(env, c, r, pick == nil)
	}
	if err != nil {
		return err
	}
	return unfinished(r)
}

func (f *fireFlags) options(env Env) fire.Options {
	return fire.Options{
		DryRun: f.dryRun, Force: f.force, Shared: f.shared,
		Confirm: func(ws []fire.Warning) error { return f.confirm(env, ws) },
		Choice:  f.choice(), Only: within(env, f.paths),
	}
}

// span reads a range of action numbers: 9..12, 9.. or ..12.
func (f *fireFlags) span(word string) bool {
	from, to, ok := strings.Cut(word, "..")
	if !ok || from == "" && to == "" {
		return false
	}
	for _, end := range []struct {
		text string
		n    *int
	}{{from, &f.pick.From}, {to, &f.pick.To}} {
		n, is := fire.Number(end.text)
		if end.text != "" && !is {
			return false
		}
		*end.n = n
	}
	return true
}

func (f *fireFlags) choice() inverse.Choice {
	switch {
	case f.markers:
		return inverse.Markers
	case f.ours:
		return inverse.Ours
	case f.theirs:
		return inverse.Theirs
	default:
		return inverse.Beside
	}
}

// within makes paths as people type them absolute, with the links on the way
// resolved as in the records.
func within(env Env, paths []string) []string {
	var out []string
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(env.Dir, p)
		}
		p = filepath.Clean(p)
		if dir, err := filepath.EvalSymlinks(filepath.Dir(p)); err == nil {
			p = filepath.Join(dir, filepath.Base(p))
		}
		out = append(out, p)
	}
	return out
}

// report writes a result for people.
func (f *fireFlags) report(env Env, c *cobra.Command, r fire.Result, redo bool) error {
	if !f.dryRun {
		report(env.Stdout, palette{}, r, redo)
		return nil
	}
	return page(c.Context(), env, func(w io.Writer, p palette) error {
		report(w, p, r, redo)
		return nil
	})
}

// unfinished says why a firing has not brought the armed state back.
func unfinished(r fire.Result) error {
	id := gate.Short(r.ID)
	switch {
	case r.Status == "conflict":
		return hint.Exit(hint.New("edit the marked places, then: counterstep resolve "+id, "the same lines were changed since; both versions are between markers"), fire.ExitStale)
	case r.Status == "would conflict":
		return hint.Exit(hint.New("the same without --dry-run", "the same lines were changed since; both versions would be between markers"), fire.ExitStale)
	case r.Status != "stale" && r.Status != "would be stale":
		return nil
	case r.Status == "would be stale" && r.OnlyPart():
		return hint.Exit(hint.New("the same without --dry-run", "only a part would be taken back, as asked"), fire.ExitStale)
	case r.OnlyPart():
		return hint.Exit(hint.New("counterstep fire "+id, "only a part was taken back, as asked; the rest can be fired"), fire.ExitStale)
	case r.Status == "would be stale" && r.OnlyMerged():
		return hint.Exit(hint.New("the same without --dry-run", "later changes to the same files would be kept"), fire.ExitStale)
	case r.OnlyMerged():
		return hint.Exit(hint.New("counterstep redo", "the call is taken back; later changes to the same files were kept"), fire.ExitStale)
	}
	if r.Status == "would be stale" {
		return hint.Exit(hint.New("counterstep show "+id, "not everything would be taken back: something was changed since"), fire.ExitStale)
	}
	return hint.Exit(hint.New("counterstep show "+id, "not everything could be taken back: something was changed since"), fire.ExitStale)
}

// confirm asks before a remote is changed: others may have fetched from it.
func (f *fireFlags) confirm(env Env, ws []fire.Warning) error {
	for _, w := range ws {
		fmt.Fprintf(env.Stderr, "this puts back %s\n", hint.Clean(w.String()))
	}
	if f.yes {
		return nil
	}
	ok, err := confirm(env, "Change the remote?", "add --yes")
	if err == nil && !ok {
		return hint.New("", "stopped; nothing was changed")
	}
	return err
}

// fireable says why a record cannot be fired.
func fireable(s ledger.Saga) error {
	switch {
	case s.Fireable() || s.Status == ledger.IsFired || s.Part():
		return nil
	case s.Status == ledger.IsRefused:
		return hint.New("counterstep show "+gate.Short(s.ID), "%s was refused: it did not run, so there is nothing to take back", gate.Short(s.ID))
	case s.Status == ledger.IsStale, s.Status == ledger.IsConflict:
		return fire.Done(s)
	case s.Status == ledger.IsForgotten:
		return hint.New("counterstep ledger", "what %s held was forgotten", gate.Short(s.ID))
	default:
		return hint.New("counterstep show "+gate.Short(s.ID), "%s stands as %s in the ledger: no undo covers it", gate.Short(s.ID), s.Status)
	}
}

func summary(count map[string]int) string {
	words := []struct{ do, text string }{
		{"ref", "refs put back"},
		{"restore", "restored"},
		{"rename", "moved back"},
		{"metadata", "metadata restored"},
		{"remove", "removed"},
		{"merge", "merged"},
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

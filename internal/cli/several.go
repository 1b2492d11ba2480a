package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
)

// runSeveral fires all calls that are meant.
func (f *fireFlags) runSeveral(env Env, c *cobra.Command) error {
	p, err := open(env, c, true)
	if err != nil {
		return err
	}
	calls, err := p.engine.Calls(f.pick)
	if err != nil {
		return err
	}
	bar := newProgress(env, "writing")
	p.engine.Progress = bar.update
	r, stopped := p.engine.FireSeveral(c.Context(), calls, f.options(env))
	bar.done()
	if f.asJSON {
		err = writeJSON(env.Stdout, r)
	} else if f.dryRun {
		err = page(c.Context(), env, func(w io.Writer, p palette) error {
			dryReport(w, p, r)
			return nil
		})
	} else {
		reportSeveral(env.Stdout, r)
	}
	if err != nil {
		return err
	}
	return stopped
}

// reportSeveral says what was done: a line for each call, then one for all.
func reportSeveral(w io.Writer, r fire.Several) {
	const most = 50
	for i, f := range r.Fired {
		if i == most {
			fmt.Fprintf(w, "  and %d more; all of them: --json\n", len(r.Fired)-i)
			break
		}
		what := f.Inverse
		if f.Lines != nil {
			what = counted(f.Lines)
		}
		fmt.Fprintf(w, "  %-8s %-5s %s: %s\n", f.Status, label(f.Number, f.ID), cut(oneLine(f.Command), 40), hint.Clean(what))
		for _, l := range f.Lines {
			if l.Do == "merge" || l.Do == "keep" || l.Do == "beside" || l.Status == "drifted" || l.Status == "skipped" {
				fmt.Fprintf(w, "           %-8s %s%s\n", l.Do, hint.Clean(l.Path), detail(l))
			}
		}
	}
	for i, id := range r.Uncovered {
		if i == most {
			break
		}
		fmt.Fprintf(w, "  no undo  %s ran without one; look: counterstep show %s\n", gate.Short(id), gate.Short(id))
	}
	done := 0
	for _, f := range r.Fired {
		if f.Status == "fired" || f.Status == "stale" && r.Stopped != f.ID {
			done++
		}
	}
	switch {
	case r.Status == "stopped":
		fmt.Fprintf(w, "fired %d calls, stopped at %s, %d not tried\n", done, gate.Short(r.Stopped), len(r.Left))
	case done == 0:
		fmt.Fprintln(w, "nothing was done: all of them are taken back already")
	default:
		fmt.Fprintf(w, "fired %d calls; take them back one by one, the last one first: counterstep redo\n", done)
	}
}

// dryReport says what would be done: for each call, the newest first, its paths
// and how texts would change.
func dryReport(w io.Writer, p palette, r fire.Several) {
	for _, f := range r.Fired {
		what := counted(f.Lines)
		if f.Reason != "" {
			what = hint.Clean(f.Reason)
		}
		fmt.Fprintf(w, "%s %s %s: %s\n", f.Status, label(f.Number, f.ID), cut(oneLine(f.Command), 40), what)
		lines := fitting(f.Lines, mostLines)
		for i, l := range lines {
			if i == mostLines {
				fmt.Fprintf(w, "  and %d more; all of them: --json\n", len(lines)-i)
				break
			}
			fmt.Fprintf(w, "  %-8s %s%s\n", l.Do, hint.Clean(l.Path), detail(l))
			writeDiff(w, p, l.Diff)
		}
		reportLater(w, fire.Result{Later: f.Later})
		for _, warning := range f.Remotes {
			fmt.Fprintf(w, "  remote   %s\n", hint.Clean(warning.String()))
		}
	}
	for i, id := range r.Uncovered {
		if i == mostLines {
			fmt.Fprintf(w, "and %d more without an undo; all of them: --json\n", len(r.Uncovered)-i)
			break
		}
		fmt.Fprintf(w, "no undo  %s ran without one; look: counterstep show %s\n", gate.Short(id), gate.Short(id))
	}
	fmt.Fprintf(w, "would fire %d calls, the newest first; each is compared with what those before it leave\n", len(r.Fired))
}

// label is what people call a saga: #4, or the beginning of its id.
func label(number int, id string) string {
	if number > 0 {
		return fmt.Sprintf("#%d", number)
	}
	return gate.Short(id)
}

// counted says in words what firing did to paths.
func counted(lines []fire.Line) string {
	count := map[string]int{}
	for _, l := range lines {
		if !quiet(l) {
			count[l.Do]++
		}
	}
	return summary(count)
}

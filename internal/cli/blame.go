package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/history"
)

func newBlame(env Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "blame FILE", Short: "Show which call each line of a file is from",
		Long: `Shows for each line of a text the call that wrote it, by number, and why.

  pre-existing  it is in the first state that is held
  untracked     it appeared later, in no call's record: your own, most likely
  #4?           the text that call 4 left is not held; it may be somebody else's

A line that a fire brought back is from whom it was before.`,
		Args: exactly(1, "a file"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, see docs/format/history-v1.md")
	c.RunE = func(_ *cobra.Command, args []string) error {
		book, _, err := openBook(env, c)
		if err != nil {
			return err
		}
		b, err := book.Blame(c.Context(), within(env, args)[0])
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(env.Stdout, b)
		}
		if !b.Known {
			fmt.Fprintf(env.Stderr, "counterstep: no state of %s from earlier is held\n", hint.Clean(args[0]))
		}
		return page(c.Context(), env, func(w io.Writer, p palette) error { return writeBlame(w, p, b) })
	}
	return c
}

// writeBlame writes number, why, line and text in columns.
func writeBlame(w io.Writer, p palette, b history.Blame) error {
	const width = 24
	number, mark := 0, len(fmt.Sprint(len(b.Lines)))
	for _, l := range b.Lines {
		if l.Call != nil {
			number = max(number, len(called(*l.Call))+1)
		}
	}
	for _, l := range b.Lines {
		who, reason := "", l.By
		if l.Call != nil {
			who, reason = called(*l.Call), why(*l.Call)
			if l.Unsure {
				who += "?"
			}
		}
		reason = fmt.Sprintf("%-*s", width, cut(reason, width))
		if l.Call == nil {
			reason = p.faint(reason)
		}
		_, err := fmt.Fprintf(w, "%s  %s  %*d  %s\n", p.yellow(fmt.Sprintf("%-*s", number, who)), reason, mark, l.N, hint.CleanText(l.Text))
		if err != nil {
			return err
		}
	}
	return nil
}

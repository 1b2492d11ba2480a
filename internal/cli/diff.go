package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/history"
	"github.com/counterstep/counterstep/ledger"
)

func newDiff(env Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "diff N|ID [N|ID|now]", Short: "Show what a call changed, or what differs between two of them",
		Long: `With one call: what it changed. With two: what differs between the state that the
first one left and the state that the second one left, or the present with
'now'. Only paths that calls changed are compared; what a person changed in them
in between is part of it.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 2 {
				return nil
			}
			return hint.Exit(hint.New(c.CommandPath()+" --help", "diff takes one call or two, not %d", len(args)), 2)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, see docs/format/history-v1.md")
	c.RunE = func(_ *cobra.Command, args []string) error {
		book, p, err := openBook(env, c)
		if err != nil {
			return err
		}
		d, err := compare(c, book, p, args)
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(env.Stdout, d)
		}
		if d.Unsettled {
			fmt.Fprintln(env.Stderr, "counterstep: what this call left was not recorded")
			if len(d.Files) == 0 {
				return nil // nothing is known, which is not the same as nothing differs
			}
		}
		return page(c.Context(), env, func(w io.Writer, p palette) error { return writeFiles(w, p, d) })
	}
	return c
}

func compare(c *cobra.Command, book history.Book, p place, args []string) (history.Diff, error) {
	from, err := p.engine.Find(args[0])
	if err != nil {
		return history.Diff{}, err
	}
	if len(args) == 1 {
		return book.Call(c.Context(), from)
	}
	var to *ledger.Saga
	if args[1] != "now" {
		s, err := p.engine.Find(args[1])
		if err != nil {
			return history.Diff{}, err
		}
		to = &s
	}
	return book.Between(c.Context(), from, to)
}

func writeFiles(w io.Writer, p palette, d history.Diff) error {
	if len(d.Files) == 0 {
		_, err := fmt.Fprintln(w, "nothing differs")
		return err
	}
	for i, f := range d.Files {
		if i > 0 && (f.Diff != "" || d.Files[i-1].Diff != "") {
			fmt.Fprintln(w)
		}
		head := fmt.Sprintf("%-8s %s", f.Change, hint.Clean(string(f.Path)))
		if f.From != "" {
			head += " from " + hint.Clean(string(f.From))
		}
		var notes []string
		if f.Mode != "" {
			notes = append(notes, "mode "+strings.ReplaceAll(f.Mode, " ", " → "))
		}
		if f.Note != "" {
			notes = append(notes, hint.Clean(f.Note))
		}
		if len(notes) > 0 {
			head += "  (" + strings.Join(notes, ", ") + ")"
		}
		fmt.Fprintln(w, p.yellow(head))
		writeDiff(w, p, f.Diff)
	}
	return nil
}

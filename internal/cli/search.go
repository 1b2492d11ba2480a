package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/history"
)

func newSearch(env Env) *cobra.Command {
	var q history.Query
	var asJSON bool
	c := &cobra.Command{
		Use: "search TEXT|-S STRING|-G REGEX", Short: "Find the calls that were about something, or that added or removed it",
		Long: `Finds calls, the newest first. TEXT is looked for in commands, intents and paths,
whatever its case. -S finds calls after which STRING is in a text more or less
often than before; -G finds calls that added or removed a line that REGEX
matches.`,
		Args: cobra.MaximumNArgs(1),
	}
	c.Flags().StringVarP(&q.Added, "string", "S", "", "calls that added or removed `STRING`")
	c.Flags().StringVarP(&q.Lines, "lines", "G", "", "calls that added or removed a line that matches `REGEX`")
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, see docs/format/history-v1.md")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 1 {
			q.Text = args[0]
		}
		ways := 0
		for _, way := range []string{q.Text, q.Added, q.Lines} {
			if way != "" {
				ways++
			}
		}
		if ways != 1 {
			return hint.Exit(hint.New("counterstep search -S STRING", "search takes a text, -S or -G: one of them"), 2)
		}
		book, _, err := openBook(env, c)
		if err != nil {
			return err
		}
		found, err := book.Search(c.Context(), q)
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(env.Stdout, found)
		}
		if len(found.Matches) == 0 {
			fmt.Fprintln(env.Stderr, "counterstep: nothing found")
		}
		if found.Unread > 0 {
			fmt.Fprintf(env.Stderr, "counterstep: %d calls could not be read; look: counterstep verify\n", found.Unread)
		}
		return page(c.Context(), env, func(w io.Writer, p palette) error { return writeFound(w, p, env, found) })
	}
	return c
}

func writeFound(w io.Writer, p palette, env Env, found history.Found) error {
	last := ""
	for _, m := range found.Matches {
		if m.Call.ID != last {
			last = m.Call.ID
			session := ""
			if m.Call.Session != "" {
				session = "  session " + hint.Clean(cut(m.Call.Session, 12))
			}
			fmt.Fprintf(w, "%s  %s%s  %s\n", p.yellow(called(m.Call)), Age(env.Now().Sub(m.Call.Time)), session, cut(why(m.Call), 60))
		}
		what := p.cyan(m.In)
		switch m.In {
		case "added":
			what = p.green(m.In)
		case "removed":
			what = p.red(m.In)
		}
		fmt.Fprintf(w, "  %s%*s", what, 9-len(m.In), "")
		if m.Path != "" {
			fmt.Fprintf(w, "%s", hint.Clean(string(m.Path)))
		}
		if m.Path != "" && m.Text != "" {
			fmt.Fprint(w, ": ")
		}
		fmt.Fprintln(w, cut(oneLine(m.Text), 100))
	}
	return nil
}

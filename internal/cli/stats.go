package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/history"
	"github.com/counterstep/counterstep/inverse"
)

func newStats(env Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "stats", Short: "Count calls, changed files and lines, and what is held, by session",
		Args: exactly(0, "no arguments"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, see docs/format/history-v1.md")
	c.RunE = func(*cobra.Command, []string) error {
		book, p, err := openBook(env, c)
		if err != nil {
			return err
		}
		s, err := book.Stats(c.Context())
		if err != nil {
			return err
		}
		if s.Checkpoints, err = checkpoint.In(p.store).Size(); err != nil {
			return err
		}
		if asJSON {
			return writeJSON(env.Stdout, s)
		}
		return page(c.Context(), env, func(w io.Writer, p palette) error { return writeStats(w, p, s) })
	}
	return c
}

func writeStats(w io.Writer, p palette, s history.Stats) error {
	t := s.Total
	var classes []string
	for _, name := range slices.Sorted(maps.Keys(t.Classes)) {
		classes = append(classes, fmt.Sprintf("%d %s", t.Classes[name], name))
	}
	of := ""
	if len(classes) > 0 {
		of = " (" + strings.Join(classes, ", ") + ")"
	}
	fmt.Fprintf(w, "calls        %d%s\n", t.Calls, of)
	fmt.Fprintf(w, "armed        %d, created %d, fired %d, refused %d, without an undo %d\n", t.Armed, t.Created, t.Fired, t.Refused, t.Barriers)
	fmt.Fprintf(w, "changed      %d files, %s, %s\n", t.Files, p.green(fmt.Sprintf("+%d", t.Added)), p.red(fmt.Sprintf("-%d", t.Removed)))
	fmt.Fprintf(w, "held         %s in payloads, %s in checkpoints\n", inverse.Size(t.Bytes), inverse.Size(s.Checkpoints))
	fmt.Fprintf(w, "time         calls waited %s for their undo and ran %s\n", ms(t.Held), ms(t.Ran))
	if len(s.Sessions) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "session\tcalls\tarmed\tfired\trefused\tfiles\tlines\theld\twaited\t")
	for _, n := range s.Sessions {
		id := n.ID
		if id == "" {
			id = "-"
		}
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t+%d -%d\t%s\t%s\t\n", hint.Clean(cut(id, 12)), n.Calls, n.Armed, n.Fired, n.Refused, n.Files, n.Added, n.Removed, inverse.Size(n.Bytes), ms(n.Held))
	}
	return tw.Flush()
}

func ms(n int64) string { return (time.Duration(n) * time.Millisecond).String() }

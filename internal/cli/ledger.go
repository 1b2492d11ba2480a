package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/doctor"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

func newLedger(env Env) *cobra.Command {
	var asJSON, all bool
	var n int
	c := &cobra.Command{
		Use: "ledger", Short: "List what was armed, refused, let go and undone, newest first",
		Long: `Lists calls, newest first: short id, status, age, what the call was, what firing
would do, the first 8 digits of the armed fingerprint, and why the agent did it.

  armed     can be taken back: counterstep fire ID
  created   made something new; firing removes it if it is still as it was left
  fired     taken back; the state equals the armed one
  stale     taken back as far as possible; something had changed since: look
  conflict  merged; both versions of the same lines wait between markers: resolve
  failed    the undo could not run; nothing was changed
  refused   was not let go
  barrier   ran, and no undo covers it`,
		Args: exactly(0, "no arguments"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the records as JSON, one array")
	c.Flags().BoolVarP(&all, "all", "a", false, "also list calls that destroyed nothing, and the undos of undos")
	c.Flags().IntVarP(&n, "number", "n", 20, "list at most `N` calls; 0 is all")
	c.RunE = func(*cobra.Command, []string) error {
		p, err := open(env, c, false)
		if err != nil {
			return err
		}
		rows, err := list(p, n, all)
		if err != nil {
			return err
		}
		if asJSON {
			return writeRows(env.Stdout, rows)
		}
		if len(rows) == 0 {
			fmt.Fprintf(env.Stdout, "Nothing yet for %s.\nEvery call of an agent that can destroy something will appear here, with the id to take it back.\n", hint.Clean(p.ws.Root))
			if p.store == nil {
				fmt.Fprintln(env.Stdout, "Not set up here yet? counterstep init")
			}
			return nil
		}
		return table(env.Stdout, rows, env.Now())
	}
	return c
}

// list reads back until it has n rows that are to be shown.
func list(p place, n int, all bool) ([]ledger.Saga, error) {
	if p.store == nil {
		return nil, nil
	}
	shown := func(s ledger.Saga) bool {
		return all || s.Status != ledger.IsCall && s.Armed.Kind != ledger.Checkpoint && s.Armed.Undoes == "" && s.Armed.Kind != "" && !canary(s)
	}
	var rows []ledger.Saga
	_, err := ledger.Recent(p.store.LedgerDir(), func(sagas []ledger.Saga) bool {
		rows = rows[:0]
		for _, s := range sagas {
			if shown(s) && (n == 0 || len(rows) < n) {
				rows = append(rows, s)
			}
		}
		return n > 0 && len(rows) == n
	})
	return rows, err
}

// canary reports whether a refusal was only asked for by counterstep doctor.
func canary(s ledger.Saga) bool {
	return s.Armed.Kind == ledger.Refused && s.Armed.Session == doctor.Session
}

func table(w io.Writer, rows []ledger.Saga, now time.Time) error {
	var out strings.Builder
	tw := tabwriter.NewWriter(&out, 0, 4, 2, ' ', 0)
	for _, s := range rows {
		print8 := s.Armed.Fingerprint
		if len(print8) > 8 {
			print8 = print8[:8]
		}
		why := ""
		if s.Intent != "" {
			why = "\t" + cut(oneLine(s.Intent), 60)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s%s\n", gate.Short(s.ID), s.Seen(), Age(now.Sub(s.Armed.Time)),
			cut(oneLine(s.Armed.Command), 48), note(s), print8, why)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	i := 0
	for line := range strings.Lines(out.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
		if text := next(rows[i]); text != "" {
			fmt.Fprintf(w, "%14s  %s\n", "", text)
		}
		i++
	}
	return nil
}

// next is what is left to do about a call that was fired in part: a line of its
// own, outside of the columns, which would be as wide as it otherwise.
func next(s ledger.Saga) string {
	id := gate.Short(s.ID)
	switch {
	case s.Part():
		return fmt.Sprintf("left as asked: %s; take it back: counterstep fire %s", drifted(s.Last), id)
	case s.Status == ledger.IsStale:
		return fmt.Sprintf("drifted: %s; look: counterstep show %s", drifted(s.Last), id)
	case s.Status == ledger.IsConflict:
		return fmt.Sprintf("marked: %s; then: counterstep resolve %s", drifted(s.Last), id)
	case s.Settle != nil && len(s.Settle.Surprise) > 0:
		return fmt.Sprintf("surprise: %s; look: counterstep show %s", hint.Clean(string(s.Settle.Surprise[0])), id)
	}
	return ""
}

// note is the column that says what firing would do, or why there is nothing
// to fire.
func note(s ledger.Saga) string {
	switch {
	case s.Armed.Kind == ledger.Refused:
		return cut(oneLine(s.Armed.Reason), 60)
	case s.Armed.Kind == ledger.Barrier:
		return "no undo: " + cut(oneLine(strings.Join(s.Armed.Barrier, ", ")), 50)
	case s.Armed.Kind == ledger.Armed && len(s.Armed.Barrier) > 0:
		return oneLine(s.Armed.Inverse) + "; not " + cut(oneLine(strings.Join(s.Armed.Barrier, ", ")), 30)
	}
	return oneLine(s.Armed.Inverse)
}

// drifted names the first paths of a record.
func drifted(r ledger.Record) string {
	var names []string
	for _, p := range r.Paths {
		names = append(names, hint.Clean(string(p)))
	}
	text := strings.Join(names, ", ")
	if r.More > 0 {
		text += fmt.Sprintf(" and %d more", r.More)
	}
	return text
}

// Age says how long ago something was: 12s, 5m, 3h, 9d.
func Age(d time.Duration) string {
	switch {
	case d < 0:
		return "now"
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
}

// row is one saga in --json.
type row struct {
	V       int            `json:"v"`
	ID      string         `json:"id"`
	Number  int            `json:"number,omitempty"`
	Intent  string         `json:"intent,omitempty"`
	Status  ledger.Status  `json:"status"`
	Record  ledger.Record  `json:"record"`
	Outcome *ledger.Record `json:"outcome,omitempty"`
	Barrier []string       `json:"barriers,omitempty"`
}

func writeRows(w io.Writer, rows []ledger.Saga) error {
	out := []row{}
	for _, s := range rows {
		out = append(out, newRow(s))
	}
	return writeJSON(w, out)
}

func newRow(s ledger.Saga) row {
	r := row{V: 1, ID: s.ID, Number: s.Number, Intent: s.Intent, Status: s.Seen(), Record: s.Armed, Barrier: s.Barriers}
	if s.Last.Seq != s.Armed.Seq {
		r.Outcome = &s.Last
	}
	return r
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// oneLine makes text fit for a column.
func oneLine(s string) string { return hint.Clean(strings.Join(strings.Fields(s), " ")) }

// cut shortens s to n characters.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

func newList(env Env) *cobra.Command {
	var asJSON bool
	var n int
	var pick fire.Pick
	var path string
	c := &cobra.Command{
		Use: "list", Short: "List what agents changed, by number, newest first, and why",
		Long: `Lists actions, newest first: number, tool, target, class, age, and why the agent did
it, in its own words. The number never changes: 'counterstep fire 4', 'show 4'.

  [pending]  has not come back yet, or runs in the background
  [fired]    was taken back; [stale] or [conflict]: as far as possible, look
  [barrier]  ran, and no undo covers it; it has no number`,
		Args: exactly(0, "no arguments"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, one array")
	c.Flags().IntVarP(&n, "number", "n", 50, "list at most `N`; 0 is all")
	c.Flags().StringVar(&pick.Session, "session", "", "only the session whose id begins with `ID`")
	c.Flags().StringVar(&pick.Since, "since", "", "only this call and later ones: `N` or an id")
	c.Flags().IntVar(&pick.Prompt, "prompt", 0, "only what prompt `N` of 'counterstep checkpoints' led to")
	c.Flags().StringVar(&path, "path", "", "only what changed `PATH` or something below it")
	c.RunE = func(*cobra.Command, []string) error {
		p, err := open(env, c, false)
		if err != nil {
			return err
		}
		rows := []listRow{}
		if p.store != nil {
			if path != "" {
				path = within(env, []string{path})[0]
			}
			sagas, err := p.engine.List(c.Context(), pick, path, n)
			if err != nil {
				return err
			}
			for _, s := range sagas {
				rows = append(rows, newListRow(s, p.ws.Root))
			}
		}
		switch {
		case asJSON:
			return writeJSON(env.Stdout, rows)
		case p.store == nil:
			return nothingYet(env.Stdout, p)
		case len(rows) == 0:
			fmt.Fprintln(env.Stdout, "Nothing to list.")
			return nil
		}
		return listTable(env.Stdout, rows, env.Now())
	}
	return c
}

// nothingYet answers where there is no store.
func nothingYet(w io.Writer, p place) error {
	_, err := fmt.Fprintf(w, "Nothing yet for %s.\nNot set up here yet? counterstep init\n", hint.Clean(p.ws.Root))
	return err
}

// listRow is one call in --json; docs/format/list-v1.md describes it.
type listRow struct {
	V      int    `json:"v"`
	Number int    `json:"number,omitempty"`
	ID     string `json:"id"`
	// Status is armed, pending, created, fired, stale, conflict, failed, firing,
	// forgotten, barrier or unguarded.
	Status     string        `json:"status"`
	Tool       string        `json:"tool"`
	Target     string        `json:"target"`
	Class      string        `json:"class,omitempty"`
	Intent     string        `json:"intent,omitempty"`
	Time       time.Time     `json:"time"`
	Harness    string        `json:"harness,omitempty"`
	Session    string        `json:"session,omitempty"`
	Prompt     string        `json:"prompt_id,omitempty"`
	Agent      string        `json:"agent,omitempty"`
	Cwd        ledger.Name   `json:"cwd"`
	Inverse    string        `json:"inverse,omitempty"`
	Paths      []ledger.Name `json:"paths"`
	More       int           `json:"paths_more,omitempty"`
	NoUndo     []string      `json:"no_undo_for,omitempty"`
	Background bool          `json:"background,omitempty"`
	Surprise   []ledger.Name `json:"surprise,omitempty"`
}

func newListRow(s ledger.Saga, root string) listRow {
	a := s.Armed
	r := listRow{
		V: 1, Number: s.Number, ID: s.ID, Status: string(s.Seen()), Tool: a.Tool, Target: target(a, root), Class: a.Class, Intent: s.Intent,
		Time: a.Time, Harness: a.Harness, Session: a.Session, Prompt: a.Prompt, Agent: a.Agent, Cwd: a.Cwd, Inverse: a.Inverse,
		NoUndo: s.Barriers, Background: a.Background || s.Settle != nil && s.Settle.Background,
	}
	if s.Status == ledger.IsArmed || s.Status == ledger.IsOpen {
		r.Status = "pending"
	}
	r.Paths, r.More = s.Changed()
	if s.Settle != nil {
		r.Surprise = s.Settle.Surprise
	}
	if r.Paths == nil {
		r.Paths = []ledger.Name{}
	}
	return r
}

// target is what a call is about: the file of an edit, else the command.
func target(a ledger.Record, root string) string {
	text := a.Command
	if file, ok := strings.CutPrefix(text, a.Tool+" "); ok && filepath.IsAbs(file) {
		text = file
		if rel, err := filepath.Rel(root, file); err == nil && inverse.Within(file, root) {
			text = rel
		}
	}
	return text
}

func listTable(w io.Writer, rows []listRow, now time.Time) error {
	var out strings.Builder
	tw := tabwriter.NewWriter(&out, 0, 4, 2, ' ', 0)
	for _, r := range rows {
		mark := ""
		if r.Status != "armed" && r.Status != "created" {
			mark = "[" + r.Status + "]"
		}
		if len(r.Surprise) > 0 {
			mark += "[surprise]"
		}
		number := ""
		if r.Number > 0 {
			number = fmt.Sprintf("#%d", r.Number)
		}
		class := r.Class
		if r.Status == "created" {
			class = "created"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", number, Age(now.Sub(r.Time)), oneLine(r.Tool), cut(oneLine(r.Target), 44), class, mark, cut(oneLine(r.Intent), 70))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(out.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
	return nil
}

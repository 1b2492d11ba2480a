package cli

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

func newCheckpoints(env Env) *cobra.Command {
	var asJSON bool
	var n int
	c := &cobra.Command{
		Use: "checkpoints", Short: "List the prompts to which the workspace can be rewound, newest first",
		Long: `Lists prompts, newest first: number, age, how many calls each led to and how many
files those changed, and the beginning of the prompt. The state of the workspace
before each of them is held; 'counterstep rewind --prompt N' goes back to it.

  partial   something could not be held in time; a rewind says what
  gone      let go of by gc or after 14 days`,
		Args: exactly(0, "no arguments"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, one array")
	c.Flags().IntVarP(&n, "number", "n", 20, "list at most `N` prompts; 0 is all")
	c.RunE = func(*cobra.Command, []string) error {
		p, err := open(env, c, false)
		if err != nil {
			return err
		}
		rows, err := promptRows(p, n)
		if err != nil {
			return err
		}
		switch {
		case asJSON:
			return writeJSON(env.Stdout, rows)
		case p.store == nil:
			return nothingYet(env.Stdout, p)
		case len(rows) == 0:
			fmt.Fprintf(env.Stdout, "No prompt yet for %s.\nEvery prompt that you give an agent will appear here, with the number to rewind to.\n", hint.Clean(p.ws.Root))
			return nil
		}
		return promptTable(env.Stdout, rows, env.Now())
	}
	return c
}

// promptRow is one prompt in --json; docs/format/list-v1.md describes it.
type promptRow struct {
	V       int       `json:"v"`
	Number  int       `json:"number"`
	ID      string    `json:"id"`
	Prompt  string    `json:"prompt_id,omitempty"`
	UUID    string    `json:"uuid,omitempty"`
	Harness string    `json:"harness,omitempty"`
	Session string    `json:"session,omitempty"`
	Time    time.Time `json:"time"`
	Text    string    `json:"text"`
	Calls   int       `json:"calls"`
	Actions []int     `json:"actions"`
	Files   int       `json:"files_changed"`
	// Status is complete, partial or gone.
	Status     string        `json:"status"`
	Missing    []ledger.Name `json:"missing,omitempty"`
	More       int           `json:"missing_more,omitempty"`
	Checkpoint string        `json:"checkpoint"`
}

// promptRows are the newest n prompts.
func promptRows(p place, n int) ([]promptRow, error) {
	rows := []promptRow{}
	if p.store == nil {
		return rows, nil
	}
	prompts, err := p.engine.Prompts(n)
	if err != nil {
		return nil, err
	}
	work, err := p.engine.Work(n)
	if err != nil {
		return nil, err
	}
	for _, s := range prompts {
		rows = append(rows, newPromptRow(s, work[s.ID]))
	}
	return rows, nil
}

func newPromptRow(s ledger.Saga, w fire.PromptWork) promptRow {
	a := s.Armed
	r := promptRow{
		V: 1, Number: s.Number, ID: s.ID, Prompt: a.Prompt, UUID: s.UUID, Harness: a.Harness, Session: a.Session, Time: a.Time,
		Text: a.Command, Calls: w.Calls, Actions: w.Actions, Files: w.Files, Status: "complete",
		Missing: a.Paths, More: a.More, Checkpoint: a.Checkpoint,
	}
	if r.Actions == nil {
		r.Actions = []int{}
	}
	switch {
	case s.Status == ledger.IsForgotten:
		r.Status = "gone"
	case a.Partial:
		r.Status = "partial"
	}
	return r
}

func promptTable(w io.Writer, rows []promptRow, now time.Time) error {
	tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, r := range rows {
		status := ""
		if r.Status != "complete" {
			status = "  [" + r.Status + "]"
		}
		fmt.Fprintf(tw, "%d\t%s\t%s\t%s\t%s%s\n", r.Number, Age(now.Sub(r.Time)), plural(r.Calls, "call"), plural(r.Files, "file"), cut(oneLine(r.Text), 60), status)
	}
	return tw.Flush()
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

func newShow(env Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "show N|ID", Short: "Show one call: effects, scope, proof, and what firing would do now",
		Args: exactly(1, "a number or an id"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.RunE = func(_ *cobra.Command, args []string) error {
		p, err := open(env, c, false)
		if err != nil {
			return err
		}
		if p.store == nil {
			return hint.New("counterstep init", "nothing was recorded for %s yet", p.ws.Root)
		}
		s, err := p.engine.Find(args[0])
		if err != nil {
			return err
		}
		v, err := p.engine.Look(c.Context(), s)
		if err != nil && s.Fireable() {
			return err
		}
		if asJSON {
			return writeJSON(env.Stdout, struct {
				V    int           `json:"v"`
				Saga row           `json:"saga"`
				Call *inverse.Call `json:"call,omitempty"`
				Now  *fire.Result  `json:"now,omitempty"`
			}{V: 1, Saga: newRow(s), Call: v.Call, Now: v.Now})
		}
		show(env, s, v)
		return nil
	}
	return c
}

func show(env Env, s ledger.Saga, v fire.View) {
	w := env.Stdout
	field := func(name, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if text != "" {
			fmt.Fprintf(w, "%-12s %s\n", name, text)
		}
	}
	a := s.Armed
	if s.Armed.IsAction() && s.Number > 0 {
		field("number", "#%d", s.Number)
	}
	field("id", "%s", s.ID)
	field("status", "%s", s.Seen())
	field("when", "%s (%s ago)", a.Time.Local().Format("2006-01-02 15:04:05"), Age(env.Now().Sub(a.Time)))
	field("call", "%s", hint.Clean(a.Command))
	field("tool", "%s", hint.Clean(strings.TrimSpace(a.Harness+" "+a.Tool)))
	field("directory", "%s", hint.Clean(string(a.Cwd)))
	field("class", "%s", a.Class)
	why := s.Intent
	if why == "" && v.Call != nil {
		why = v.Call.Description // of an earlier version
	}
	field("why", "%s", hint.Clean(why))
	field("reason", "%s", hint.Clean(a.Reason))
	field("instead", "%s", hint.Clean(a.Hint))
	field("inverse", "%s", a.Inverse)
	field("fingerprint", "%s", a.Fingerprint)
	if a.Proof != nil {
		field("proof", "%s", strings.TrimSpace(a.Proof.Kind+" "+a.Proof.Reason))
	}
	if a.Manifest != "" {
		field("payload", "%d files, %s", a.Files, inverse.Size(a.Bytes))
	}
	for _, b := range a.Barrier {
		field("no undo for", "%s", hint.Clean(b))
	}
	if s.Settle != nil {
		for _, p := range s.Settle.Surprise {
			field("surprise", "%s is there, and the call was to leave nothing", hint.Clean(string(p)))
		}
	}
	showCall(w, v)
	showNow(w, s, v)
}

func showCall(w io.Writer, v fire.View) {
	if v.Call == nil {
		return
	}
	if len(v.Call.Effects) > 0 {
		fmt.Fprintln(w, "\neffects, by their place in the command")
		for i, e := range v.Call.Effects {
			if i == 50 {
				fmt.Fprintf(w, "  and %d more; all of them: --json\n", len(v.Call.Effects)-i)
				break
			}
			fmt.Fprintf(w, "  %d:%-4d %s\n", e.Pos.Line, e.Pos.Col, effectLine(e))
		}
	}
	if len(v.Call.Step.Roots)+len(v.Call.Step.Moves) == 0 {
		return
	}
	fmt.Fprintln(w, "\nscope")
	for _, r := range v.Call.Step.Roots {
		below := ""
		if r.Tree {
			below = " and everything below"
		}
		fmt.Fprintf(w, "  %s%s\n", hint.Clean(string(r.Path)), below)
	}
	for _, m := range v.Call.Step.Moves {
		fmt.Fprintf(w, "  %s, moved to %s\n", hint.Clean(string(m.From)), hint.Clean(string(m.To)))
	}
}

// showNow says what firing would do now.
func showNow(w io.Writer, s ledger.Saga, v fire.View) {
	if v.Now == nil {
		return
	}
	fmt.Fprintln(w, "\nagainst the present state")
	if !v.Now.Settled {
		fmt.Fprintln(w, "  (what the call left was not recorded; its prediction counts)")
	}
	const most = 50
	lines := fitting(v.Now.Lines, most)
	for i, l := range lines {
		if i == most {
			fmt.Fprintf(w, "  and %d more; all of them: --json\n", len(lines)-i)
			break
		}
		fmt.Fprintf(w, "  %-8s %s%s\n", l.Do, hint.Clean(l.Path), detail(l))
	}
	if len(lines) == 0 {
		fmt.Fprintln(w, "  nothing differs")
	}
	if s.Fireable() && s.Status != ledger.IsFired {
		fmt.Fprintf(w, "\ntake it back: counterstep fire %s\n", s.ID[:12])
	}
}

package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/ledger"
)

func newStatus(env Env) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "One line for prompts and status bars",
		Args: exactly(0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := open(env, c, false)
			if err != nil {
				fmt.Fprintln(env.Stdout, "counterstep: trouble, see counterstep ledger")
				return err
			}
			if p.store == nil {
				fmt.Fprintln(env.Stdout, "counterstep: not set up here")
				return nil
			}
			sagas, err := list(p, 0, false)
			if err != nil {
				return err
			}
			fmt.Fprintln(env.Stdout, statusLine(sagas))
			return nil
		},
	}
}

// statusLine counts what can be fired and what should be looked at.
func statusLine(sagas []ledger.Saga) string {
	var armed, stale, refused int
	last := ""
	for _, s := range sagas {
		switch {
		case s.Status == ledger.IsStale || s.Status == ledger.IsConflict || s.Status == ledger.IsFailed || s.Status == ledger.IsFiring:
			stale++
		case s.Status == ledger.IsRefused:
			refused++
		case s.Fireable() && s.Status != ledger.IsFired:
			if armed++; last == "" {
				last = gate.Short(s.ID)
			}
		}
	}
	line := fmt.Sprintf("counterstep: %d armed", armed)
	if last != "" {
		line += ", last " + last
	}
	if stale > 0 {
		line += fmt.Sprintf(", %d to look at", stale)
	}
	if refused > 0 {
		line += fmt.Sprintf(", %d refused", refused)
	}
	return line
}

package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/inverse"
)

func newGC(env Env) *cobra.Command {
	var dry, asJSON bool
	var keep string
	c := &cobra.Command{
		Use: "gc", Short: "Remove what no kept call needs",
		Long: `Forgets calls that are older than --keep (their records stay), and drops the
checkpoints and contents that no remaining call needs. Without --keep the newest
100 prompts of each session stay, however old they are. Nothing younger than a
day is removed, and nothing that a hook or a fire is using.`,
		Args: exactly(0, "no arguments"),
	}
	c.Flags().BoolVarP(&dry, "dry-run", "n", false, "say what would be removed, and remove nothing")
	c.Flags().StringVar(&keep, "keep", "14d", "keep calls of the last `TIME`, such as 7d or 36h")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	c.RunE = func(*cobra.Command, []string) error {
		age, err := parseAge(keep)
		if err != nil {
			return err
		}
		p, err := open(env, c, true)
		if err != nil {
			return err
		}
		g, err := p.engine.Collect(c.Context(), fire.CollectOptions{Keep: age, Newest: !c.Flags().Changed("keep"), DryRun: dry})
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(env.Stdout, g)
		}
		verb := map[bool]string{false: "forgot", true: "would forget"}[dry]
		fmt.Fprintf(env.Stdout, "%s %d calls; checkpoints: %d dropped, %d kept, %s → %s\n", verb, len(g.Forgotten), g.Checkpoints, g.Kept, inverse.Size(g.Before), inverse.Size(g.After))
		return nil
	}
	return c
}

// parseAge reads 7d, 36h, 90m.
func parseAge(s string) (time.Duration, error) {
	var d time.Duration
	days, isDays := strings.CutSuffix(s, "d")
	n, err := strconv.Atoi(days)
	if isDays && err == nil && n >= 0 && n < 36500 {
		d = time.Duration(n) * fire.Day
	} else if d, err = time.ParseDuration(s); err != nil || isDays {
		return 0, hint.Exit(hint.New("counterstep gc --keep 7d", "%q is no time", s), 2)
	}
	if d < fire.Day {
		return 0, hint.Exit(hint.New("counterstep gc --keep 1d", "nothing younger than a day is removed, so --keep %s is too short", s), 2)
	}
	return d, nil
}

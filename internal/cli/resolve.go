package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
)

func newResolve(env Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "resolve N|ID", Short: "Say that the marked places of a fire are decided",
		Long: `After 'counterstep fire ID --markers' has put both versions of the same lines
between <<<<<<< and >>>>>>>, edit the files and say so with this. Until then the
call does not count as taken back. Files are looked at, never changed; while one
still has a marker this fails. 'counterstep redo' takes the fire back instead.`,
		Args: exactly(1, "a number or an id"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.RunE = func(_ *cobra.Command, args []string) error {
		p, err := open(env, c, true)
		if err != nil {
			return err
		}
		s, err := p.engine.Find(args[0])
		if err != nil {
			return err
		}
		r, err := p.engine.Resolve(c.Context(), s)
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(env.Stdout, r)
		}
		fmt.Fprintf(env.Stdout, "resolved %s: it is %s now\n", gate.Short(r.ID), r.Status)
		for _, name := range r.Paths {
			fmt.Fprintf(env.Stdout, "  merged   %s\n", hint.Clean(string(name)))
		}
		return nil
	}
	return c
}

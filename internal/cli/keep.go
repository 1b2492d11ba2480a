package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

func newVerify(env Env) *cobra.Command {
	var readData, asJSON bool
	c := &cobra.Command{
		Use: "verify", Short: "Check the ledger and what it holds",
		Long: `Checks the chain of the ledger and, for every call that can be taken back, its
record, manifest and payload. Names what is damaged and what still fires.
Exit codes: 0 everything is as it was written, 1 something is not.`,
		Args: exactly(0, "no arguments"),
	}
	c.Flags().BoolVar(&readData, "read-data", false, "read and hash every held byte as well")
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.RunE = func(*cobra.Command, []string) error {
		p, err := open(env, c, false)
		if err != nil {
			return err
		}
		if p.store == nil {
			return hint.New("counterstep init", "nothing was recorded for %s yet", p.ws.Root)
		}
		r, err := p.engine.Verify(c.Context(), readData)
		if err != nil {
			return err
		}
		if asJSON {
			if err := writeJSON(env.Stdout, r); err != nil {
				return err
			}
		} else {
			verified(env.Stdout, r, readData)
		}
		if len(r.Findings) > 0 {
			return hint.New("counterstep forget ID", "%d of %d payloads or records are damaged", len(r.Findings), r.Payloads)
		}
		return nil
	}
	return c
}

func verified(w io.Writer, r fire.Report, readData bool) {
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note     %s\n", n)
	}
	for _, f := range r.Findings {
		id := "ledger"
		if f.ID != "" {
			id = gate.Short(f.ID)
		}
		fmt.Fprintf(w, "damaged  %s  %s\n", id, f.What)
	}
	what := "their manifests"
	if readData {
		what = "every byte"
	}
	fmt.Fprintf(w, "%d records, %d payloads, %d of them fire (%s checked)\n", r.Records, r.Payloads, len(r.Good), what)
}

func newForget(env Env) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "forget ID", Short: "Delete what a call holds for good, such as a captured secret",
		Long: "Deletes the payload of one call. It cannot be taken back any more. The record\nstays in the ledger, with one more that says so.",
		Args: exactly(1, "an id"),
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	c.RunE = func(_ *cobra.Command, args []string) error {
		p, err := open(env, c, true)
		if err != nil {
			return err
		}
		s, err := p.engine.Find(args[0])
		if err != nil {
			return err
		}
		if s.Status == ledger.IsForgotten {
			fmt.Fprintf(env.Stdout, "%s was forgotten before\n", gate.Short(s.ID))
			return nil
		}
		if s.Manifest == "" {
			return hint.New("counterstep ledger", "%s holds nothing", gate.Short(s.ID))
		}
		if !yes {
			ok, err := confirm(env, fmt.Sprintf("forget what %s holds (%s)? It can then not be fired.", gate.Short(s.ID), s.Armed.Inverse), "counterstep forget "+gate.Short(s.ID)+" --yes")
			if err != nil || !ok {
				return err
			}
		}
		if err := p.engine.Forget(c.Context(), s, "by command"); err != nil {
			return err
		}
		fmt.Fprintf(env.Stdout, "forgot what %s held\n", gate.Short(s.ID))
		return nil
	}
	return c
}

// confirm asks a person. Without a terminal the answer must come with the
// command, as in instead.
func confirm(env Env, question, instead string) (bool, error) {
	if !env.Terminal {
		return false, hint.Exit(hint.New(instead, "this asks, and there is no terminal to ask at"), 2)
	}
	fmt.Fprintf(env.Stderr, "%s [y/N] ", hint.Clean(question))
	var answer string
	fmt.Fscanln(env.Stdin, &answer)
	return answer == "y" || answer == "yes", nil
}

func newExport(env Env) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use: "export ID", Short: "Write what a call holds as one tar",
		Long: "Writes the captured files of one call as a tar archive, verified, with a\nREADME.counterstep in front. Any tar extracts it.",
		Args: exactly(1, "an id"),
	}
	c.Flags().StringVarP(&out, "output", "o", "-", "write to `FILE`, which must not exist; - is stdout")
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
		if out == "-" {
			return p.engine.Export(c.Context(), s, env.Stdout)
		}
		f, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return fmt.Errorf("make the archive: %w", err)
		}
		if err := errors.Join(p.engine.Export(c.Context(), s, f), f.Sync(), f.Close()); err != nil {
			return errors.Join(err, os.Remove(out))
		}
		return nil
	}
	return c
}

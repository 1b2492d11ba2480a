package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/inverse"
)

func newArm(env Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "arm [flags] -- 'COMMAND'", Short: "Hold what a command would destroy, before it is run",
		Long: `Captures and proves the undo of a command that is too large to be held while an
agent waits. Nothing is run. Afterwards the same command in the same directory is
let go at once, as long as what it touches is still the same; a person may also
run it by hand and fire it. Agents may use this.

For a program whose writes are not known, a checkpoint of the workspace is
taken, so that the one before the call has little left to do.`,
		Example: "  counterstep arm -- 'rm -rf data'",
		Args:    exactly(1, "one command, quoted"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	c.RunE = func(_ *cobra.Command, args []string) error {
		g := newGate(env)
		g.Store, _ = c.Flags().GetString("store")
		bar := newProgress(env, "arming")
		g.Progress = bar.update
		r := gate.Request{Tool: "arm", Cwd: env.Dir, Input: gate.Input{Kind: gate.Shell, Command: args[0]}}
		a, err := g.Arm(c.Context(), r)
		bar.done()
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(env.Stdout, armed(a))
		}
		fmt.Fprintln(env.Stdout, armedLine(a))
		return nil
	}
	return c
}

// armedAhead is what arm prints as JSON, version 1.
type armedAhead struct {
	V          int    `json:"v"`
	ID         string `json:"id,omitempty"`
	Class      string `json:"class"`
	Inverse    string `json:"inverse,omitempty"`
	Files      int    `json:"files"`
	Bytes      int64  `json:"bytes"`
	Checkpoint string `json:"checkpoint,omitempty"`
	Partial    bool   `json:"partial,omitempty"`
}

func armed(a gate.Ahead) armedAhead {
	out := armedAhead{V: 1, ID: a.ID, Class: a.Class.String(), Inverse: a.Inverse, Files: a.Files, Bytes: a.Bytes}
	if a.Checkpoint != nil {
		out.Checkpoint, out.Partial = a.Checkpoint.ID, a.Checkpoint.Partial
	}
	return out
}

func armedLine(a gate.Ahead) string {
	switch {
	case a.Class == classify.Inert:
		return "nothing to arm: it destroys nothing that exists"
	case a.Checkpoint != nil:
		text := fmt.Sprintf("checkpoint %s: %d files, %s. What it writes is not known; make the call now", gate.Short(a.Checkpoint.ID), a.Files, inverse.Size(a.Bytes))
		if a.Checkpoint.Partial {
			text += " (the checkpoint is not complete: counterstep doctor)"
		}
		return text
	case a.ID == "":
		return "nothing to arm: nothing that exists would change"
	}
	text := fmt.Sprintf("armed %s (%s): %d files, %s. Make the call now; undo: counterstep fire %s",
		gate.Short(a.ID), a.Inverse, a.Files, inverse.Size(a.Bytes), gate.Short(a.ID))
	return hint.Clean(strings.TrimSpace(text))
}

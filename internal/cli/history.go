package cli

import (
	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/history"
)

// openBook opens the history of the current directory, for reading.
func openBook(env Env, c *cobra.Command) (history.Book, place, error) {
	p, err := open(env, c, false)
	if err != nil {
		return history.Book{}, p, err
	}
	if p.store == nil {
		return history.Book{}, p, hint.New("counterstep init", "nothing was recorded for %s yet", p.ws.Root)
	}
	return history.Book{Engine: p.engine}, p, nil
}

// called is what people call a call: #4, or the beginning of its id.
func called(r history.Ref) string { return label(r.Number, r.ID) }

// why is the intent of a call, or else what it was.
func why(r history.Ref) string {
	if r.Intent != "" {
		return oneLine(r.Intent)
	}
	return oneLine(r.Command)
}

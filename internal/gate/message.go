package gate

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/inverse"
)

// message tells the person what was armed and how to undo it. It is empty for
// one file that an edit tool changes, and for a checkpoint: said every time, it
// would not be read.
func message(r Request, a Armed) string {
	if a.Bound != nil && a.Bound.Partial {
		return "counterstep: the checkpoint before this call is not complete: " + a.covers()
	}
	if a.Bound != nil && a.Step.Empty() && len(a.Remotes) == 0 {
		return ""
	}
	if (r.Input.Kind == Edit || r.Input.Kind == Write) && a.Sealed.Files <= 1 {
		return ""
	}
	return fmt.Sprintf("counterstep armed %s (%s). Undo: counterstep fire %s",
		hint.Clean(shorten(Redact(what(r)), 60)), a.words(), Short(a.ID))
}

// words says what firing would do.
func (a Armed) words() string {
	text := inverse.Words(a.Step, a.Entries)
	if a.Bound != nil {
		text = strings.TrimPrefix(text+", put back what it changes in "+filepath.Base(string(a.Bound.Root)), ", ")
	}
	if len(a.Remotes) > 0 {
		text = strings.TrimPrefix(text+", "+inverse.WordsRemote(a.Remotes), ", ")
	}
	return text
}

// Short is the beginning of an id that people see and type.
func Short(id string) string { return id[:min(len(id), 12)] }

func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

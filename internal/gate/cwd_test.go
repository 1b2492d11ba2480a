package gate

import (
	"strings"
	"testing"
	"time"
)

// TestACallNeedsADirectory: without an absolute one nothing that a call names
// can be found, so the call is blocked, whatever the adapter let through.
func TestACallNeedsADirectory(t *testing.T) {
	g := &Gate{
		StateHome: t.TempDir(), Home: t.TempDir(), Shell: "bash", Now: time.Now,
		NewID: func() string { return "01HZZZZZZZZZZZZZZZ00000001" },
	}
	for _, cwd := range []string{"", "p", "./p", "~"} {
		r := Request{Event: Before, Cwd: cwd, Tool: "Bash", Input: Input{Kind: Shell, Command: "ls"}}
		if d := g.Decide(t.Context(), r); !d.Fault || !strings.Contains(d.Reason, "no absolute directory") {
			t.Errorf("in %q: %+v", cwd, d)
		}
	}
}

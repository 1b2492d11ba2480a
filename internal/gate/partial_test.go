package gate

import (
	"strings"
	"testing"

	"github.com/counterstep/counterstep/inverse"
)

// TestAPartialCheckpointIsNamed: both the person and the record learn what a
// checkpoint does not hold.
func TestAPartialCheckpointIsNamed(t *testing.T) {
	a := Armed{Bound: &inverse.Bound{Root: "/w", Partial: true}, missing: []string{"/w/big (too large)"}}
	for _, text := range []string{message(Request{}, a), a.covers()} {
		if !strings.Contains(text, "/w/big (too large)") {
			t.Errorf("it does not name the path: %q", text)
		}
	}
	a.Bound.Partial = false
	if text := message(Request{}, a); text != "" {
		t.Errorf("said for a whole one: %q", text)
	}
}

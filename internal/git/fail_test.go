//go:build failpoints

package git_test

import (
	"os"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/git"
)

// TestFaults has each named step fail. Nothing is believed to be held or fired
// then, and the next try works.
func TestFaults(t *testing.T) {
	log := t.TempDir() + "/log"
	t.Setenv("COUNTERSTEP_FAIL_LOG", log)
	for _, c := range []struct{ point, step string }{
		{"git.store", "capture"},
		{"git.seal", "capture"},
		{"git.rehearse", "rehearse"},
		{"git.fire", "fire"},
	} {
		w := newWorld(t)
		w.setup()
		call := w.call("-f", "origin", "main")
		plan := w.plan(call)
		var list []git.Remote
		steps := []struct {
			name string
			run  func() error
		}{
			{"capture", func() (err error) { list, err = w.door.Capture(t.Context(), plan, w.store); return err }},
			{"rehearse", func() error { return w.door.Rehearse(t.Context(), list[0], &plan.Layout, w.store) }},
			{"push", func() error { w.push(call); return nil }},
			{"fire", func() error { _, err := w.door.Fire(t.Context(), w.settle(plan, list[0]), w.store); return err }},
		}
		for _, s := range steps {
			before := w.refs(w.path("remote.git"))
			if s.name == c.step {
				t.Setenv("COUNTERSTEP_FAIL", c.point+":1+:28")
				if err := s.run(); err == nil || !strings.Contains(err.Error(), "failpoint "+c.point) {
					t.Errorf("%s: %v", c.point, err)
				}
				os.Unsetenv("COUNTERSTEP_FAIL")
				if now := w.refs(w.path("remote.git")); now != before {
					t.Errorf("%s: the remote changed", c.point)
				}
			}
			if err := s.run(); err != nil {
				t.Errorf("after %s: %s: %v", c.point, s.name, err)
			}
		}
	}
	data, err := os.ReadFile(log)
	if err != nil || strings.Count(string(data), "git.") < 12 {
		t.Errorf("points passed: %s, %v", data, err)
	}
}

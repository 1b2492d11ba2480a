//go:build linux

package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plantTexts grows texts that an agent and a person change by turns: a plain
// one, and one with two names, which is written in place.
func (w *world) plantTexts() {
	w.t.Helper()
	for _, name := range []string{"plain", "twin1"} {
		w.must(os.WriteFile(filepath.Join(w.dir, name), []byte("1\n2\n3\n4\n5\n6\n"), 0o644))
	}
	w.must(os.Link(filepath.Join(w.dir, "twin1"), filepath.Join(w.dir, "twin2")))
}

// TestKillMergingEverywhere kills a firing that merges at every point it passes:
// fired again it comes to the same end, nothing is mixed or missing, and a redo
// brings back what was there.
func TestKillMergingEverywhere(t *testing.T) {
	prepare := func(t *testing.T) *world {
		w := newWorld(t)
		w.plantTexts()
		w.agent("sed -i s/^2/two/ plain; sh -c 'printf \"1\\ntwo\\n3\\n4\\n5\\n6\\n\" >twin1'")
		w.bash("sed -i s/^5/five/ plain; printf '1\\ntwo\\n3\\n4\\nfive\\n6\\n' >twin1")
		return w
	}
	w := prepare(t)
	points := w.steps(func(env string) {
		if r := w.counterstep([]string{env}, "fire", "--last"); r.code != 3 || !strings.Contains(r.stdout, "merged") {
			t.Fatalf("without a fault: %+v", r)
		}
	})
	if len(points) < 20 {
		t.Fatalf("only %d points: %q", len(points), points)
	}
	for n, point := range points {
		if !sampled("merge"+point, n) {
			continue
		}
		t.Run(fmt.Sprintf("%d-%s", n+1, point), func(t *testing.T) {
			t.Parallel()
			w := prepare(t)
			before := w.look()
			id := w.armed()
			r := w.counterstep([]string{fmt.Sprintf("COUNTERSTEP_FAIL=*:%d:kill", n+1)}, "fire", "--last")
			if !r.killed() && r.code != 3 {
				t.Fatalf("ended otherwise: %+v", r)
			}
			again := w.counterstep(nil, "fire", id)
			if again.code != 3 && !strings.Contains(again.stderr, "was taken back as far as that went") {
				t.Errorf("again: %+v", again)
			}
			w.merged()
			w.sound()
			if r := w.counterstep(nil, "redo"); r.code != 0 {
				t.Errorf("redo: %+v", r)
			}
			if d := differ(before, w.look()); d != "" {
				t.Errorf("redone, but %s", d)
			}
			w.tidy()
		})
	}
}

// merged checks both texts, and removes copies of the one that was being written
// in place when the kill came.
func (w *world) merged() {
	w.t.Helper()
	const want = "1\n2\n3\n4\nfive\n6\n"
	for _, name := range []string{"plain", "twin1", "twin2"} {
		data, err := os.ReadFile(filepath.Join(w.dir, name))
		w.must(err)
		if string(data) != want {
			w.t.Errorf("%s holds %q", name, data)
		}
	}
	for _, p := range w.temporaries() {
		if !strings.HasPrefix(filepath.Base(p), "twin1.counterstep-") && !strings.HasPrefix(filepath.Base(p), "twin2.counterstep-") {
			w.t.Errorf("left in the project: %q", p)
		}
		w.must(os.Remove(p))
	}
}

//go:build linux

package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
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

// mixed is a world in which a firing has to merge.
func mixed(t *testing.T) *world {
	w := newWorld(t)
	w.plantTexts()
	w.agent("sed -i s/^2/two/ plain; sh -c 'printf \"1\\ntwo\\n3\\n4\\n5\\n6\\n\" >twin1'")
	w.bash("sed -i s/^5/five/ plain; printf '1\\ntwo\\n3\\n4\\nfive\\n6\\n' >twin1")
	return w
}

// killed fires with a fault, and goes on: fired again it comes to the same end,
// nothing is mixed or missing, and a redo brings back what was there.
func (w *world) killedMerging(wrap []string, env ...string) {
	w.t.Helper()
	before, id := w.look(), w.armed()
	w.wrap = wrap
	r := w.counterstep(env, "fire", "--last")
	w.wrap = nil
	if r.killed() {
		kills.Add(1)
	} else if r.code != 3 {
		w.t.Fatalf("ended otherwise: %+v", r)
	}
	again := w.counterstep(nil, "fire", id)
	if again.code != 3 && !strings.Contains(again.stderr, "was taken back as far as that went") {
		w.t.Errorf("again: %+v", again)
	}
	w.merged()
	w.sound()
	if r := w.counterstep(nil, "redo"); r.code != 0 {
		w.t.Errorf("redo: %+v", r)
	}
	if d := differ(before, w.look()); d != "" {
		w.t.Errorf("redone, but %s", d)
	}
	w.tidy()
}

// TestKillMergingEverywhere kills a firing that merges at every point it passes.
func TestKillMergingEverywhere(t *testing.T) {
	w := mixed(t)
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
			mixed(t).killedMerging(nil, fmt.Sprintf("COUNTERSTEP_FAIL=*:%d:kill", n+1))
		})
	}
}

// TestKillMergingAtSystemCalls does so at system calls.
func TestKillMergingAtSystemCalls(t *testing.T) {
	if r := newWorld(t).traced(t, 0, "version"); r.code != 0 {
		t.Skipf("SKIPPED LOUDLY: this machine does not let a process be traced: %s", r.stderr)
	}
	w := mixed(t)
	if r := w.traced(t, 0, "fire", "--last"); r.code != 3 {
		t.Fatalf("traced: %+v", r)
	}
	data, err := os.ReadFile(filepath.Join(w.base, "count"))
	w.must(err)
	total, err := strconv.Atoi(strings.TrimSpace(string(data)))
	w.must(err)
	rng := rand.New(rand.NewPCG(*seed, 9))
	rounds := 2
	if long {
		rounds = 200
	}
	for i := range rounds {
		nth := 1 + i*total/rounds + rng.IntN(1+total/rounds)
		t.Run(fmt.Sprint(nth), func(t *testing.T) {
			t.Parallel()
			mixed(t).killedMerging(tracing(nth, filepath.Join(t.TempDir(), "count")))
		})
	}
}

// TestTwoFiresAtOnce: one waits for the other, and then has nothing to do.
func TestTwoFiresAtOnce(t *testing.T) {
	w := mixed(t)
	id := w.armed()
	var wg sync.WaitGroup
	results := make([]result, 4)
	for i := range results {
		wg.Go(func() { results[i] = w.counterstep(nil, "fire", id) })
	}
	wg.Wait()
	stale := 0
	for _, r := range results {
		switch {
		case r.code == 3 && strings.Contains(r.stdout, "merged"):
			stale++
		case r.code != 0 && strings.Contains(r.stderr, "was taken back as far as that went"):
		default:
			t.Errorf("%+v", r)
		}
	}
	if stale != 1 {
		t.Errorf("%d of them merged", stale)
	}
	w.merged()
	w.sound()
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

//go:build linux

package faults

import (
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKillEverywhere kills arming, settling, firing and redoing at every point
// they pass, each time it is passed.
func TestKillEverywhere(t *testing.T) {
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for name, phase := range phases() {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					points := phase.points(t, s)
					if len(points) < phase.least {
						t.Fatalf("only %d points: %q", len(points), points)
					}
					for n, point := range points {
						if !sampled(s.name+name+point, n) {
							continue
						}
						t.Run(fmt.Sprintf("%d-%s", n+1, point), func(t *testing.T) {
							t.Parallel()
							phase.try(t, s, nil, fmt.Sprintf("COUNTERSTEP_FAIL=*:%d:kill", n+1))
						})
					}
				})
			}
		})
	}
}

// sampled picks one of 13 in short rounds, another one for every key.
func sampled(key string, n int) bool {
	h := fnv.New32a()
	io.WriteString(h, key)
	return long || (h.Sum32()+uint32(n))%13 == 0
}

// phase is a run of the product within the life of a call.
type phase struct {
	// before and then bring a world to where the phase starts, run is the phase,
	// after looks at what a kill left and goes on. Between before and then the
	// project is as the call left it.
	before func(scenario, *world)
	then   func(*world, scenario)
	run    func(scenario, *world, ...string) result
	after  func(scenario, *world, past, result)
	least  int
	// lax leaves the times of directories out.
	lax bool
}

// past is how the project looked before and after the call.
type past struct{ pre, post map[string]string }

func phases() map[string]phase {
	return map[string]phase{
		"arm": {
			before: func(scenario, *world) {}, least: 20, after: afterArm,
			run: func(s scenario, w *world, env ...string) result { return w.pre(s.command, env...) },
		},
		"settle": {
			before: func(s scenario, w *world) { w.letGo(s.command); w.bash(s.command) }, least: 6, after: afterSettle,
			run: func(s scenario, w *world, env ...string) result { return w.post(s.command, env...) },
		},
		"fire": {before: func(s scenario, w *world) { w.agent(s.command) }, least: 20, after: afterFire, run: scenario.fire},
		"redo": {
			before: func(s scenario, w *world) { w.agent(s.command) }, then: (*world).fired, least: 20, after: afterRedo, run: scenario.redo,
		},
	}
}

func (s scenario) redo(w *world, env ...string) result {
	w.t.Helper()
	args := []string{"redo"}
	if s.yes {
		args = append(args, "--yes")
	}
	return w.counterstep(env, args...)
}

func (w *world) letGo(command string) {
	w.t.Helper()
	if r := w.pre(command); r.code != 0 {
		w.t.Fatalf("%q was not let go: %+v", command, r)
	}
}

// fired fires the newest call, which must succeed.
func (w *world) fired(s scenario) {
	w.t.Helper()
	if r := s.fire(w); r.code != 0 {
		w.t.Fatalf("fire: %+v", r)
	}
}

func (p phase) points(t *testing.T, s scenario) []string {
	w := s.world(t)
	p.before(s, w)
	if p.then != nil {
		p.then(w, s)
	}
	return w.steps(func(env string) {
		if r := p.run(s, w, env); r.code != 0 {
			t.Fatalf("without a fault: %+v", r)
		}
	})
}

// try runs the phase with env, by way of wrap, which kills it, and looks at
// what is left.
func (p phase) try(t *testing.T, s scenario, wrap []string, env ...string) {
	t.Helper()
	w, was, r := p.reach(t, s, wrap, env...)
	if r.killed() {
		kills.Add(1)
	} else if r.code != 0 {
		t.Errorf("ended otherwise: %+v", r)
	}
	p.after(s, w, was, r)
	w.tidy()
}

// reach runs the phase in a new world.
func (p phase) reach(t *testing.T, s scenario, wrap []string, env ...string) (*world, past, result) {
	t.Helper()
	w := s.world(t)
	w.lax = p.lax
	was := past{pre: w.look()}
	p.before(s, w)
	was.post = w.look()
	if p.then != nil {
		p.then(w, s)
	}
	w.wrap = wrap
	r := p.run(s, w, env...)
	if w.wrap = nil; wrap != nil && s.yes {
		w.repair()
	}
	return w, was, r
}

// repair does what the remote's owner does after a crash there: a tracer kills
// the server too, which may leave its lock.
func (w *world) repair() {
	w.t.Helper()
	w.must(filepath.WalkDir(filepath.Join(w.base, "remote.git"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(p, ".lock") {
			return os.Remove(p)
		}
		return err
	}))
}

// tidy says that a session starts, after which nothing is left of the killed.
func (w *world) tidy() {
	w.t.Helper()
	w.end(w.command(w.event("SessionStart", "", ""), nil, "hook"))
	if left := w.unfinished(); len(left) > 0 {
		w.t.Errorf("left in the store: %q", left)
	}
	w.sound()
}

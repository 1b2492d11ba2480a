//go:build linux

package faults

import (
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/ledger"
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

// sampled picks one of nine in short rounds, another one for every key.
func sampled(key string, n int) bool {
	h := fnv.New32a()
	io.WriteString(h, key)
	return long || (h.Sum32()+uint32(n))%9 == 0
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
	was := past{pre: w.look()}
	p.before(s, w)
	was.post = w.look()
	if p.then != nil {
		p.then(w, s)
	}
	w.wrap = wrap
	r := p.run(s, w, env...)
	w.wrap = nil
	return w, was, r
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

// afterArm: nothing of the project was touched, an answer means a record, and
// the next call is armed and can be taken back.
func afterArm(s scenario, w *world, was past, r result) {
	w.t.Helper()
	if d := differ(was.pre, w.look()); d != "" {
		w.t.Errorf("arming changed %s", d)
	}
	if records := w.sound(); r.code == 0 && !w.recorded(records) {
		w.t.Errorf("let go without a record: %+v", r)
	}
	w.agent(s.command)
	w.fired(s)
	if d := differ(was.pre, w.look()); d != "" {
		w.t.Errorf("taken back, but %s", d)
	}
}

// afterSettle: what the call left is untouched, and it can be taken back, or
// what is there stays and the armed version is put beside it.
func afterSettle(s scenario, w *world, was past, _ result) {
	w.t.Helper()
	if d := differ(was.post, w.look()); d != "" {
		w.t.Errorf("settling changed %s", d)
	}
	w.sound()
	switch r := s.fire(w); r.code {
	case 0:
		if d := differ(was.pre, w.look()); d != "" {
			w.t.Errorf("taken back, but %s", d)
		}
	case 3:
		w.beside(was)
	default:
		w.t.Errorf("fire: %+v", r)
	}
}

// beside checks that of a stale firing nothing is lost: whatever was there
// before it is there, and whatever is missing lies beside. It removes that.
func (w *world) beside(was past) {
	w.t.Helper()
	now := w.look()
	for p, v := range was.post {
		if strings.HasPrefix(v, "f") && now[p] != v && now[p] != was.pre[p] {
			w.t.Errorf("%q was neither left alone nor taken back: %s", p, now[p])
		}
	}
	for _, p := range w.temporaries() {
		name := strings.TrimPrefix(p, w.dir)
		if of := name[:strings.Index(name, ".counterstep-")]; ungrouped(now[name]) != ungrouped(was.pre[of]) {
			w.t.Errorf("%q is not what was armed: %s, not %s", name, now[name], was.pre[of])
		}
		w.must(os.RemoveAll(p))
	}
}

// ungrouped is a line of look without the number of the link group.
func ungrouped(line string) string {
	head, tail, _ := strings.Cut(line, " group=")
	_, tail, _ = strings.Cut(tail, " ")
	return head + tail
}

// afterFire: firing again finishes it, a second time does nothing, and the redo
// brings back what was there.
func afterFire(s scenario, w *world, was past, _ result) {
	w.t.Helper()
	id := w.armed()
	for _, want := range []string{"fired", "already fired"} {
		args := []string{"fire", id}
		if s.yes {
			args = append(args, "--yes")
		}
		r := w.counterstep(nil, args...)
		if r.code != 0 || !strings.Contains(r.stdout, want) && !strings.Contains(r.stdout, "already fired") {
			w.t.Errorf("again, expected %q: %+v", want, r)
		}
		w.mixtures()
		if d := differ(was.pre, w.look()); d != "" {
			w.t.Errorf("fired, but %s", d)
		}
		w.sound()
	}
	if r := s.redo(w); r.code != 0 {
		w.t.Errorf("redo: %+v", r)
	}
	if d := differ(was.post, w.look()); d != "" {
		w.t.Errorf("redone, but %s", d)
	}
}

// mixtures removes copies of a file that was being written in place when the
// kill came: it was neither the old nor the new one, and might have been
// somebody else's. Anything else is not expected.
func (w *world) mixtures() {
	w.t.Helper()
	for _, p := range w.temporaries() {
		data, err := os.ReadFile(p)
		w.must(err)
		if !strings.HasPrefix(filepath.Base(p), "twin1.counterstep-") || string(data) != "new\nfile, two names\n" {
			w.t.Errorf("left in the project: %q: %q", p, data)
		}
		w.must(os.Remove(p))
	}
}

// armed is the id of the newest call's saga.
func (w *world) armed() string {
	w.t.Helper()
	records, _, err := ledger.ReadAll(filepath.Join(w.storeDir(), "ledger"))
	w.must(err)
	for _, r := range records {
		if r.Call == w.id() && r.Kind == ledger.Armed {
			return r.ID
		}
	}
	w.t.Fatal("the call is not armed")
	return ""
}

// afterRedo: redoing again finishes it or has nothing to do, and firing brings
// the armed state back.
func afterRedo(s scenario, w *world, was past, _ result) {
	w.t.Helper()
	if r := s.redo(w); r.code != 0 && !strings.Contains(r.stderr, "nothing was fired") {
		w.t.Errorf("redo again: %+v", r)
	}
	w.mixtures()
	if d := differ(was.post, w.look()); d != "" {
		w.t.Errorf("redone, but %s", d)
	}
	w.sound()
	w.fired(s)
	if d := differ(was.pre, w.look()); d != "" {
		w.t.Errorf("taken back, but %s", d)
	}
}

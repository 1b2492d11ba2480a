//go:build linux

package faults

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/counterstep/counterstep/ledger"
)

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

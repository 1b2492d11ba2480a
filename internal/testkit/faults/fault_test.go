//go:build linux

package faults

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// TestEveryOperationFails lets the nth operation of every phase fail, once and
// from then on, for every n: the hook blocks, nothing is lost, and with a
// healthy disk all goes on.
func TestEveryOperationFails(t *testing.T) {
	actions := []string{":panic"}
	for _, e := range []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EMFILE} {
		actions = append(actions, fmt.Sprintf(":%d", int(e)), fmt.Sprintf("+:%d", int(e)))
	}
	for _, s := range scenarios() {
		for name, p := range phases() {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				for n, point := range p.points(t, s) {
					// In turn, so that every point meets several of them.
					action := actions[n%len(actions)]
					if !sampled(s.name+name+point+"fault", n) || long && s.yes && n%2 == 1 {
						continue
					}
					t.Run(fmt.Sprintf("%d-%s%s", n+1, point, action), func(t *testing.T) {
						t.Parallel()
						p.fail(t, s, name, point, fmt.Sprintf("COUNTERSTEP_FAIL=*:%d%s", n+1, action))
					})
				}
			})
		}
	}
}

// TestArmingBlocksOnEveryFault: every operation of arming with every errno and
// with a panic ends in exit 2, a reason on stderr and an empty stdout.
func TestArmingBlocksOnEveryFault(t *testing.T) {
	actions := []string{"panic", fmt.Sprint(int(syscall.ENOSPC)), fmt.Sprint(int(syscall.EIO)), fmt.Sprint(int(syscall.EMFILE))}
	p := phases()["arm"]
	for _, s := range scenarios() {
		for n, point := range p.points(t, s) {
			for i, action := range actions {
				if !sampled(s.name+point, n+3*i) || long && s.yes && (n+i)%2 == 1 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d-%s-%s", s.name, n+1, point, action), func(t *testing.T) {
					t.Parallel()
					w, was, r := p.reach(t, s, nil, fmt.Sprintf("COUNTERSTEP_FAIL=*:%d:%s", n+1, action))
					faults.Add(1)
					w.arming(point, r, action == "panic")
					if d := differ(was.pre, w.look()); d != "" {
						t.Errorf("arming changed %s", d)
					}
					w.sound()
				})
			}
		}
	}
}

// arming checks the answer to a call while point failed. Only the index of
// checkpoints may fail unnoticed: it is made anew from what is held.
func (w *world) arming(point string, r result, panicked bool) {
	w.t.Helper()
	if point == "checkpoint.replace" && !panicked && r.code == 0 && w.recorded(w.sound()) {
		return
	}
	w.blocked(r)
}

// blocked checks that an answer is a fault of ours: it blocks, says why, and
// decides nothing.
func (w *world) blocked(r result) {
	w.t.Helper()
	if r.code != 2 || r.stderr == "" || r.stdout != "" {
		w.t.Errorf("not blocked as it should be: %+v", r)
	}
}

// fail runs a phase in which an operation fails.
func (p phase) fail(t *testing.T, s scenario, name, point, env string) {
	t.Helper()
	p.lax = true // of a directory around the scope the time may be left
	w, was, r := p.reach(t, s, nil, env)
	faults.Add(1)
	panicked := strings.Contains(env, "panic")
	switch name {
	case "arm":
		w.arming(point, r, panicked)
	case "settle":
		if r.code != 0 && !panicked {
			t.Errorf("a report was answered by %+v", r)
		}
	default:
		// Only the time of a directory around the scope may be left.
		if r.code == 3 || r.code == 0 && !strings.HasPrefix(point, "workspace.") || r.code != 0 && r.stderr == "" {
			t.Errorf("the fault was not told: %+v", r)
		}
	}
	if left := w.unfinished(); len(left) > 0 && !panicked {
		t.Errorf("left in the store: %q", left)
	}
	p.after(s, w, was, r)
	w.tidy()
}

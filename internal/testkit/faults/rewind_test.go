//go:build linux

package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// rewindTo is a rewind to before the first call of a world.
func (w *world) rewindTo(env ...string) result {
	w.t.Helper()
	return w.counterstep(env, "rewind", "--before-call", "1", "--yes")
}

// TestKilledRewind kills a rewind of several calls at the points that it passes:
// called again it goes on, and one redo brings back what was there.
func TestKilledRewind(t *testing.T) {
	start := func(t *testing.T) (*world, past) {
		w := newWorld(t)
		w.plantProgram()
		was := past{pre: w.look()}
		for _, c := range []string{"sh ./wreck.sh", "rm -rf src", "echo more >> notes.txt"} {
			w.agent(c)
		}
		was.post = w.look()
		return w, was
	}
	w, _ := start(t)
	points := w.steps(func(env string) {
		if r := w.rewindTo(env); r.code != 0 {
			t.Fatalf("without a fault: %+v", r)
		}
	})
	if len(points) < 20 || !slices.Contains(points, "fire.rewind") || !slices.Contains(points, "fire.applied") {
		t.Fatalf("only %d points: %q", len(points), points)
	}
	for n, point := range points {
		named := point == "fire.rewind" || point == "fire.firing" || point == "fire.applied"
		if !named && !sampled("rewind", n) {
			continue
		}
		t.Run(fmt.Sprintf("%d-%s", n+1, point), func(t *testing.T) {
			t.Parallel()
			w, was := start(t)
			if r := w.rewindTo(fmt.Sprintf("COUNTERSTEP_FAIL=*:%d:kill", n+1)); r.killed() {
				kills.Add(1)
			} else if r.code != 0 {
				t.Errorf("ended otherwise: %+v", r)
			}
			w.soundStore()
			if r := w.rewindTo(); r.code != 0 {
				t.Errorf("again: %+v", r)
			}
			if d := differ(was.pre, w.look()); d != "" {
				t.Errorf("rewound, but %s", d)
			}
			if left := w.temporaries(); len(left) > 0 {
				t.Errorf("left in the project: %q", left)
			}
			if r := w.rewindTo(); r.code != 0 || !strings.Contains(r.stdout, "nothing to do") {
				t.Errorf("a third time: %+v", r)
			}
			if r := w.counterstep(nil, "redo"); r.code != 0 {
				t.Errorf("redo: %+v", r)
			}
			if d := differ(was.post, w.look()); d != "" {
				t.Errorf("redone, but %s", d)
			}
			w.tidy()
		})
	}
}

// TestRewindWaits: while a call runs, a rewind waits for it, and then takes back
// what that call has changed too. One that shall not wait goes ahead.
func TestRewindWaits(t *testing.T) {
	w := newWorld(t)
	w.plantProgram()
	was := w.look()
	const running = "echo more >> notes.txt"
	w.agent("sh ./wreck.sh")
	w.letGo(running)
	goOn := w.halted("fire.wait", "rewind", "--before-call", "1", "--yes")
	w.bash(running)
	if r := w.post(running); r.code != 0 {
		t.Fatalf("settle: %+v", r)
	}
	if r := goOn(); r.code != 0 {
		t.Errorf("rewind: %+v", r)
	}
	if d := differ(was, w.look()); d != "" {
		t.Errorf("rewound, but %s", d)
	}
	w.letGo("rm notes.txt")
	w.bash("rm notes.txt")
	points := w.steps(func(env string) {
		if r := w.counterstep([]string{env}, "rewind", "--before-call", "1", "--no-wait"); r.code != 0 {
			t.Errorf("without waiting: %+v", r)
		}
	})
	if slices.Contains(points, "fire.wait") {
		t.Error("it waited all the same")
	}
	if d := differ(was, w.look()); d != "" {
		t.Errorf("rewound without waiting, but %s", d)
	}
	w.sound()
}

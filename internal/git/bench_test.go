package git_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/proc"
)

// BenchmarkRehearse measures one rehearsal of a force-push on a local bare
// remote, in multiples of "git rev-parse HEAD" run in turn with it. The goal is
// at most 35.
func BenchmarkRehearse(b *testing.B) {
	for _, files := range []int{0, 5000} {
		b.Run("files="+strconv.Itoa(files), func(b *testing.B) {
			w := newWorld(b)
			w.setup()
			for i := range files {
				w.write("work/many/"+strconv.Itoa(i%50)+"/"+strconv.Itoa(i), strings.Repeat(strconv.Itoa(i), 200))
			}
			if files > 0 {
				w.commit("work", "many")
				w.run("work", "push", "-q", "-f", "origin", "main")
				w.run("work", "reset", "-q", "--hard", "HEAD~1")
			}
			plan, r := w.arm(w.call("-f", "origin", "main"))
			var ours, theirs time.Duration
			for b.Loop() {
				start := time.Now()
				if err := w.door.Rehearse(b.Context(), r, &plan.Layout, w.store); err != nil {
					b.Fatal(err)
				}
				ours += time.Since(start)
				theirs += w.revParse()
			}
			b.ReportMetric(float64(ours)/float64(theirs), "x-rev-parse")
		})
	}
}

// BenchmarkArm is plan, capture and rehearsal of a force-push whose old tip
// the private store does not hold yet; BenchmarkFire is firing one.
func BenchmarkArm(b *testing.B) {
	w := newWorld(b)
	w.setup()
	var ours, theirs time.Duration
	for b.Loop() {
		w.store = b.TempDir()
		start := time.Now()
		w.arm(w.call("-f", "origin", "main"))
		ours += time.Since(start)
		theirs += w.revParse()
	}
	b.ReportMetric(float64(ours)/float64(theirs), "x-rev-parse")
}

func BenchmarkFire(b *testing.B) {
	w := newWorld(b)
	w.setup()
	var ours, theirs time.Duration
	for b.Loop() {
		plan, r := w.arm(w.call("-f", "origin", "main"))
		w.push(w.call("-f", "origin", "main"))
		r = w.settle(plan, r)
		start := time.Now()
		if states := w.fire(r); states != "fired" {
			b.Fatal(states)
		}
		ours += time.Since(start)
		theirs += w.revParse()
	}
	b.ReportMetric(float64(ours)/float64(theirs), "x-rev-parse")
}

// BenchmarkPlanPlain is what an ordinary push costs: no process is run.
func BenchmarkPlanPlain(b *testing.B) {
	w := newWorld(b)
	w.setup()
	for b.Loop() {
		if w.plan(w.call("origin", "main")).Loses() {
			b.Fatal("a plain push loses something")
		}
	}
}

func (w *world) revParse() time.Duration {
	start := time.Now()
	if _, err := proc.Run(w.t.Context(), proc.Cmd{Path: w.git, Dir: w.path("work"), Args: []string{"rev-parse", "HEAD"}, Env: w.env()}); err != nil {
		w.t.Fatal(err)
	}
	return time.Since(start)
}

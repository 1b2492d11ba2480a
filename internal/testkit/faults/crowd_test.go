//go:build linux

package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/counterstep/counterstep/ledger"
)

// crowd is how many hooks run at once.
const crowd = 64

// TestCrowd lets 64 hooks arm at once on one workspace and kills one in ten:
// there is one unbroken chain, every call that was let go is in it once with a
// payload that verifies, and nobody waits beyond the deadline.
func TestCrowd(t *testing.T) {
	rounds := 1
	if long {
		rounds = 6
	}
	w := newWorld(t)
	rng := rand.New(rand.NewPCG(*seed, 64))
	let := map[string]bool{}
	var slowest time.Duration
	for round := range rounds {
		for i := range crowd {
			w.must(os.MkdirAll(filepath.Join(w.dir, fmt.Sprint("d", i)), 0o755))
			w.must(os.WriteFile(filepath.Join(w.dir, fmt.Sprint("d", i), "f"), []byte(fmt.Sprint(round, i)), 0o644))
		}
		results := make([]result, crowd)
		var wg sync.WaitGroup
		for i := range crowd {
			cmd := w.command(w.event("PreToolUse", fmt.Sprintf("r%d-%d", round, i), fmt.Sprintf("rm -rf d%d", i)), nil, "hook")
			after := time.Duration(-1)
			if i%10 == 3 {
				after = time.Duration(rng.IntN(int(400 * time.Millisecond)))
			}
			wg.Go(func() { results[i] = w.endBy(cmd, after) })
		}
		wg.Wait()
		for i, r := range results {
			id := fmt.Sprintf("r%d-%d", round, i)
			slowest = max(slowest, r.took)
			switch {
			case r.killed():
				kills.Add(1)
			case r.code == 0:
				let[id] = true
			default:
				t.Errorf("%s: %+v", id, r)
			}
			if r.took > 45*time.Second {
				t.Errorf("%s: answered after %v", id, r.took)
			}
		}
	}
	w.chain(let)
	t.Logf("%d let go of %d, the slowest answer after %v", len(let), rounds*crowd, slowest)
	w.tidy()
}

// chain checks that the calls that were let go are armed once each, in one
// unbroken chain.
func (w *world) chain(let map[string]bool) {
	w.t.Helper()
	seen, seq := map[string]int{}, uint64(0)
	for _, r := range w.sound() {
		if seq++; r.Seq != seq {
			w.t.Errorf("record %d is in place %d", r.Seq, seq)
		}
		if r.Kind == ledger.Armed {
			seen[r.Call]++
		}
	}
	for id := range let {
		if seen[id] != 1 {
			w.t.Errorf("%s was let go and has %d records", id, seen[id])
		}
	}
	for id, n := range seen {
		if n > 1 {
			w.t.Errorf("%s is recorded %d times", id, n)
		}
	}
}

// halted starts the product and waits until it has stopped itself at a point.
func (w *world) halted(point string, args ...string) (goOn func() result) {
	w.t.Helper()
	cmd := w.command("", []string{"COUNTERSTEP_FAIL=" + point + ":1:stop"}, args...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	w.must(cmd.Start())
	var ws syscall.WaitStatus
	for !ws.Stopped() {
		if _, err := syscall.Wait4(cmd.Process.Pid, &ws, syscall.WUNTRACED, nil); err != nil || ws.Exited() {
			w.t.Fatalf("it never stopped at %s: %v %s%s", point, err, out.String(), errs.String())
		}
	}
	return func() result {
		w.must(cmd.Process.Signal(syscall.SIGCONT))
		err := cmd.Wait()
		return result{code: cmd.ProcessState.ExitCode(), stdout: out.String(), stderr: fmt.Sprint(errs.String(), err)}
	}
}

// TestTwoFires: while one fire is at work another one waits, and then there is
// nothing left to do. A hook meanwhile arms as usual.
func TestTwoFires(t *testing.T) {
	for _, point := range []string{"fire.redo", "fire.firing", "workspace.swap", "fire.applied"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.plant()
			before := w.look()
			w.agent("rm -rf src")
			id := w.armed()
			goOn := w.halted(point, "fire", id)
			second := make(chan result, 1)
			cmd := w.command("", nil, "fire", id)
			go func() { second <- w.end(cmd) }()
			if r := w.pre("rm notes.txt"); r.code != 0 || !w.recorded(w.records()) {
				t.Errorf("a hook while a fire runs: %+v", r)
			}
			if len(second) > 0 {
				t.Error("the second fire did not wait")
			}
			if r := goOn(); r.code != 0 {
				t.Errorf("the first fire: %+v", r)
			}
			if r := <-second; r.code != 0 || !strings.Contains(r.stdout, "already fired") {
				t.Errorf("the second fire: %+v", r)
			}
			if d := differ(before, w.look()); d != "" {
				t.Errorf("fired, but %s", d)
			}
			w.sound()
		})
	}
}

// records reads the ledger as it is.
func (w *world) records() []ledger.Record {
	w.t.Helper()
	records, _, err := ledger.ReadAll(filepath.Join(w.storeDir(), "ledger"))
	w.must(err)
	return records
}

// TestHookWaitsInVain: when another process holds the ledger, the hook blocks
// before its deadline is over. The lock is given back only after that.
func TestHookWaitsInVain(t *testing.T) {
	if !long {
		t.Skip("SKIPPED LOUDLY: it waits for the deadline; run with -tags long")
	}
	t.Parallel()
	w := newWorld(t)
	w.plant()
	w.agent("rm notes.txt")
	f, err := os.OpenFile(filepath.Join(w.storeDir(), "lock"), os.O_RDWR, 0)
	w.must(err)
	defer f.Close()
	w.must(syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	r := w.pre("rm -rf src")
	faults.Add(1)
	w.blocked(r)
	if r.took > 50*time.Second {
		t.Errorf("answered after %v", r.took)
	}
}

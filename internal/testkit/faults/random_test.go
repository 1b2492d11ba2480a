//go:build linux

package faults

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var seed = flag.Uint64("seed", 1, "the seed of random rounds")

// TestKillAtSystemCalls kills every phase of every scenario when it is about to
// make some system call, in whatever thread: at least 1,000 times in long
// rounds.
func TestKillAtSystemCalls(t *testing.T) {
	if r := newWorld(t).traced(t, 0, "version"); r.code != 0 {
		t.Skipf("SKIPPED LOUDLY: this machine does not let a process be traced: %s", r.stderr)
	}
	for _, s := range scenarios() {
		for name, p := range phases() {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				total := p.calls(t, s)
				if total < 50 {
					t.Fatalf("only %d system calls", total)
				}
				rng := rand.New(rand.NewPCG(*seed, uint64(len(s.name)*100+len(name))))
				rounds := 1
				switch {
				case long && s.yes:
					rounds = 12
				case long:
					rounds = 36
				case s.yes:
					return
				}
				for i := range rounds { // one in each stretch of the run
					nth := 1 + i*total/rounds + rng.IntN(1+total/rounds)
					t.Run(fmt.Sprint(nth), func(t *testing.T) {
						t.Parallel()
						p.try(t, s, tracing(nth, filepath.Join(t.TempDir(), "count")))
					})
				}
			})
		}
	}
}

// tracing is the command line that kills what follows at its nth call.
func tracing(nth int, file string) []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return []string{self, traceWord, strconv.Itoa(nth), file}
}

func (w *world) traced(t *testing.T, nth int, args ...string) result {
	t.Helper()
	w.wrap = tracing(nth, filepath.Join(w.base, "count"))
	defer func() { w.wrap = nil }()
	return w.counterstep(nil, args...)
}

// calls counts the system calls of the phase when nothing happens to it.
func (p phase) calls(t *testing.T, s scenario) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "count")
	if _, _, r := p.reach(t, s, tracing(0, file)); r.code != 0 {
		t.Fatalf("traced: %+v", r)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

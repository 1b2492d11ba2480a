package classify_test

import (
	"flag"
	"testing"
)

var (
	seed  = flag.Uint64("seed", 1, "first seed of the random programs")
	count = flag.Int("count", 0, "how many random programs; 0 is a few, or 10,000 with -tags long")
)

// TestPrograms compares random programs with real shells. A failing seed can be
// run alone: -seed N -count 1.
func TestPrograms(t *testing.T) {
	n := *count
	switch {
	case n == 0 && long:
		n = 10_000
	case n == 0:
		n = 200
	}
	const batch = 1000
	m := disk(lived())
	harm := 0
	for first := *seed; first < *seed+uint64(n); first += batch {
		var srcs []string
		for s := first; s < min(first+batch, *seed+uint64(n)); s++ {
			srcs = append(srcs, program(s))
		}
		for i, r := range oracle(t, srcs, 3) {
			seed := first + uint64(i)
			for _, miss := range misses(m, r) {
				t.Errorf("seed %d: %s", seed, miss)
			}
			for _, o := range r.Outcomes {
				if len(o.Changes) > 0 {
					harm++
				}
			}
		}
	}
	t.Logf("%d programs, %d runs changed something", n, harm)
}

// FuzzPrograms does the same for ever: each input is a batch of programs.
func FuzzPrograms(f *testing.F) {
	f.Add(uint64(1))
	m := disk(lived())
	f.Fuzz(func(t *testing.T, seed uint64) {
		var srcs []string
		for i := range uint64(8) {
			srcs = append(srcs, program(seed+i))
		}
		for _, r := range oracle(t, srcs, 3) {
			for _, miss := range misses(m, r) {
				t.Error(miss)
			}
		}
	})
}

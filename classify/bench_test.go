package classify_test

import (
	"slices"
	"testing"
	"time"

	"github.com/counterstep/counterstep/classify"
)

// BenchmarkCommand classifies every command of the corpus in turn, and says how
// long the slowest hundredth takes at least.
func BenchmarkCommand(b *testing.B) {
	rows, m := corpus(b), disk(lived())
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		classify.Command(context(m, "bash"), rows[i%len(rows)].src)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
}

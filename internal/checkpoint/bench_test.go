package checkpoint_test

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/counterstep/counterstep/internal/workspace"
)

// tree makes n files of about 10 KB in directories of eight.
func (b *bench) tree(n int) {
	for i := range n {
		b.write(fmt.Sprintf("m%02d/pkg%04d/file%d.go", i%37, i/8, i), string(pattern(i, 300+(i*7919)%20000)))
	}
}

const benchFiles = 10_000

// The bare walk that everything is compared with.
func BenchmarkSurvey(b *testing.B) {
	bench := newBench(b)
	bench.tree(benchFiles)
	defer cpu(b)()
	for b.Loop() {
		v, err := workspace.Survey(context.Background(), []string{bench.root}, workspace.SurveyOptions{})
		bench.must(err)
		v.Close()
	}
}

func BenchmarkTakeUnchanged(b *testing.B) {
	bench := newBench(b)
	bench.tree(benchFiles)
	bench.tick()
	c, err := bench.try()
	bench.must(err)
	b.ReportAllocs()
	defer cpu(b)()
	for b.Loop() {
		bench.again()
		again, err := bench.try()
		bench.must(err)
		if again.ID != c.ID || again.Stats.Opened > 0 {
			b.Fatal("not the same")
		}
	}
}

func BenchmarkTakeTenChanged(b *testing.B) {
	bench := newBench(b)
	bench.tree(benchFiles)
	bench.tick()
	_, err := bench.try()
	bench.must(err)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for i := range 10 {
			n++
			bench.write(filepath.Join("m01", fmt.Sprint("new", i)), fmt.Sprint(n))
		}
		bench.again()
		b.StartTimer()
		_, err := bench.try()
		bench.must(err)
	}
}

func BenchmarkTakeCold(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		bench := newBench(b)
		bench.tree(benchFiles)
		b.StartTimer()
		_, err := bench.try()
		bench.must(err)
	}
}

func BenchmarkLoad(b *testing.B) {
	bench := newBench(b)
	bench.tree(benchFiles)
	c, err := bench.try()
	bench.must(err)
	b.ReportAllocs()
	for b.Loop() {
		bench.again()
		c, err := bench.set.Load(c.ID)
		bench.must(err)
		c.Close()
	}
}

// cpu reports the processor time of an iteration, which other work on the
// machine disturbs less than the clock.
func cpu(b *testing.B) func() {
	var from syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &from)
	return func() {
		var to syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &to)
		used := to.Utime.Nano() + to.Stime.Nano() - from.Utime.Nano() - from.Stime.Nano()
		b.ReportMetric(float64(used)/float64(b.N)/1e6, "cpu-ms/op")
	}
}

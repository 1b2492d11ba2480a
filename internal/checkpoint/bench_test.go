//go:build unix

package checkpoint_test

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/workspace"
)

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

// BenchmarkAgainstCopy does everything in turn, so that other work on the
// machine disturbs all of it alike, and reports processor time as a share of
// what cp -a takes: unchanged, after ten changes, and the bare walk.
func BenchmarkAgainstCopy(b *testing.B) {
	bench := newBench(b)
	bench.tree(benchFiles)
	bench.tick()
	cold := spent(syscall.RUSAGE_SELF, func() { bench.must(second(bench.try())) })
	shares := map[string][]float64{}
	n := 0
	for b.Loop() {
		n++
		dst := filepath.Join(b.TempDir(), "copy")
		cp := spent(syscall.RUSAGE_CHILDREN, func() { bench.must(exec.Command("cp", "-a", "--reflink=never", bench.root, dst).Run()) })
		one := func(what string, f func()) {
			shares[what] = append(shares[what], float64(spent(syscall.RUSAGE_SELF, f))/float64(cp))
		}
		one("walk", func() {
			v, err := workspace.Survey(context.Background(), []string{bench.root}, workspace.SurveyOptions{})
			bench.must(err)
			v.Close()
		})
		one("unchanged", func() { bench.again(); bench.must(second(bench.try())) })
		for i := range 10 {
			bench.write(filepath.Join("m01", fmt.Sprint("new", i)), fmt.Sprint(n))
		}
		bench.tick()
		one("ten", func() { bench.again(); bench.must(second(bench.try())) })
		one("load", func() { c, err := bench.set.Load(fmt.Sprintf("01ID%022d", bench.n)); bench.must(err); c.Close() })
		shares["cold"] = append(shares["cold"], float64(cold)/float64(cp))
	}
	for what, list := range shares {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], what+"/cp")
	}
}

func second(_ *checkpoint.Checkpoint, err error) error { return err }

// spent is the processor time that f takes, in nanoseconds.
func spent(who int, f func()) int64 {
	used := func() int64 {
		var u syscall.Rusage
		syscall.Getrusage(who, &u)
		return u.Utime.Nano() + u.Stime.Nano()
	}
	from := used()
	f()
	return used() - from
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

//go:build failpoints && unix

package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/store"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("CHECKPOINT_TEST_DIR"); dir != "" {
		if err := child(dir, os.Getenv("CHECKPOINT_TEST_DO"), os.Getenv("CHECKPOINT_TEST_ID")); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child takes a checkpoint, or collects, in a process of its own.
func child(dir, do, id string) error {
	st, err := store.Open(filepath.Join(dir, "state"))
	if err != nil {
		return err
	}
	set := checkpoint.In(st)
	now := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	if do == "collect" {
		_, err = set.Collect(context.Background(), checkpoint.CollectOptions{Keep: []string{id}, Now: now})
		return err
	}
	c, err := set.Take(context.Background(), checkpoint.Options{ID: id, Root: filepath.Join(dir, "w"), Now: func() time.Time { return now }})
	if err == nil {
		fmt.Println(c.ID)
	}
	return err
}

// run runs a child with a failpoint and returns what it said.
func (b *bench) run(do, id, fail, log string) (out string, killed bool) {
	b.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "CHECKPOINT_TEST_DIR="+filepath.Dir(b.root), "CHECKPOINT_TEST_DO="+do,
		"CHECKPOINT_TEST_ID="+id, "COUNTERSTEP_FAIL="+fail, "COUNTERSTEP_FAIL_LOG="+log)
	data, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	return strings.TrimSpace(string(data)), exit != nil && exit.ExitCode() == -1
}

// points lists what a run passes.
func (b *bench) points(do, id string) []string {
	b.t.Helper()
	log := filepath.Join(b.t.TempDir(), "log")
	if out, _ := b.run(do, id, "", log); out != id && do == "take" || strings.Contains(out, " ") {
		b.t.Fatalf("%s: %s", do, out)
	}
	data, err := os.ReadFile(log)
	b.must(err)
	return strings.Fields(string(data))
}

// steps are the numbers of the points to test: of each name the first and the
// last.
func steps(points []string) (out []int) {
	first, last := map[string]int{}, map[string]int{}
	for i, p := range points {
		if _, ok := first[p]; !ok {
			first[p] = i
		}
		last[p] = i
	}
	for i, p := range points {
		if i == first[p] || i == last[p] {
			out = append(out, i)
		}
	}
	return out
}

// story prepares a workspace with two checkpoints and a change.
func story(t *testing.T) (b *bench, first *checkpoint.Checkpoint) {
	b = newBench(t)
	b.fixture()
	first = b.take()
	b.write("junk", string(pattern(6, 9<<20)))
	b.take()
	b.must(os.Remove(b.path("junk")))
	b.write("big.bin", string(pattern(7, 1<<20)))
	b.write("a.txt", "changed")
	b.take()
	b.crowd()
	b.write("new/x", "new")
	b.write("new/big", string(pattern(8, 1<<20)))
	b.tick()
	return b, first
}

// Killed, or failing, at any step of a Take: the checkpoints that were
// acknowledged are whole, and the next Take succeeds and is right.
func TestTakeKilledAnywhere(t *testing.T) {
	b, _ := story(t)
	points := b.points("take", "REHEARSAL")
	if len(points) < 5 {
		t.Fatalf("only %v", points)
	}
	t.Logf("%d points: %v", len(points), points)
	for _, i := range steps(points) {
		for _, action := range []string{"kill", "28"} {
			b, first := story(t)
			out, killed := b.run("take", "KILLED", fmt.Sprintf("*:%d:%s", i+1, action), "")
			if killed != (action == "kill") {
				t.Fatalf("%s at %d: %s", action, i, out)
			}
			b.sound(first)
			want := b.truth()
			c, err := b.try()
			b.must(err)
			b.same(c, want)
			b.again()
			b.same(b.load(c.ID), want)
			b.sound(first)
		}
	}
}

// The very first Take can be killed too.
func TestFirstTakeKilledAnywhere(t *testing.T) {
	fresh := func() *bench {
		b := newBench(t)
		b.fixture()
		return b
	}
	points := fresh().points("take", "REHEARSAL")
	t.Logf("%d points: %v", len(points), points)
	for _, i := range steps(points) {
		b := fresh()
		b.run("take", "KILLED", fmt.Sprintf("*:%d:kill", i+1), "")
		c := b.take()
		b.same(c, b.truth())
		b.again()
		b.same(b.load(c.ID), b.truth())
	}
}

// A Take that fails leaves no bytes behind.
func TestTakeThatFailsLeavesNothing(t *testing.T) {
	b, _ := story(t)
	before, _ := b.set.Size()
	if out, _ := b.run("take", "FULL", "checkpoint.sync:1:28", ""); !strings.Contains(out, "store") {
		t.Fatalf("said %q", out)
	}
	if after, _ := b.set.Size(); after != before {
		t.Errorf("grew from %d to %d", before, after)
	}
}

// Killed, or failing, at any step of a collection: what was to be kept is whole.
func TestCollectKilledAnywhere(t *testing.T) {
	b, first := story(t)
	points := b.points("collect", first.ID)
	if len(points) < 5 {
		t.Fatalf("only %v", points)
	}
	t.Logf("%d points: %v", len(points), points)
	for _, i := range steps(points) {
		for _, action := range []string{"kill", "5"} {
			b, first := story(t)
			want := first.Entries()
			b.run("collect", first.ID, fmt.Sprintf("*:%d:%s", i+1, action), "")
			b.again()
			b.same(b.load(first.ID), want)
			now := b.truth()
			c, err := b.try()
			b.must(err)
			b.same(c, now)
			if out, _ := b.run("collect", first.ID, "", ""); out != "" {
				t.Fatalf("the next collection: %s", out)
			}
			b.again()
			b.same(b.load(first.ID), want)
			b.same(b.load(c.ID), now)
			b.sound(first)
		}
	}
}

// sound fails unless everything that is held is good.
func (b *bench) sound(first *checkpoint.Checkpoint) {
	b.t.Helper()
	b.again()
	rep, err := b.set.Verify(context.Background())
	b.must(err)
	for _, d := range rep.Damage {
		if d.ID != "KILLED" { // it was never acknowledged
			b.t.Fatalf("damage: %v", d)
		}
	}
	b.load(first.ID)
}

package ledger

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestMain lets this binary be another process that appends: with the variable
// set it adds records until it is killed or has added as many as asked, and
// prints the number of each that was acknowledged.
func TestMain(m *testing.M) {
	dir, count, ok := strings.Cut(os.Getenv("LEDGER_TEST_APPEND"), "|")
	if !ok {
		os.Exit(m.Run())
	}
	n, _ := strconv.Atoi(count)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for i := range n {
		r := some(1)
		r.ID = fmt.Sprintf("%d-%d", os.Getpid(), i)
		if _, err := Append(ctx, dir, r, AppendOptions{Sync: i%8 == 0}); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println(r.ID)
	}
}

// appender starts a process that appends.
func appender(t *testing.T, dir string, n int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("LEDGER_TEST_APPEND=%s|%d", dir, n))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// drain reads what a process acknowledged and kills it after limit lines.
func drain(cmd *exec.Cmd, out *bufio.Scanner, limit int) (ids []string) {
	for out.Scan() {
		ids = append(ids, out.Text())
		if len(ids) == limit {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	return ids
}

// check finds every acknowledged record once, on one chain.
func check(t *testing.T, dir string, acknowledged []string) {
	t.Helper()
	records, report, err := ReadAll(dir)
	if err != nil || report.Corrupt() {
		t.Fatalf("%v, %+v", err, report.Damage)
	}
	seen := map[string]int{}
	for i, r := range records {
		if r.Kind != Recovered {
			seen[r.ID]++
		}
		if r.Seq != uint64(i+1) {
			t.Fatalf("record %d has number %d", i+1, r.Seq)
		}
	}
	for _, id := range acknowledged {
		if seen[id] != 1 {
			t.Errorf("%q is there %d times", id, seen[id])
		}
	}
}

func TestProcessesShareOneChain(t *testing.T) {
	dir := newDir(t)
	const processes, each = 3, 150
	results := make(chan []string)
	for range processes {
		cmd, out := appender(t, dir, each)
		go func() { results <- drain(cmd, out, 0) }()
	}
	var all []string
	for range processes {
		all = append(all, <-results...)
	}
	if len(all) != processes*each {
		t.Errorf("%d acknowledged: %q", len(all), all[max(0, len(all)-1):])
	}
	check(t, dir, all)
}

// TestKilledProcessesLoseNothing kills each process at a random record while
// others go on.
func TestKilledProcessesLoseNothing(t *testing.T) {
	dir := newDir(t)
	rnd := rand.New(rand.NewPCG(11, 12))
	var all []string
	for range 8 {
		results := make(chan []string)
		for range 2 {
			cmd, out := appender(t, dir, 100)
			limit := 1 + rnd.IntN(40)
			go func() { results <- drain(cmd, out, limit) }()
		}
		all = append(append(all, <-results...), <-results...)
	}
	if _, err := Append(t.Context(), dir, some(1), AppendOptions{Sync: true}); err != nil {
		t.Fatal(err)
	}
	check(t, dir, all)
}

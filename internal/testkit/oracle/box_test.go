//go:build linux

package oracle

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/counterstep/counterstep/internal/testkit/shelloracle"
)

const (
	bwrap  = "/usr/bin/bwrap"
	driver = "oracle-driver"
)

// job is one command to be tried.
type job struct {
	Command string
	// Variant is "base", "seeded" or "overwrite"; Seeds are paths that must
	// exist first.
	Variant string
	Seeds   []string
	// Open says that it is known not to hold.
	Open bool
}

// world is what the driver is given.
type world struct {
	Tree tree
	Jobs []job
	// Traces are commands that are only read, in place of jobs.
	Traces []string
}

// sandbox returns the arguments for bubblewrap, without the program that is to
// run: own namespaces, no network, programs read-only, all else in memory.
func sandbox(exe, product string) ([]string, error) {
	args := []string{
		"--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL",
		"--die-with-parent", "--new-session", "--clearenv", "--hostname", "oracle", "--proc", "/proc", "--dev", "/dev",
		"--size", "268435456", "--tmpfs", "/home",
	}
	args, err := shelloracle.ShowSystem(args, "/opt")
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{"/tmp", "/srv", "/var/log", "/var/tmp", "/run/user/1000", "/oracle/state", "/oracle/log"} {
		args = append(args, "--tmpfs", dir)
	}
	return append(args, "--dir", "/root", "--dir", "/mnt", "--ro-bind", product, "/oracle/counterstep",
		"--ro-bind", exe, "/oracle/"+driver, "--remount-ro", "/", "--chdir", "/"), nil
}

// run tries all jobs, with as many sandboxes as workers, and returns what
// happened in the order of the jobs. A command that ends the sandbox itself
// gets an outcome that says so.
func run(t *testing.T, w world, product string, workers int) []outcome {
	t.Helper()
	if _, err := os.Stat(bwrap); err != nil {
		t.Skip("NOT TESTED: needs bubblewrap (apt-get install bubblewrap)")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args, err := sandbox(exe, product)
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, "/oracle/"+driver)
	out := make([]outcome, len(w.Jobs))
	var wg sync.WaitGroup
	for i := range workers {
		var mine []int
		for j := i; j < len(w.Jobs); j += workers {
			mine = append(mine, j)
		}
		wg.Go(func() {
			for len(mine) > 0 {
				done, err := session(args, w, mine, out)
				if err != nil && done == 0 && out[mine[0]].Broken == "" {
					t.Error(err)
					return
				}
				mine = mine[done:]
			}
		})
	}
	wg.Wait()
	return out
}

// session runs one sandbox until its jobs are done or it ends.
func session(args []string, w world, mine []int, out []outcome) (int, error) {
	var in, errs bytes.Buffer
	jobs := make([]job, 0, len(mine))
	for _, j := range mine {
		jobs = append(jobs, w.Jobs[j])
	}
	if err := gob.NewEncoder(&in).Encode(world{Tree: w.Tree, Jobs: jobs}); err != nil {
		return 0, err
	}
	cmd := exec.Command(bwrap, args...)
	cmd.Stdin, cmd.Stderr = &in, &errs
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	dec := gob.NewDecoder(bufio.NewReader(pipe))
	for n, j := range mine {
		var o outcome
		if err := dec.Decode(&o); err != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if n == 0 && strings.Contains(errs.String(), "fixture") {
				return 0, fmt.Errorf("%w: %s", err, errs.String())
			}
			out[j] = outcome{job: w.Jobs[j], Broken: "the sandbox ended: " + strings.TrimSpace(errs.String())}
			return n + 1, nil
		}
		o.job = w.Jobs[j]
		out[j] = o
	}
	return len(mine), cmd.Wait()
}

// isDriver reports whether this process is the one inside the sandbox.
func isDriver() bool { return filepath.Base(os.Args[0]) == driver }

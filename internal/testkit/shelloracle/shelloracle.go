// Package shelloracle tells what a shell command really does: real shells run
// it in a throw-away sandbox, on a small tree of files, and the tree is
// compared with what it was.
//
// The sandbox is bubblewrap: own user, mount, process and network namespaces,
// the programs of the machine read-only, everything else in memory. Programs
// that destroy are replaced by shims that write down their arguments and then
// act on the throw-away tree.
//
// One start of the sandbox serves many commands. The program inside is the test
// binary itself, so a test binary that calls Run must call Main first.
package shelloracle

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/counterstep/counterstep/internal/proc"
)

// Shell is one way to run a command.
type Shell struct {
	// Name is for people; Program is the absolute path, Args are what stands
	// before the command.
	Name, Program string
	Args          []string
}

// Shells are those that a command is usually tried in. The last one is bash as
// harnesses start it: the command is evaluated, and aliases are on.
func Shells() []Shell {
	return []Shell{
		{"bash", "/usr/bin/bash", []string{"--norc", "--noprofile", "-c"}},
		{"dash", "/usr/bin/dash", []string{"-c"}},
		{"zsh", "/usr/bin/zsh", []string{"-f", "-c"}},
		{"bash with aliases", "/usr/bin/bash", []string{"--norc", "--noprofile", "-O", "expand_aliases", "-c", `eval "$0"`}},
	}
}

// What says how one path changed.
type What string

// The ways in which a path changes. A path that is gone and back with another
// type has changed its content.
const (
	Gone    What = "gone"
	Content What = "content"
	Meta    What = "metadata"
	New     What = "new"
)

// Change is one path that is not what it was.
type Change struct {
	What What
	Path string
}

// Argv is one run of a shimmed program: its name, its directory, its arguments.
type Argv struct {
	Name, Dir string
	Args      []string
}

// String is the call as a person would read it.
func (a Argv) String() string { return fmt.Sprintf("%s %q in %s", a.Name, a.Args, a.Dir) }

// Outcome is what one shell did with one command.
type Outcome struct {
	Shell    string
	Changes  []Change
	Ran      []Argv
	Code     int
	Stderr   string
	TimedOut bool
	// Took is how long it took, with what it left running.
	Took time.Duration
}

// Result is what the shells did with one command, in the order of Setup.Shells.
type Result struct {
	Src      string
	Outcomes []Outcome
}

// Setup is the world that commands run in.
type Setup struct {
	Fixture Fixture
	Shells  []Shell
	// Dir is where commands start, Env their whole environment.
	Dir string
	Env []string
	// Limit is how long one command may take.
	Limit time.Duration
}

type request struct {
	Setup Setup
	Srcs  []string
}

// driverName is the name under which the test binary is the program inside.
const driverName = "shelloracle-driver"

// Main takes over when this process is the program inside the sandbox; it does
// not return then. Call it first in TestMain.
func Main() {
	if filepath.Base(os.Args[0]) == driverName {
		os.Exit(drive(os.Stdin, os.Stdout))
	}
}

// Missing names the programs without which Run cannot work here.
func Missing(shells []Shell) []string {
	var missing []string
	want := map[string]bool{}
	for _, s := range shells {
		want[s.Program] = true
	}
	for _, p := range []string{bwrapPath, "/usr/bin/dash", "/usr/bin/rm"} {
		want[p] = true
	}
	for p := range want {
		if _, err := os.Stat(p); err != nil {
			missing = append(missing, p)
		}
	}
	if runtime.GOOS != "linux" {
		missing = append(missing, "linux")
	}
	return missing
}

// Run tries every command in every shell and returns the results in order. The
// tree is whole again before each. It uses as many sandboxes as there are
// processors.
func Run(ctx context.Context, s Setup, srcs []string) ([]Result, error) {
	workers := min(runtime.GOMAXPROCS(0), max(1, len(srcs)/16))
	results := make([]Result, len(srcs))
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var mine []string
			for i := w; i < len(srcs); i += workers {
				mine = append(mine, srcs[i])
			}
			got, err := runOne(ctx, s, mine)
			for i, r := range got {
				results[w+i*workers] = r
			}
			errs[w] = err
		})
	}
	wg.Wait()
	return results, errors.Join(errs...)
}

// runOne starts one sandbox for srcs.
func runOne(ctx context.Context, s Setup, srcs []string) ([]Result, error) {
	dir, err := os.MkdirTemp("", "shelloracle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args, err := sandbox(dir)
	if err != nil {
		return nil, err
	}
	var in bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(request{s, srcs}); err != nil {
		return nil, err
	}
	res, err := proc.Run(ctx, proc.Cmd{Path: bwrapPath, Args: args, Dir: "/", Stdin: &in, Limit: 1 << 30})
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w\n%s", err, res.Stderr)
	}
	var got []Result
	dec := gob.NewDecoder(bytes.NewReader(res.Stdout))
	for range srcs {
		var r Result
		if err := dec.Decode(&r); err != nil {
			at := "the start"
			if len(got) < len(srcs) {
				at = fmt.Sprintf("%q", srcs[len(got)])
			}
			return got, fmt.Errorf("sandbox ended at %s with status %d: %s", at, res.Code, strings.TrimSpace(string(res.Stderr)))
		}
		got = append(got, r)
	}
	return got, nil
}

//go:build linux

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	// The binary is made of it: a change there makes a cached result stale.
	_ "github.com/counterstep/counterstep/internal/cli"
)

// binary is the product, built with the failpoints.
var binary string

// Counts of what was done to it.
var kills, faults, cuts, flips atomic.Int64

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == traceWord {
		os.Exit(trace(os.Args[2:]))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "counterstep-faults-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // others run it, too
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	binary = filepath.Join(dir, "counterstep")
	build := exec.Command("go", "build", "-tags", "failpoints", "-buildvcs=false", "-o", binary, "github.com/counterstep/counterstep/cmd/counterstep")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the binary: %v\n%s", err, out)
		return 1
	}
	code := m.Run()
	fmt.Printf("faults: %d kills, %d failed operations, %d power cuts, %d damaged stores\n", kills.Load(), faults.Load(), cuts.Load(), flips.Load())
	return code
}

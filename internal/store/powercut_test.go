//go:build long && linux

package store

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPowerCut cuts the power, as far as a file system can tell, right after a
// payload was acknowledged: what was not synced is gone, the payload is not.
func TestPowerCut(t *testing.T) {
	if _, err := exec.LookPath("xfs_io"); err != nil {
		t.Skip("SKIPPED LOUDLY: there is no xfs_io on this machine")
	}
	for _, kind := range []string{"ext4", "xfs"} {
		t.Run("fs="+kind, func(t *testing.T) { powerCuts(t, kind, 25) })
	}
}

func powerCuts(t *testing.T, kind string, rounds int) {
	image, at, run := loop(t, kind)
	lost := 0
	for round := range rounds {
		store := filepath.Join(at, fmt.Sprint(round), "store")
		witness := filepath.Join(at, fmt.Sprint("witness", round))
		out, err := writer(store).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := os.WriteFile(witness, []byte("never synced"), 0o600); err != nil {
			t.Fatal(err)
		}
		run("xfs_io", "-x", "-c", "shutdown", at)
		run("umount", at)
		run("mount", "-o", "loop", image, at)
		if data, err := os.ReadFile(witness); err != nil || len(data) == 0 {
			lost++
		}
		s, err := Open(store)
		if err == nil {
			err = wholeAs(s, strings.TrimSpace(string(out)))
		}
		if err != nil {
			t.Errorf("round %d: %v", round, err)
		}
	}
	if lost == 0 {
		t.Error("nothing was ever lost: the power was not cut")
	}
}

//go:build failpoints && linux

package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// each runs the writer with its n-th step misbehaving, for every n, until a
// run is clean.
func each(t *testing.T, action string, check func(dir, out string, state *os.ProcessState)) {
	t.Helper()
	for n := 1; ; n++ {
		if n > 60 {
			t.Fatal("it never ends")
		}
		dir := filepath.Join(t.TempDir(), fmt.Sprint(n))
		cmd := writer(dir, fmt.Sprintf("COUNTERSTEP_FAIL=*:%d:%s", n, action))
		out, err := cmd.CombinedOutput()
		check(dir, string(out), cmd.ProcessState)
		if t.Failed() {
			t.Fatalf("step %d: %s", n, out)
		}
		if err == nil {
			if n < 8 {
				t.Fatalf("only %d steps", n)
			}
			return
		}
	}
}

// TestKilledAnywhere: there is a whole payload or none, what is left behind is
// swept, and the next process works.
func TestKilledAnywhere(t *testing.T) {
	each(t, "kill", func(dir, out string, state *os.ProcessState) {
		if ws := state.Sys().(syscall.WaitStatus); !state.Success() && !(ws.Signaled() && ws.Signal() == syscall.SIGKILL) {
			t.Fatalf("ended otherwise: %v", state)
		}
		s, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		if p, err := s.Payload(ulid(7), [32]byte{}); err == nil {
			if err := p.Verify(t.Context(), nil); err != nil {
				t.Error(err)
			}
			p.Close()
		} else if !errors.Is(err, ErrNoPayload) || state.Success() {
			t.Error(err)
		}
		if _, err := s.Sweep(time.Now(), ""); err != nil {
			t.Error(err)
		}
		checkModes(t, dir)
		if ids, err := s.IDs(); err != nil || len(ids) > 1 {
			t.Error(ids, err)
		} else if len(ids) == 1 {
			thisIsProtected(t, s, ulid(7))
			if err := s.Remove(ulid(7)); err != nil {
				t.Error(err)
			}
		}
		if left, _ := os.ReadDir(s.ShadowDir()); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		again(t, s, dir)
	})
}

// TestFullAnywhere: the error is the store's, nothing is left, and with room
// again it works.
func TestFullAnywhere(t *testing.T) {
	each(t, fmt.Sprint(int(syscall.ENOSPC)), func(dir, out string, state *os.ProcessState) {
		if !state.Success() && state.ExitCode() != 3 {
			t.Error("not the error of a full store")
		}
		s, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		if left, _ := os.ReadDir(s.ShadowDir()); !state.Success() && len(left) > 0 {
			// Only a step after the commit may leave it, whole.
			if len(left) != 1 || left[0].Name() != ulid(7) || !strings.Contains(out, "store.done") {
				t.Errorf("left behind: %v", left)
			}
		}
		if err := s.Remove(ulid(7)); err != nil {
			t.Error(err)
		}
		again(t, s, dir)
	})
}

// again writes the payload without faults.
func again(t *testing.T, s *Store, dir string) {
	t.Helper()
	out, err := writer(dir, "COUNTERSTEP_FAIL=").CombinedOutput()
	if err != nil {
		t.Errorf("the next process: %v: %s", err, out)
		return
	}
	if err := wholeAs(s, strings.TrimSpace(string(out))); err != nil {
		t.Error(err)
	}
}

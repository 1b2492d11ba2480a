//go:build unix

package proc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/proc"
)

func sh(script string) proc.Cmd {
	return proc.Cmd{Path: "/bin/sh", Args: []string{"-c", script}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}}
}

func TestRunKeepsStreamsAndStatusApart(t *testing.T) {
	c := sh("cat; echo err >&2; exit 7")
	c.Stdin = strings.NewReader("in")
	res, err := proc.Run(t.Context(), c)
	if err != nil || string(res.Stdout) != "in" || string(res.Stderr) != "err\n" || res.Code != 7 {
		t.Errorf("got %q %q %d %v", res.Stdout, res.Stderr, res.Code, err)
	}
}

func TestEnvironmentIsOnlyWhatIsHanded(t *testing.T) {
	t.Setenv("LEAK", "1")
	for _, env := range [][]string{nil, {"A=b"}} {
		res, err := proc.Run(t.Context(), proc.Cmd{Path: "/usr/bin/env", Dir: "/", Env: env})
		if want := strings.Join(append(env, ""), "\n"); err != nil || string(res.Stdout) != want {
			t.Errorf("environment %q, want %q (%v)", res.Stdout, want, err)
		}
	}
}

func TestNoTerminalAndNoInput(t *testing.T) {
	res, err := proc.Run(t.Context(), sh("read x && echo got input; (: < /dev/tty) 2>/dev/null && echo got tty"))
	if err != nil || len(res.Stdout) != 0 {
		t.Errorf("got %q, %v", res.Stdout, err)
	}
}

func TestCancelKillsDescendants(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if data, _ := os.ReadFile(pids); strings.HasSuffix(string(data), "\n") {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	start := time.Now()
	_, err := proc.Run(ctx, sh("sh -c 'sleep 60 & echo $! > "+pids+"; wait'; :"))
	if !errors.Is(err, context.Canceled) || time.Since(start) > 20*time.Second {
		t.Fatalf("after %v: %v", time.Since(start), err)
	}
	data, _ := os.ReadFile(pids)
	pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
	for deadline := time.Now().Add(5 * time.Second); ; {
		if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestTooMuchOutput(t *testing.T) {
	for _, to := range []string{"", " >&2"} {
		c := sh("while :; do echo xxxxxxxxxxxxxxxx; done" + to)
		c.Limit = 1000
		res, err := proc.Run(t.Context(), c)
		if !errors.Is(err, proc.ErrTooMuch) || len(res.Stdout)+len(res.Stderr) != 1000 {
			t.Errorf("%d bytes, %v", len(res.Stdout)+len(res.Stderr), err)
		}
	}
}

func TestLeftBehindDescendantDoesNotHoldUp(t *testing.T) {
	start := time.Now()
	res, err := proc.Run(t.Context(), sh("sleep 30 & echo $!"))
	if err != nil || time.Since(start) > 20*time.Second {
		t.Errorf("after %v: %v", time.Since(start), err)
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(res.Stdout))); err == nil {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestErrors(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for name, c := range map[string]proc.Cmd{
		"relative program":   {Path: "sh", Dir: "/"},
		"relative directory": {Path: "/bin/sh", Dir: "."},
		"missing program":    {Path: "/nonexistent/x", Dir: "/"},
		"killed":             sh("kill -9 $$"),
	} {
		if _, err := proc.Run(ctx, c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLook(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "notes": 0o644} {
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := proc.Look("tool", ".::"+dir); err != nil || got != filepath.Join(dir, "tool") {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := proc.Look("tool", "."); err == nil {
		t.Errorf("a relative entry was used: %q", got)
	}
	if got, err := proc.Look("notes", dir); err == nil {
		t.Errorf("a file that cannot run was found: %q", got)
	}
	if got := proc.Clean(".:/a::b:/c"); got != "/a:/c" {
		t.Errorf("Clean = %q", got)
	}
}

package setup

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine is a home of its own, in which counterstep may be installed.
func machine(t *testing.T) Machine {
	t.Helper()
	home := t.TempDir()
	return Machine{Home: home, StateHome: filepath.Join(home, ".local/state")}
}

// write makes an executable file of shell code.
func write(t *testing.T, path, body string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// run gives line to a shell, as the agent does, with payload on its standard
// input and only env around it.
func run(t *testing.T, line, payload string, env ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
	cmd.Stdin = strings.NewReader(payload)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("run %s: %v", line, err)
	} else if ok {
		return out.String(), errs.String(), exit.ExitCode()
	}
	return out.String(), errs.String(), 0
}

const (
	deny    = `cat >/dev/null; echo '{"deny":1}'; echo no >&2; exit 2`
	echoArg = `echo "$@"; cat`
)

// TestWrapper runs the line that stands in the settings, whatever becomes of
// the binary. Only an answer of its own may let a call go.
func TestWrapper(t *testing.T) {
	for _, c := range []struct {
		name, body            string // body "" means that no binary is there
		block                 bool
		stdout, stderr        string
		code                  int
		mode                  os.FileMode
		needsTimeout, strange bool
	}{
		{name: "goes along", body: echoArg, block: true, stdout: "hook claude\npayload"},
		{name: "refuses", body: deny, block: true, stdout: "{\"deny\":1}\n", stderr: "no\n", code: 2},
		{name: "crashes", body: "echo panic >&2; exit 1", block: true, stderr: "panic\ncounterstep did not answer (exit 1, ", code: 2},
		{name: "exits 3", body: "exit 3", block: true, stderr: "counterstep did not answer (exit 3, ", code: 2},
		{name: "is killed", body: "kill -9 $$", block: true, stderr: "counterstep did not answer (exit 137, ", code: 2},
		{name: "is missing", block: true, stderr: "counterstep did not answer (exit 127, ", code: 2},
		{name: "is not executable", body: "exit 0", mode: 0o644, block: true, stderr: "counterstep did not answer (exit 126, ", code: 2},
		{name: "hangs", body: "exec sleep 60", block: true, needsTimeout: true, stderr: "counterstep did not answer (exit 124, ", code: 2},
		{name: "hangs on", body: "trap '' TERM; while :; do sleep 60 & wait; done", block: true, needsTimeout: true, stderr: "counterstep did not answer (exit 137, ", code: 2},
		{name: "lies on a strange path", body: echoArg, block: true, strange: true, stdout: "hook claude\npayload"},
		{name: "goes along with a report", body: echoArg, stdout: "hook claude\npayload"},
		{name: "refuses a report", body: deny, stdout: "{\"deny\":1}\n", stderr: "no\n"},
		{name: "crashes on a report", body: "exit 1"},
		{name: "is missing for a report", stderr: "counterstep"},
		{name: "hangs on a report", body: "exec sleep 60", needsTimeout: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat("/usr/bin/timeout"); c.needsTimeout && err != nil {
				t.Skip("SKIPPED: /usr/bin/timeout is not installed; the agent's own timeout has to do here")
			}
			m := machine(t)
			dir := filepath.Join(m.Home, "bin")
			if c.strange {
				dir = filepath.Join(m.Home, `it's "$(touch pwned)" \n`, "-x `y` ;&")
			}
			binary := filepath.Join(dir, "counterstep")
			if c.body != "" {
				write(t, binary, c.body)
				if c.mode != 0 {
					if err := os.Chmod(binary, c.mode); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := m.save(binary, nil); err != nil {
				t.Fatal(err)
			}
			line := command(hook{block: c.block, limit: 1}, Entries{Scope: Project, Binary: binary})
			stdout, stderr, code := run(t, line, "payload", "HOME="+m.Home)
			if stdout != c.stdout || !strings.Contains(stderr, c.stderr) || c.stderr == "" && stderr != "" || code != c.code {
				t.Errorf("stdout %q, stderr %q, code %d", stdout, stderr, code)
			}
			if code == 2 && c.stdout == "" && !strings.Contains(stderr, "counterstep uninstall") {
				t.Errorf("blocked without the way out: %q", stderr)
			}
		})
	}
}

// TestWrapperHarmsNobodyElse: who never installed counterstep and gets the
// settings file from a repository can work on, and is told.
func TestWrapperHarmsNobodyElse(t *testing.T) {
	binary := write(t, filepath.Join(t.TempDir(), "counterstep"), deny)
	for _, path := range []string{binary, "/nowhere/counterstep"} {
		line := command(hook{block: true, limit: 5}, Entries{Scope: Project, Binary: path, StateHome: "/nowhere"})
		for _, env := range [][]string{
			{"HOME=" + t.TempDir()},
			{"HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()},
			{"HOME=" + t.TempDir(), "XDG_STATE_HOME=state"},
			{},
		} {
			stdout, stderr, code := run(t, line, "payload", env...)
			if stdout != "" || code != 0 || !strings.Contains(stderr, "not installed on this machine") {
				t.Errorf("%q: stdout %q, stderr %q, code %d", env, stdout, stderr, code)
			}
		}
	}
}

// TestWrapperFindsTheMachinesOwnBinary: a colleague's path leads nowhere, but
// counterstep is installed here too.
func TestWrapperFindsTheMachinesOwnBinary(t *testing.T) {
	m := machine(t)
	m.StateHome = t.TempDir()
	if err := m.save(write(t, filepath.Join(m.Home, "my bin", "counterstep"), echoArg), nil); err != nil {
		t.Fatal(err)
	}
	line := command(hook{block: true, limit: 5}, Entries{Scope: Project, Binary: "/home/colleague/counterstep"})
	for _, env := range [][]string{
		{"HOME=" + m.Home},
		{"HOME=/nowhere", "XDG_STATE_HOME=" + m.StateHome},
		{"HOME=" + m.Home, "XDG_STATE_HOME=/nowhere"},
	} {
		if stdout, stderr, code := run(t, line, "payload", env...); stdout != "hook claude\npayload" || code != 0 {
			t.Errorf("%q: stdout %q, stderr %q, code %d", env, stdout, stderr, code)
		}
	}
}

// TestWrapperOfOwnFilesNeedsNoEnvironment: in files that nobody else reads, no
// variable can make a session look as if nothing were installed.
func TestWrapperOfOwnFilesNeedsNoEnvironment(t *testing.T) {
	m := machine(t)
	binary := write(t, filepath.Join(m.Home, "counterstep"), deny)
	if err := m.save(binary, nil); err != nil {
		t.Fatal(err)
	}
	for _, scope := range []Scope{Local, User} {
		line := command(hook{block: true, limit: 5}, Entries{Scope: scope, Binary: binary, StateHome: m.StateHome})
		if _, stderr, code := run(t, line, "payload", "HOME=/nowhere", "XDG_STATE_HOME=/nowhere"); code != 2 || stderr != "no\n" {
			t.Errorf("%s: stderr %q, code %d", scope, stderr, code)
		}
	}
}

//go:build linux

package faults

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/store"
)

// world is a home, a state directory and a project of their own.
type world struct {
	t                *testing.T
	base, state, dir string
	// wrap, when set, is put in front of the binary.
	wrap []string
	// as, when set, is the user that everything runs as.
	as *syscall.Credential
	// lax leaves the times of directories out of what must come back.
	lax bool
	// calls numbers the calls.
	calls int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return worldAt(t, base, base)
}

// worldAt makes a world whose project and state lie in different places.
func worldAt(t *testing.T, base, state string) *world {
	t.Helper()
	w := &world{t: t, base: base, state: filepath.Join(state, "state"), dir: filepath.Join(base, "p")}
	for _, d := range []string{filepath.Join(base, "home"), w.state, w.dir} {
		w.must(os.MkdirAll(d, 0o700))
	}
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) env(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(w.base, "home"), "XDG_STATE_HOME=" + w.state, "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}, more...)
}

// result is what a process left behind.
type result struct {
	code           int // -1 when a signal ended it
	sig            syscall.Signal
	stdout, stderr string
	took           time.Duration
}

func (r result) killed() bool { return r.sig == syscall.SIGKILL }

// command prepares a run of the product; env is added to the environment.
func (w *world) command(stdin string, env []string, args ...string) *exec.Cmd {
	argv := append(append([]string{}, w.wrap...), append([]string{binary}, args...)...)
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	w.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env(env...), strings.NewReader(stdin)
	cmd.WaitDelay = 20 * time.Second
	if w.as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: w.as}
	}
	return cmd
}

// end runs cmd to its end.
func (w *world) end(cmd *exec.Cmd) result { return w.endBy(cmd, -1) }

// endBy runs cmd to its end, or kills it after some time; never when that is
// negative. What cannot be started has the code -2.
func (w *world) endBy(cmd *exec.Cmd, after time.Duration) result {
	var out, errs strings.Builder
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &errs
	}
	start := time.Now()
	err := cmd.Start()
	if err == nil {
		if after >= 0 {
			defer time.AfterFunc(after, func() { cmd.Process.Kill() }).Stop()
		}
		err = cmd.Wait()
	}
	r := result{took: time.Since(start), stdout: out.String(), stderr: errs.String()}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return result{code: -2, stderr: err.Error()}
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	r.code = cmd.ProcessState.ExitCode()
	if status.Signaled() {
		r.sig = status.Signal()
	}
	return r
}

// counterstep runs a command line of the product.
func (w *world) counterstep(env []string, args ...string) result {
	w.t.Helper()
	return w.end(w.command("", env, args...))
}

// event is the payload that the client sends.
func (w *world) event(name, id, command string) string {
	data, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": w.dir, "hook_event_name": name, "tool_name": "Bash", "source": "startup",
		"tool_input": map[string]any{"command": command}, "tool_use_id": id, "tool_response": map[string]any{},
	})
	w.must(err)
	return string(data)
}

// id names the newest call.
func (w *world) id() string { return "call-" + strconv.Itoa(w.calls) }

// pre asks for a new call, post reports that it ran.
func (w *world) pre(command string, env ...string) result {
	w.t.Helper()
	w.calls++
	return w.end(w.command(w.event("PreToolUse", w.id(), command), env, "hook"))
}

func (w *world) post(command string, env ...string) result {
	w.t.Helper()
	return w.end(w.command(w.event("PostToolUse", w.id(), command), env, "hook"))
}

// bash runs a call as the client does.
func (w *world) bash(command string) {
	w.t.Helper()
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir, cmd.Env = w.dir, w.env()
	if w.as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: w.as}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("bash -c %q: %v\n%s", command, err, out)
	}
}

// agent makes a call from its first event to its last.
func (w *world) agent(command string) {
	w.t.Helper()
	if r := w.pre(command); r.code != 0 {
		w.t.Fatalf("%q was not let go: %+v", command, r)
	}
	w.bash(command)
	if r := w.post(command); r.code != 0 || r.stderr != "" {
		w.t.Fatalf("settle %q: %+v", command, r)
	}
}

// storeDir is where the store of the project lies.
func (w *world) storeDir() string { return store.Dir(w.state, w.dir) }

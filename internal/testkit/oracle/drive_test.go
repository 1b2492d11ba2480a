//go:build linux

package oracle

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// outcome is what was said of a command, what it did, and what came back.
type outcome struct {
	job
	Said prediction
	// Refused is the reason when the hook did not let it go.
	Refused string
	// Changes are what existed and is not what it was, GitLost what a
	// repository lost; Created is new.
	Changes []change
	GitLost []string
	Created []string
	// Missed are changes that were not predicted.
	Missed []string
	// Armed says that something was armed; Fired is what fire said, and Back
	// what is not as it was after it.
	Armed bool
	Fired string
	Back  []string
	// Left are new paths that firing did not remove.
	Left     []string
	Code     int
	TimedOut bool
	Broken   string
	Took     time.Duration
}

const (
	limit  = 4 * time.Second
	linger = 300 * time.Millisecond
	start  = `ulimit -c 0 -f 131072 -d 3000000; exec /usr/bin/bash -c "$0"`
)

// box is the inside of the sandbox.
type box struct {
	g    ground
	base map[string]repoState
	n    int
}

// serve runs inside the sandbox.
func serve() int {
	var w world
	if err := gob.NewDecoder(os.Stdin).Decode(&w); err != nil {
		fmt.Fprintln(os.Stderr, "fixture:", err)
		return 1
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "fixture:", err)
		return 1
	}
	b := box{base: map[string]repoState{}}
	if err := b.g.reset(w.Tree); err != nil {
		fmt.Fprintln(os.Stderr, "fixture:", err)
		return 1
	}
	for _, r := range repos() {
		b.base[r] = readRepo(r, environ())
	}
	enc := gob.NewEncoder(os.Stdout)
	if len(w.Traces) > 0 {
		_ = enc.Encode(readAll(w.Traces))
		return 0
	}
	for _, j := range w.Jobs {
		if err := enc.Encode(b.try(w.Tree, j)); err != nil {
			return 1
		}
	}
	return 0
}

func environ() []string {
	return []string{
		"HOME=" + home, "USER=dev", "LOGNAME=dev", "SHELL=/bin/bash", "LANG=C.UTF-8", "TERM=dumb", "TZ=UTC", "PWD=" + app,
		"PATH=/usr/local/bin:/usr/bin:/bin", "XDG_STATE_HOME=/oracle/state", "XDG_RUNTIME_DIR=/run/user/1000", "GIT_CONFIG_NOSYSTEM=1",
	}
}

// try does one job from its prediction to its firing.
func (b *box) try(base tree, j job) (o outcome) {
	began := time.Now()
	defer func() { o.Took = time.Since(began) }()
	if len(j.Seeds) > 0 {
		base = base.plant(j.Seeds, j.Variant == "overwrite")
	}
	if err := b.fresh(base); err != nil {
		o.Broken = "reset: " + err.Error()
		return o
	}
	said, _, code := product("", "explain", "--json", "--", j.Command)
	var err error
	if o.Said, err = parsePrediction(said); err != nil {
		o.Broken = fmt.Sprintf("explain (exit %d): %s", code, said)
		return o
	}
	b.n++
	if o.Said.Class != "inert" || len(o.Said.Barriers) > 0 {
		_, why, code := product(event("PreToolUse", b.n, j.Command), "hook", "claude")
		if code != 0 {
			o.Refused = strings.TrimSpace(why)
		}
		o.Armed = code == 0 && o.Said.Class != "inert"
	}
	o.Code, o.TimedOut = execute(j.Command)
	b.measure(&o)
	if o.Armed && !(o.Said.Class == "bounded" && len(o.Changes) == 0 && len(o.GitLost) == 0) {
		b.back(&o)
	}
	return o
}

// fresh makes the tree whole and the store empty.
func (b *box) fresh(base tree) error {
	for _, dir := range []string{"/oracle/state", "/run/user/1000"} {
		_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(p, 0o700)
			}
			return nil
		})
		list, _ := os.ReadDir(dir)
		for _, e := range list {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return b.g.reset(base)
}

// measure compares with what was and with what was said.
func (b *box) measure(o *outcome) {
	var git bool
	o.Changes, o.Created, git = b.g.compare()
	for _, c := range o.Changes {
		if o.Refused == "" && !b.g.predicted(o.Said, c) {
			o.Missed = append(o.Missed, c.How+" "+c.Path)
		}
	}
	if !git {
		return
	}
	for _, r := range repos() {
		for _, l := range b.base[r].lost(readRepo(r, environ())) {
			o.GitLost = append(o.GitLost, r+": "+l)
			if o.Refused == "" && !o.Said.coversRepo(r) {
				o.Missed = append(o.Missed, r+": "+l)
			}
		}
	}
}

// back reports the call as done, takes it back and compares once more.
func (b *box) back(o *outcome) {
	product(event("PostToolUse", b.n, o.Command), "hook", "claude")
	out, why, code := product("", "fire", "--last", "--yes")
	o.Fired = "fired"
	if code != 0 {
		show, _, _ := product("", "show", "1")
		o.Fired = fmt.Sprintf("exit %d: %s%s\n%s", code, why, out, show)
	}
	changes, created, git := b.g.compare()
	for _, c := range changes {
		o.Back = append(o.Back, c.How+" "+c.Path)
	}
	o.Left = created
	if !git {
		return
	}
	for _, r := range repos() {
		if !o.Said.coversRepo(r) {
			continue // a commit that the same line made was not armed
		}
		for _, d := range b.base[r].differs(readRepo(r, environ())) {
			o.Back = append(o.Back, r+": "+d)
		}
	}
}

// product runs the binary under test.
func product(stdin string, args ...string) (out []byte, errs string, code int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/oracle/counterstep", args...)
	var e bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stderr = app, environ(), strings.NewReader(stdin), &e
	out, _ = cmd.Output()
	return out, e.String(), cmd.ProcessState.ExitCode()
}

// event is the payload that a client sends.
func event(name string, n int, command string) string {
	data, _ := json.Marshal(map[string]any{
		"session_id": "s", "transcript_path": "/dev/null", "cwd": app, "hook_event_name": name, "tool_name": "Bash", "permission_mode": "default",
		"tool_input": map[string]any{"command": command}, "tool_use_id": "toolu_" + strconv.Itoa(n), "tool_response": map[string]any{},
	})
	return string(data)
}

// execute runs a command by bash and ends what it leaves running.
func execute(command string) (code int, timedOut bool) {
	cmd := exec.Command("/usr/bin/dash", "-c", start, command)
	cmd.Dir, cmd.Env = app, environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return -1, false
	}
	timer := time.AfterFunc(limit, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	_ = cmd.Wait()
	timedOut = !timer.Stop()
	settle()
	return cmd.ProcessState.ExitCode(), timedOut
}

// settle waits for what is left running, and ends it when it lingers.
func settle() {
	for end := time.Now().Add(linger); ; time.Sleep(time.Millisecond) {
		left := children()
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			if time.Now().After(end) {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}

// children lists the other processes of the sandbox, but its first.
func children() []int {
	var list []int
	names, _ := os.ReadDir("/proc")
	for _, d := range names {
		if pid, err := strconv.Atoi(d.Name()); err == nil && pid > 1 && pid != os.Getpid() {
			list = append(list, pid)
		}
	}
	return list
}

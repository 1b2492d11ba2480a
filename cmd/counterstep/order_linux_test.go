package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOrderOnTheDisk watches the system calls of the real binary: nothing is
// answered, renamed or recorded before what it relies on is durable.
func TestOrderOnTheDisk(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("SKIPPED LOUDLY: there is no strace on this machine")
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED LOUDLY: strace: %v: %s", err, out)
	}
	w := newWatch(t, strace)
	const ledger = `write\(\d+<[^>]*/ledger\.jsonl>.*kind\\":\\"`
	w.file("f", "precious")
	w.inOrder("arming rm f", w.hook("rm f"),
		`fsync\(\d+<[^>]*/\.VERSION-`, `rename.*/VERSION"`,
		`mkdir.*\.counterstep-shadow-`)
	w.inOrder("arming rm f", w.last,
		`fsync\(\d+<[^>]*/payload\.tar>`, `rename.*/\.staging-.*/shadow/[0-9A-Z]{26}"`, `fsync\(\d+<[^>]*/shadow>`,
		ledger+`armed`, `fsync\(\d+<[^>]*/ledger\.jsonl>`, `write\(1<`)
	w.remove("f")
	w.inOrder("firing", w.run("", "fire", "--last"),
		`fsync\(\d+<[^>]*/payload\.tar>`, ledger+`armed`, `fsync\(\d+<[^>]*/ledger\.jsonl>`,
		ledger+`firing`, `fsync\(\d+<[^>]*/ledger\.jsonl>`,
		`syncfs\(`, `renameat2?\(.*, "f"`, `f?sync(fs)?\(\d+<[^>]*/p>`,
		ledger+`fired`, `fsync\(\d+<[^>]*/ledger\.jsonl>`, `write\(1<`)
	w.file("x.sh", "echo 1 >f")
	w.inOrder("holding sh ./x.sh", w.hook("sh ./x.sh"),
		`fsync\(\d+<[^>]*\.pack>`, ledger+`armed`, `fsync\(\d+<[^>]*/ledger\.jsonl>`)
}

// watch runs counterstep in a project of its own.
type watch struct {
	t            *testing.T
	strace, base string
	last         []call
}

func newWatch(t *testing.T, strace string) *watch {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"home", "p"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return &watch{t: t, strace: strace, base: base}
}

func (w *watch) file(name, data string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.base, "p", name), []byte(data), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watch) remove(name string) {
	w.t.Helper()
	if err := os.Remove(filepath.Join(w.base, "p", name)); err != nil {
		w.t.Fatal(err)
	}
}

// hook sends the event before a call.
func (w *watch) hook(command string) []call {
	w.t.Helper()
	event, err := json.Marshal(map[string]any{
		"session_id": "s1", "cwd": filepath.Join(w.base, "p"), "hook_event_name": "PreToolUse", "tool_name": "Bash",
		"tool_input": map[string]any{"command": command}, "tool_use_id": "toolu_1",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.run(string(event), "hook")
}

// run runs counterstep, which must succeed, and returns its system calls.
func (w *watch) run(stdin string, args ...string) []call {
	w.t.Helper()
	binary, err := exec.LookPath("counterstep")
	if err != nil {
		w.t.Fatal(err)
	}
	log := filepath.Join(w.base, "log")
	cmd := exec.Command(w.strace, append([]string{
		"-f", "-y", "-qq", "-s", "400", "-o", log,
		"-e", "trace=fsync,fdatasync,syncfs,rename,renameat,renameat2,write,mkdir,mkdirat", binary,
	}, args...)...)
	cmd.Dir = filepath.Join(w.base, "p")
	cmd.Env = append(os.Environ(), "HOME="+filepath.Join(w.base, "home"), "XDG_STATE_HOME="+filepath.Join(w.base, "state"), "XDG_RUNTIME_DIR=")
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%q: %v: %s", args, err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		w.t.Fatal(err)
	}
	w.last = calls(string(data))
	return w.last
}

// call is one system call: where in the log it began and ended.
type call struct {
	text       string
	begin, end int
}

// calls reads a log of strace, in which calls of several threads overlap.
func calls(log string) []call {
	var out []call
	open := map[string]int{}
	for n, line := range strings.Split(log, "\n") {
		pid, text, _ := strings.Cut(line, " ")
		text = strings.TrimSpace(text)
		if at, ok := open[pid]; ok && strings.HasPrefix(text, "<... ") {
			out[at].end = n
			delete(open, pid)
			continue
		}
		c := call{text: text, begin: n, end: n}
		if strings.HasSuffix(text, "<unfinished ...>") {
			open[pid], c.end = len(out), 1<<30
		}
		out = append(out, c)
	}
	return out
}

// inOrder fails unless each pattern has a call that began after one of the
// pattern before had ended.
func (w *watch) inOrder(what string, list []call, patterns ...string) {
	w.t.Helper()
	done := -1
	for _, p := range patterns {
		re, found := regexp.MustCompile(p), false
		for _, c := range list {
			if c.begin > done && c.end < 1<<30 && re.MatchString(c.text) {
				done, found = c.end, true
				break
			}
		}
		if !found {
			var b strings.Builder
			for _, c := range list {
				b.WriteString(c.text + "\n")
			}
			w.t.Fatalf("%s: no %q at its place in\n%s", what, p, b.String())
		}
	}
}

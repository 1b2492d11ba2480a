package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/harness/claude"
)

// person is a project with somebody at a terminal.
type person struct {
	*testing.T
	env  Env
	dir  string
	now  time.Time
	out  strings.Builder
	errs strings.Builder
}

func newPerson(t *testing.T) *person {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &person{T: t, dir: filepath.Join(base, "p"), now: time.Now()}
	vars := map[string]string{
		"HOME": filepath.Join(base, "home"), "XDG_STATE_HOME": filepath.Join(base, "state"),
		"XDG_CONFIG_HOME": filepath.Join(base, "config"), "PATH": os.Getenv("PATH"),
	}
	for _, d := range []string{p.dir, vars["HOME"], vars["XDG_CONFIG_HOME"]} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.env = Env{
		Stdout: &p.out, Stderr: &p.errs, Dir: p.dir, Executable: "/opt/counterstep", Terminal: true,
		Getenv: func(name string) string { return vars[name] }, Now: func() time.Time { return p.now },
	}
	return p
}

// types runs a command line and answers what it asks.
func (p *person) types(answer string, args ...string) int {
	p.out.Reset()
	p.errs.Reset()
	e := p.env
	e.Stdin = strings.NewReader(answer)
	return Main(e, args)
}

// agent sends the event before a shell call.
func (p *person) agent(command string) harness.Output {
	p.Helper()
	payload, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": p.dir, "hook_event_name": "PreToolUse", "tool_name": "Bash",
		"tool_input": map[string]any{"command": command}, "tool_use_id": fmt.Sprintf("t%x", command),
	})
	if err != nil {
		p.Fatal(err)
	}
	e := p.env
	e.Stdin = strings.NewReader(string(payload))
	return exchange(e, claude.Adapter{})
}

// TestAllowOnce: a person lets exactly one refused command through, once, for an
// hour, and the ledger says so. An agent cannot, in any spelling.
func TestAllowOnce(t *testing.T) {
	p := newPerson(t)
	const command = "curl -X DELETE https://staging.example.com/cache"
	if out := p.agent(command); out.Code != 2 || strings.Contains(string(out.Stdout)+string(out.Stderr), "allow --once") {
		t.Fatalf("%d %s%s: not refused, or the agent is told how to get round it", out.Code, out.Stdout, out.Stderr)
	}
	if code := p.types("n\n", "allow", "--once", command); code != 0 || p.agent(command).Code != 2 {
		t.Errorf("%d: a no lets it go", code)
	}
	if code := p.types("y\n", "allow", command); code != 2 {
		t.Errorf("%d without --once", code)
	}
	if code := p.types("y\n", "allow", "--once", command); code != 0 || !strings.Contains(p.errs.String(), "no undo: DELETE to staging.example.com") {
		t.Fatalf("%d %s", code, &p.errs)
	}
	if out := p.agent(command + " "); out.Code != 2 {
		t.Errorf("another command goes: %s", out.Stdout)
	}
	if out := p.agent(command); out.Code != 0 || len(out.Stdout) > 0 {
		t.Errorf("%d %s%s", out.Code, out.Stdout, out.Stderr)
	}
	if out := p.agent(command); out.Code != 2 {
		t.Error("it goes twice")
	}
	if p.types("", "ledger", "--all", "--json"); !strings.Contains(p.out.String(), "a person allowed it once") || !strings.Contains(p.out.String(), `"kind": "barrier"`) {
		t.Errorf("not in the ledger:\n%s", &p.out)
	}
	p.types("y\n", "allow", "--once", command)
	p.now = p.now.Add(61 * time.Minute)
	if out := p.agent(command); out.Code != 2 {
		t.Error("it goes after an hour")
	}
	p.env.Terminal = false
	if code := p.types("y\n", "allow", "--once", command); code != 2 || p.agent(command).Code != 2 {
		t.Errorf("%d: allowed without a terminal", code)
	}
	p.env.Terminal = true
	for _, guarded := range []string{"rm -rf /", "rm -rf " + p.env.home(), "counterstep uninstall", "rm -rf " + p.env.stateHome() + "/counterstep"} {
		if code := p.types("y\n", "allow", "--once", guarded); code == 0 || p.agent(guarded).Code != 2 {
			t.Errorf("%s: %d: what no agent may touch is allowed", guarded, code)
		}
	}
	if code := p.types("y\n", "allow", "--once", "ls"); code != 1 || !strings.Contains(p.errs.String(), "not refused") {
		t.Errorf("%d %s", code, &p.errs)
	}
	for _, spelling := range []string{
		"counterstep allow --once 'rm -rf /x'", "/usr/bin/counterstep allow --once x", "c=counterstep; $c allow --once x", "bash -c 'counterstep allow --once x'",
		"env counterstep allow --once x", "echo y | counterstep --store /x allow --once x", "script -c 'counterstep allow --once x' /dev/null", "counterstep \"al\"low --once x",
		"xargs counterstep allow --once < f", "eval counterstep allow --once x", "(counterstep allow --once x) &",
	} {
		if out := p.agent(spelling); out.Code != 2 {
			t.Errorf("an agent gets to allow by %s: %s", spelling, out.Stderr)
		}
	}
}

// TestAsking: with irreversible = "ask" a person is asked, where that can be,
// and never about a place that no agent may touch.
func TestAsking(t *testing.T) {
	p := newPerson(t)
	if err := os.WriteFile(userPolicy(p.env), []byte("irreversible = \"ask\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := p.agent("curl -X DELETE https://staging.example.com/cache")
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"counterstep: DELETE to staging.example.com may change`
	if out.Code != 0 || len(out.Stderr) > 0 || !strings.HasPrefix(string(out.Stdout), want) {
		t.Errorf("%d %s%s", out.Code, out.Stdout, out.Stderr)
	}
	for _, guarded := range []string{"rm -rf /", "rm -rf ~", "counterstep uninstall", "cat " + p.env.stateHome() + "/counterstep/x"} {
		if out := p.agent(guarded); out.Code != 2 || strings.Contains(string(out.Stdout), `"ask"`) {
			t.Errorf("%s: %d %s", guarded, out.Code, out.Stdout)
		}
	}
	if p.types("", "ledger", "--all", "--json"); !strings.Contains(p.out.String(), "a person is asked") {
		t.Errorf("not in the ledger:\n%s", &p.out)
	}
}

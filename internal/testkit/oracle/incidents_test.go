//go:build linux

package oracle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// incident is a call that somebody lost work by, or that a guard got wrong.
type incident struct {
	ID, Kind, Tool, Command, Setup string
	Expected                       string `json:"expected_class"`
	Env                            map[string]string
}

// staged runs the setup of an incident in a folder of its own and then asks
// about the call: a shell call by explain, any other by the hook.
const staged = `
mkdir -p /home/dev/p && cd /home/dev/p || exit 99
(bash -ec "$SETUP") >/dev/null 2>&1 || { echo "setup ended with $?" >&2; exit 99; }
if [ "$TOOL" = Bash ]; then exec /oracle/counterstep explain --json -- "$COMMAND"; fi
printf %s "$EVENT" | /oracle/counterstep hook claude && /oracle/counterstep ledger --json
`

// otherwise lists incidents that are answered in another way than the list
// expects, and why. The reasons are decisions in docs/DESIGN.md.
func otherwise() map[string]string {
	const (
		created = "only creates; that is recorded and can be fired without being held first"
		absent  = "nothing that it names is there"
		exact   = "the file that it writes is named, so it is held exactly"
	)
	return map[string]string{
		"L007-cc36640":  "the folder was a mount point, which the setup cannot make; a mount point is refused",
		"L014-cc39460":  "variables that the harness does not vouch for are not known",
		"L092-cc85756":  exact,
		"FN39-bkit149b": exact,
		"U11-gm1139":    created,
		"U37-bal1077":   created,
		"FN32-envf236":  absent,
		"L131-cc49102":  absent,
		"L107-replit":   "the scripts of a project are not read: a checkpoint of the workspace, and nothing for the database",
		"FN34-dcgkong":  "a request to a server on this machine is let go and noted as a barrier",
	}
}

// TestIncidents asks about every call of incidents/incidents.jsonl in the
// situation in which it was made. None of them is made.
func TestIncidents(t *testing.T) {
	if *shared == "" {
		t.Skip("NOT TESTED: needs -shared DIR with incidents/incidents.jsonl")
	}
	if _, err := os.Stat(bwrap); err != nil {
		t.Skip("NOT TESTED: needs bubblewrap (apt-get install bubblewrap)")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args, err := sandbox(exe, build(t))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, in := range incidents(t) {
		class, text := ask(t, args, in)
		counts[in.Expected+" → "+class]++
		if why := unexpected(in, class); why != "" && otherwise()[in.ID] == "" {
			t.Errorf("%s %s: %q is %s, %s: %s", in.ID, in.Kind, in.Command, class, why, text)
		}
	}
	for k, n := range counts {
		t.Logf("%3d %s", n, k)
	}
}

func incidents(t *testing.T) (list []incident) {
	f, err := os.Open(filepath.Join(*shared, "incidents", "incidents.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var in incident
		if err := json.Unmarshal(lines.Bytes(), &in); err != nil {
			t.Fatal(err)
		}
		list = append(list, in)
	}
	return list
}

// ask returns the class of a call, and what was said.
func ask(t *testing.T, sandboxed []string, in incident) (class, text string) {
	t.Helper()
	args := append([]string{}, sandboxed...)
	env := map[string]string{"SETUP": in.Setup, "TOOL": in.Tool, "COMMAND": in.Command, "EVENT": toolEvent(t, in)}
	for _, e := range environ() {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	for name, value := range in.Env {
		env[name] = strings.ReplaceAll(value, "@CWD@", "/home/dev/p")
	}
	for name, value := range env {
		args = append(args, "--setenv", name, value)
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(bwrap, append(args, "/usr/bin/bash", "-c", staged)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	code := cmd.ProcessState.ExitCode()
	switch {
	case in.Tool == "Bash":
		p, err := parsePrediction(out.Bytes())
		if err != nil {
			t.Errorf("%s: exit %d: %s%s", in.ID, code, out.Bytes(), errs.Bytes())
		}
		if p.Refused != nil {
			return p.Class, p.Refused.Reason
		}
		return p.Class, out.String()
	case code == 2:
		return "irreversible", errs.String()
	case code == 0 && strings.Contains(out.String(), `"class": "bounded"`):
		return "bounded", out.String()
	case code == 0 && strings.Contains(out.String(), `"status": "armed"`):
		return "invertible", out.String()
	}
	return "unknown", out.String() + errs.String()
}

// toolEvent is the event of a call that is not a shell's.
func toolEvent(t *testing.T, in incident) string {
	if in.Tool == "Bash" {
		return ""
	}
	var call struct {
		Input map[string]any `json:"tool_input"`
	}
	if err := json.Unmarshal([]byte(in.Command), &call); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file_path", "path"} {
		if p, ok := call.Input[name].(string); ok {
			call.Input = map[string]any{"file_path": "/home/dev/p/" + p, "content": "new\n"}
		}
	}
	data, err := json.Marshal(map[string]any{
		"session_id": "s", "transcript_path": "/dev/null", "cwd": "/home/dev/p", "hook_event_name": "PreToolUse", "permission_mode": "default",
		"tool_name": in.Tool, "tool_input": call.Input, "tool_use_id": "toolu_1",
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// unexpected says what was expected when the class is another.
func unexpected(in incident, class string) string {
	fits := map[string]string{
		"readonly": "inert", "opaque": "bounded irreversible", "irreversible": "irreversible",
		"invertible-fs": "invertible bounded", "invertible-git-local": "invertible bounded", "invertible-git-remote": "invertible bounded",
	}[in.Expected]
	switch {
	case in.Kind == "false_positive" && class == "irreversible":
		return "want anything but refused"
	case in.Kind != "false_positive" && !strings.Contains(fits, class), in.Expected == "readonly" && class != "inert":
		return "want " + strings.ReplaceAll(fits, " ", " or ")
	}
	return ""
}

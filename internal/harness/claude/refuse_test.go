package claude_test

import (
	"os"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/harness/claude"
)

const head = `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse",`

// TestFieldNamesCountWithTheirCase: the client reads names exactly, so a
// reader that folds case would look at another command than the one that runs.
func TestFieldNamesCountWithTheirCase(t *testing.T) {
	for in, want := range map[string]string{
		`"tool_name":"Bash","tool_input":{"command":"rm -rf x","COMMAND":"ls"}}`:           "rm -rf x",
		`"tool_name":"Bash","tool_input":{"Command":"ls","command":"rm -rf x"}}`:           "rm -rf x",
		`"tool_name":"Bash","TOOL_NAME":"Read","tool_input":{"command":"rm -rf x"}}`:       "rm -rf x",
		`"tool_name":"Bash","tool_input":{"comm\u0061nd":"rm -rf x","\u0043ommand":"ls"}}`: "rm -rf x",
	} {
		r, err := claude.Adapter{}.Decode([]byte(head + in))
		if err != nil || r.Input.Command != want || r.Input.Kind != gate.Shell {
			t.Errorf("%s: %+v, %v", in, r.Input, err)
		}
	}
}

func TestCallsThatLackWhatTheirToolNeeds(t *testing.T) {
	for in, want := range map[string]string{
		`"tool_name":"Bash","tool_input":{"COMMAND":"ls"}}`:              "payload: Bash without a string in command",
		`"tool_name":"Bash","tool_input":{"command":["ls"]}}`:            "payload: Bash without a string in command",
		`"tool_name":"Monitor","tool_input":{"command":1}}`:              "payload: Monitor without a string in command",
		`"tool_name":"PowerShell","tool_input":{}}`:                      "payload: PowerShell without a string in command",
		`"tool_name":"Write","tool_input":{"path":"/x"}}`:                "payload: Write without a string in file_path",
		`"tool_name":"Edit","tool_input":{"file_path":""}}`:              "payload: the file_path of Edit is empty",
		`"tool_name":"NotebookEdit","tool_input":{"file_path":"/x"}}`:    "payload: NotebookEdit without a string in notebook_path",
		`"tool_name":"Bash","tool_input":"ls"}`:                          "payload: the tool_input of Bash is no object",
		`"tool_name":"Read"}`:                                            "payload: the tool_input of Read is no object",
		`"tool_input":{"command":"ls"}}`:                                 "payload: no tool_name",
		`"tool_name":"Bash","tool_input":{"command":"ls"},"x":"\ud800"}`: "payload: half of a surrogate pair in a string at byte",
	} {
		r, err := claude.Adapter{}.Decode([]byte(head + in))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
		out := claude.Adapter{}.Encode(r, gate.Decision{Fault: true, Reason: "x"})
		if out.Code != 2 || len(out.Stdout) > 0 {
			t.Errorf("%s: not blocked: %+v", in, out)
		}
	}
	for _, cwd := range []string{`"cwd":"src",`, `"cwd":"",`, `"cwd":7,`, ``, `"cwd":"C:x",`} {
		in := `{` + cwd + `"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`
		if _, err := (claude.Adapter{}).Decode([]byte(in)); err == nil {
			t.Errorf("%s: taken without an absolute directory", in)
		}
	}
}

// TestFaultNamesTheWayOut: whoever is blocked by a failure of ours is told how
// to get rid of us.
func TestFaultNamesTheWayOut(t *testing.T) {
	out := claude.Adapter{}.Encode(gate.Request{}, gate.Decision{Fault: true, Reason: "store: no space left", Hint: "df -h"})
	want := "counterstep: store: no space left\nhint: df -h\nhint: to take the hook out: counterstep uninstall\n"
	if string(out.Stderr) != want || out.Code != 2 || len(out.Stdout) > 0 {
		t.Errorf("%d %q %q", out.Code, out.Stdout, out.Stderr)
	}
}

func TestDenyIsOneLineOfJSONAlone(t *testing.T) {
	r, err := claude.Adapter{}.Decode([]byte(head + `"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}`))
	if err != nil {
		t.Fatal(err)
	}
	out := claude.Adapter{}.Encode(r, gate.Decision{Refused: true, Reason: "it deletes /", Hint: "rm -rf ./build"})
	want := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"counterstep: it deletes /\nhint: rm -rf ./build"}}` + "\n"
	if string(out.Stdout) != want || string(out.Stderr) != "counterstep: it deletes /\nhint: rm -rf ./build\n" || out.Code != 2 {
		t.Errorf("%d %q %q", out.Code, out.Stdout, out.Stderr)
	}
}

func TestLongMessagesAreCutAtACharacter(t *testing.T) {
	out := claude.Adapter{}.Encode(gate.Request{Event: gate.Before}, gate.Decision{Message: "x" + strings.Repeat("é", 4000)})
	m, ok := passes(gate.Request{}, out)
	if !ok || len(m) > 4100 || !strings.HasSuffix(m, "é …") {
		t.Errorf("%v %d bytes, ends %q", ok, len(m), m[len(m)-8:])
	}
}

// FuzzExchange: where everything is refused, nothing that can be refused gets
// through, and every answer has a known form.
func FuzzExchange(f *testing.F) {
	for _, name := range []string{"recorded/PreToolUse-Bash", "recorded/ConfigChange", "recorded/PostToolUse-Edit", "written/PreSkillShellCommand-Bash"} {
		data, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(head + `"tool_name":"Bash","tool_input":{"command":"ls","COMMAND":"rm"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var asked gate.Request
		out := harness.Exchange(claude.Adapter{}, data, func(r gate.Request) gate.Decision {
			asked = r
			return gate.Decision{Refused: true, Reason: "no"}
		})
		if m, ok := passes(asked, out); ok {
			name, known := harness.Peek(data, "hook_event_name")
			if !known || name == "PreToolUse" || name == "PreSkillShellCommand" || name == "ConfigChange" || m != "" {
				t.Errorf("let go: %q", data)
			}
		} else if _, ok := blocks(asked, out); !ok {
			t.Errorf("neither passes nor blocks: %d %q %q", out.Code, out.Stdout, out.Stderr)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	payload, err := os.ReadFile("testdata/recorded/PreToolUse-Bash.json")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (claude.Adapter{}).Decode(payload); err != nil {
			b.Fatal(err)
		}
	}
}

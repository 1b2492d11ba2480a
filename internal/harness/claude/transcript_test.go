package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/counterstep/counterstep/internal/gate"
)

// conversation is a transcript with what real ones have: other lines, blocks of
// one message on lines of their own, parallel calls, prompts that no person
// typed, lines longer than any reader's buffer.
func conversation(t *testing.T) string {
	t.Helper()
	say := func(msg, text string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"u","message":{"id":%q,"content":[{"type":"text","text":%q}]}}`, msg, text)
	}
	call := func(msg, id string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"u","message":{"id":%q,"content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"rm x"}}]}}`, msg, id)
	}
	result := func(prompt, id string) string {
		return fmt.Sprintf(`{"type":"user","uuid":"r","promptId":%q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":[{"type":"text","text":"done"}]}]}}`, prompt, id)
	}
	lines := []string{
		`{"type":"user","uuid":"U1","promptId":"P1","message":{"role":"user","content":"tidy up"}}`,
		`{"type":"attachment","attachment":{"type":"hook_success","toolUseID":"C1"}}`,
		`{"type":"api-request-blob","blob":"` + strings.Repeat("C1 P1 x", 300_000) + `"}`,
		say("m1", "First the old build goes."), call("m1", "C1"), result("P1", "C1"),
		`{"type":"assistant","message":{"id":"m2","content":[{"type":"thinking","thinking":"hm"}]}}`,
		call("m2", "C2"), call("m2", "C3"), result("P1", "C3"), result("P1", "C2"),
		`{"type":"user","uuid":"U2","promptId":"P2","message":{"role":"user","content":[{"type":"text","text":"and now"},{"type":"image","source":{}}]}}`,
		call("m3", "C4"), say("m3", "Said behind it."),
		`{"type":"user","uuid":"N","promptId":"P3","promptSource":"system","origin":{"kind":"task-notification"},"message":{"content":"<task-notification>\nC4"}}`,
		`{"type":"assistant","message":{"id":"m4","content":"no list"}}`,
		`not JSON C1`,
		`{"type":"assistant","message":{"id":"m4","content":[{"type":"tool_use","id":"C5"`, // cut off
	}
	file := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSaid(t *testing.T) {
	w := gate.Wanted{Calls: []string{"C1", "C2", "C3", "C4", "C5", "", "C9"}, Prompts: []string{"P1", "P2", "P3", ""}}
	want := gate.Said{
		Before: map[string]string{
			"C1": "First the old build goes.",
			"C2": "First the old build goes.", // the last words before it in the turn
			"C3": "First the old build goes.",
			"C4": "", // nothing was said since the prompt
		},
		UUIDs: map[string]string{"P1": "U1", "P2": "U2"},
	}
	if diff := cmp.Diff(want, (Adapter{}).Said(conversation(t), w)); diff != "" {
		t.Error(diff)
	}
}

// Whatever the path is, nothing is said and nothing hangs.
func TestSaidWithoutATranscript(t *testing.T) {
	w := gate.Wanted{Calls: []string{"C1"}, Prompts: []string{"P1"}}
	dir := t.TempDir()
	huge := filepath.Join(dir, "huge")
	if err := os.WriteFile(huge, []byte(strings.Repeat("C1", 5<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"", dir, filepath.Join(dir, "missing"), "/dev/zero", huge} {
		if s := (Adapter{}).Said(file, w); len(s.Before)+len(s.UUIDs) != 0 {
			t.Errorf("%q says %v", file, s)
		}
	}
}

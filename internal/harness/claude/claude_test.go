package claude_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/harness/claude"
	"github.com/counterstep/counterstep/internal/harness/harnesstest"
)

var update = flag.Bool("update", false, "rewrite testdata/decoded.txt")

func TestConformance(t *testing.T) {
	harnesstest.Run(t, harnesstest.Suite{
		Adapter: claude.Adapter{},
		Dirs:    []string{"testdata/recorded", "testdata/written"},
		Blocks:  blocks,
		Passes:  passes,
	})
}

// answer is every field that Claude Code reads and we write. Anything else in
// an answer is an error.
type answer struct {
	SystemMessage string `json:"systemMessage"`
	Specific      *struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	} `json:"hookSpecificOutput"`
}

func parse(stdout []byte) (a answer, ok bool) {
	if len(stdout) == 0 {
		return a, true
	}
	dec := json.NewDecoder(strings.NewReader(string(stdout)))
	dec.DisallowUnknownFields()
	err := dec.Decode(&a)
	return a, err == nil && !dec.More() && stdout[0] == '{'
}

func blocks(r gate.Request, out harness.Output) (string, bool) {
	a, ok := parse(out.Stdout)
	stderr := strings.TrimSpace(string(out.Stderr))
	if !ok || out.Code != 2 || stderr == "" {
		return "", false
	}
	if len(out.Stdout) == 0 {
		return stderr, true
	}
	want := "PreToolUse"
	if r.Source == "PreSkillShellCommand" {
		want = r.Source
	}
	if r.Event != gate.Before || a.SystemMessage != "" || a.Specific == nil || a.Specific.Decision != "deny" ||
		a.Specific.Event != want || a.Specific.Reason != stderr {
		return "", false
	}
	return a.Specific.Reason, true
}

func passes(_ gate.Request, out harness.Output) (string, bool) {
	a, ok := parse(out.Stdout)
	return a.SystemMessage, ok && out.Code == 0 && a.Specific == nil
}

// TestDecoded compares what is read from each payload with testdata.
func TestDecoded(t *testing.T) {
	var b strings.Builder
	for _, dir := range []string{"recorded", "written"} {
		files, err := filepath.Glob(filepath.Join("testdata", dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			payload, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r, err := claude.Adapter{}.Decode(payload)
			if err != nil {
				t.Errorf("%s: %v", file, err)
			}
			describe(&b, strings.TrimSuffix(filepath.Base(file), ".json"), r)
		}
	}
	const golden = "testdata/decoded.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("decoded requests (-want +got):\n%s", diff)
	}
}

func describe(b *strings.Builder, name string, r gate.Request) {
	fmt.Fprintf(b, "%s\n  %s session=%.8s prompt=%.8s call=%s agent=%.8s cwd=%s\n", name, r.Event, r.Session, r.Prompt, r.CallID, r.Agent, r.Cwd)
	if r.Tool != "" {
		fmt.Fprintf(b, "  %s %s %q %q background=%v description=%q\n  %s\n", r.Tool, r.Input.Kind, r.Input.Command, r.Input.Paths, r.Background, r.Description, r.Input.Canonical)
	}
	if r.Task != "" || r.Ended != nil || r.Running != nil || r.Input.Words != nil {
		fmt.Fprintf(b, "  task=%q ended=%q running=%q words=%q\n", r.Task, r.Ended, r.Running, r.Input.Words)
	}
	if r.PromptText+r.SettingsFile+r.Source != "" {
		fmt.Fprintf(b, "  source=%q file=%q prompt=%.40q\n", r.Source, r.SettingsFile, r.PromptText)
	}
}

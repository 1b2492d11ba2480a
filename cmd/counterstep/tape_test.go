package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// typed reads the lines that a tape types, in order. A command that vhs does
// not have fails the test.
func typed(t *testing.T, tape string) []string {
	t.Helper()
	data, err := os.ReadFile(tape)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	line := ""
	for text := range strings.Lines(string(data)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		switch word {
		case "Type":
			quote := rest[:min(1, len(rest))]
			inner, ok := strings.CutSuffix(strings.TrimPrefix(rest, quote), quote)
			if !ok || !strings.ContainsAny(quote, "\"'`") || strings.Contains(inner, quote) {
				t.Fatalf("not one quoted text: %s", text)
			}
			line += inner
		case "Enter":
			lines, line = append(lines, line), ""
		case "", "#", "Output", "Require", "Set", "Hide", "Show", "Sleep":
		default:
			t.Fatalf("a command that this test does not know: %s", text)
		}
	}
	if line != "" {
		t.Fatalf("typed without Enter: %s", line)
	}
	return lines
}

// TestTape runs what the film types, line by line in one bash, and looks at
// what a viewer would see after each.
func TestTape(t *testing.T) {
	for _, need := range []string{"bash", "git"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("SKIPPED: %s is not installed", need)
		}
	}
	var script strings.Builder
	script.WriteString("set -eo pipefail\n")
	for _, line := range typed(t, "../../docs/demo.tape") {
		script.WriteString("echo '$ '" + quoted(line) + "\n" + line + "\n")
	}
	temp := t.TempDir()
	cmd := exec.Command("bash", "-c", script.String())
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "HOME="+temp, "TERM=dumb", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	seen := string(out)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("exit %d:\n%s", exit.ExitCode(), seen)
	} else if err != nil {
		t.Fatal(err)
	}
	after := "" // what is seen after the line that was looked at last
	for _, c := range []struct{ line, want, not string }{
		{line: "counterstep init", want: ".claude/settings.json"},
		{line: "counterstep explain 'rm -rf src/legacy'", want: "invertible"},
		{line: "agent-call.sh Bash 'rm -rf src/legacy'", want: "counterstep armed rm -rf src/legacy"},
		{line: "ls src", not: "legacy"},
		{line: "counterstep ledger", want: "armed"},
		{line: "counterstep fire --last", want: "fired"},
		{line: "cat src/legacy/cart.go", want: "package legacy // never committed"},
		{line: "counterstep redo", want: "redone"},
		{line: "ls src", not: "legacy"},
		{line: "counterstep fire --last", want: "fired"},
		{line: "counterstep doctor", want: "went through the hook into the ledger", not: "fail "},
		{line: "counterstep verify --read-data", want: "every byte checked"},
		{line: "counterstep demo", want: "All checks passed"},
	} {
		var ok bool
		if _, seen, ok = strings.Cut(seen, "$ "+c.line+"\n"); !ok {
			t.Fatalf("%s is not typed after\n%s", c.line, after)
		}
		after, _, _ = strings.Cut("\n"+seen, "\n$ ")
		if !strings.Contains(after, c.want) || c.not != "" && strings.Contains(after, c.not) {
			t.Errorf("after %s:\n%s", c.line, after)
		}
	}
	if !strings.Contains(seen, "git push --force") {
		t.Error("the film has no force-push")
	}
}

// quoted is text as one word of bash.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

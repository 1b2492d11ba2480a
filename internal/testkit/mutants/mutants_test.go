package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

// TestEveryMutantApplies: each old text is in its file once, so that the list
// stays one of steps that exist.
func TestEveryMutantApplies(t *testing.T) {
	names := map[string]bool{}
	for _, m := range All() {
		if names[m.Name] || m.Name == "" || m.Step == "" || m.Run == "" {
			t.Errorf("%q: the name is used twice, or something is missing", m.Name)
		}
		names[m.Name] = true
		src, err := os.ReadFile(filepath.Join(root, m.File))
		if err != nil {
			t.Error(err)
			continue
		}
		if out, err := m.Apply(string(src)); err != nil || out == string(src) {
			t.Errorf("%s: nothing is changed: %v", m.Name, err)
		}
		if list, err := filepath.Glob(filepath.Join(root, m.Pkg, "*_test.go")); err != nil || len(list) == 0 {
			t.Errorf("%s: %s has no tests", m.Name, m.Pkg)
		}
	}
	if len(names) < 45 {
		t.Errorf("only %d mutants", len(names))
	}
}

// TestTheTableIsCurrent compares the list with the one in docs/SAFETY.md.
func TestTheTableIsCurrent(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "docs/SAFETY.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "<!-- mutants: begin -->\n")
	have, _, ok2 := strings.Cut(rest, "<!-- mutants: end -->")
	if !ok || !ok2 || strings.TrimSpace(have) != strings.TrimSpace(Table(All())) {
		t.Error("docs/SAFETY.md is stale: put the output of go run ./internal/testkit/mutants -doc between its markers")
	}
}

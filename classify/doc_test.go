package classify_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
)

var updateDoc = flag.Bool("update-doc", false, "rewrite docs/invertibility.md")

// TestDocIsCurrent compares docs/invertibility.md with the tables.
func TestDocIsCurrent(t *testing.T) {
	const file = "../docs/invertibility.md"
	want := classify.Doc()
	if *updateDoc {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is stale: go test ./classify -run TestDocIsCurrent -update-doc", file)
	}
}

// TestModelsAreDocumented wants every field filled and every name once.
func TestModelsAreDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range classify.Models() {
		if m.Family == "" || m.Title == "" || m.Undo == "" || len(m.Examples) == 0 || m.Apply == nil {
			t.Errorf("%v: a field is empty", m.Names)
		}
		for _, n := range m.Names {
			if n == "" || strings.ContainsAny(n, " /") || seen[n] {
				t.Errorf("%q is named twice or is no name", n)
			}
			seen[n] = true
		}
	}
	if len(seen) < 600 {
		t.Errorf("only %d programs are known", len(seen))
	}
}

// TestDocRows wants a row for each of the calls that people ask about.
func TestDocRows(t *testing.T) {
	_, rows, _ := strings.Cut(classify.Doc(), "## Calls that matter")
	rows, _, _ = strings.Cut(rows, "## Programs")
	n := 0
	for l := range strings.SplitSeq(rows, "\n") {
		if strings.HasPrefix(l, "| ") && !strings.HasPrefix(l, "| call ") {
			n++
		}
	}
	if n != 41 {
		t.Errorf("got %d rows, want 41", n)
	}
}

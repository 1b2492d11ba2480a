package classify_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/testkit/shelloracle"
)

var (
	update = flag.String("update", "", "ask the shells and write what they did into the corpus files of this pattern")
	try    = flag.String("try", "", "a command to ask the shells about; several with ␤␤ between")
)

// oracle runs srcs by the first so many real shells, or skips the test loudly.
func oracle(t testing.TB, srcs []string, shellCount int) []shelloracle.Result {
	t.Helper()
	shells := shelloracle.Shells()[:shellCount]
	if m := shelloracle.Missing(shells); len(m) > 0 {
		t.Skipf("NOT TESTED against real shells: missing %v", m)
	}
	results, err := shelloracle.Run(t.Context(), setup(shells), srcs)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// misses lists what the shells changed and the verdict does not own.
func misses(m memory, r shelloracle.Result) []string {
	var list []string
	for i, o := range r.Outcomes {
		v := classify.Command(context(m, dialect(shellLetters[i])), r.Src)
		for _, c := range o.Changes {
			if covered(m, v, c) {
				continue
			}
			list = append(list, fmt.Sprintf("%s: %q\n  did: %s %s by %v\n  said: %s", o.Shell, r.Src, c.What, c.Path, o.Ran, describe(v)))
			break
		}
	}
	return list
}

// TestShells runs the corpus by real shells: whatever one of them destroys must
// be owned by the verdict. Without -tags long it takes one row in eight.
func TestShells(t *testing.T) {
	if *update != "" {
		rewrite(t, *update)
		return
	}
	m := disk(lived())
	var rows []row
	for i, r := range corpus(t) {
		if long || i%8 == 0 {
			rows = append(rows, r)
		}
	}
	var srcs []string
	for _, r := range rows {
		srcs = append(srcs, r.src)
	}
	var slow time.Duration
	for i, r := range oracle(t, srcs, len(shellLetters)) {
		for _, o := range r.Outcomes {
			slow += o.Took
			if o.Took > 300*time.Millisecond {
				t.Logf("%s %s: %q", o.Took, o.Shell, r.Src)
			}
		}
		missed := misses(m, r)
		if harm := harmed(r); len(rows[i].want) == 0 && harm != "" {
			missed = append(missed, harm)
		}
		if rows[i].open {
			continue
		}
		for _, miss := range missed {
			t.Errorf("%s: %s", rows[i].where, miss)
		}
	}
	t.Logf("%d commands by %d shells in %s", len(srcs), len(shellLetters), slow)
}

// harmed says what a harmless command changed.
func harmed(r shelloracle.Result) string {
	for _, o := range r.Outcomes {
		for _, c := range o.Changes {
			if c.What != shelloracle.New {
				return fmt.Sprintf("%s: %q is not harmless: %v", o.Shell, r.Src, c)
			}
		}
	}
	return ""
}

// confirmed gives the letters of the shells that did all that is wanted.
func confirmed(r shelloracle.Result, want []shelloracle.Change) string {
	letters := ""
	for i, o := range r.Outcomes {
		all := true
		for _, c := range want {
			all = all && slices.Contains(o.Changes, c)
		}
		if all {
			letters += shellLetters[i : i+1]
		}
	}
	return letters
}

// rewrite renews the files of a pattern.
func rewrite(t *testing.T, pattern string) {
	for _, name := range corpusFiles(t) {
		match, err := filepath.Match(pattern, filepath.Base(name))
		switch {
		case err != nil:
			t.Fatal(err)
		case match && filepath.Base(name) == "spelled.txt":
			rewriteSpelled(t, name)
		case match:
			rewriteFile(t, name)
		}
	}
}

// rewriteSpelled makes the file of all spellings of the tables. Those that no
// shell confirms are left out.
func rewriteSpelled(t *testing.T, name string) {
	var b strings.Builder
	b.WriteString("# Made from the tables in corpus_tables_test.go by go test -run TestShells -update spelled.txt\n")
	seen := map[string]bool{}
	for i, m := range meanings() {
		fmt.Fprintf(&b, "\n== %s\n", m.effect)
		var srcs []string
		for _, s := range m.spelled(i) {
			if !seen[s] {
				seen[s] = true
				srcs = append(srcs, s)
			}
		}
		want := parseCorpus(t, "", "== "+m.effect+"\n-\tx")[0].want
		for _, r := range oracle(t, srcs, len(shellLetters)) {
			if letters := confirmed(r, want); letters != "" {
				fmt.Fprintf(&b, "%s\t%s\n", letters, strings.ReplaceAll(r.Src, "\n", "␤"))
			} else {
				t.Logf("no shell does it: %q: %s", r.Src, r.Outcomes[0].Stderr)
			}
		}
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// rewriteFile renews the first column of one file.
func rewriteFile(t *testing.T, name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rows := parseCorpus(t, filepath.Base(name), string(data))
	var srcs []string
	for _, r := range rows {
		srcs = append(srcs, r.src)
	}
	results := oracle(t, srcs, len(shellLetters))
	lines := strings.Split(string(data), "\n")
	for i, r := range rows {
		if len(r.want) == 0 {
			continue
		}
		mark := ""
		if r.open {
			mark = "?"
		}
		_, at, _ := strings.Cut(r.where, ":")
		var n int
		if _, err := fmt.Sscan(at, &n); err != nil {
			t.Fatal(err)
		}
		letters := confirmed(results[i], r.want)
		if letters == "" {
			letters = "-"
			t.Errorf("%s: no shell does it: %q: %+v", r.where, r.src, results[i].Outcomes)
		}
		_, src, _ := strings.Cut(lines[n-1], "\t")
		lines[n-1] = mark + letters + "\t" + src
	}
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTry shows what the shells do with the command of -try and what is said
// of it.
func TestTry(t *testing.T) {
	if *try == "" {
		return
	}
	m := disk(lived())
	for _, r := range oracle(t, strings.Split(*try, "␤␤"), len(shellLetters)) {
		t.Logf("%q", r.Src)
		for i, o := range r.Outcomes {
			v := classify.Command(context(m, dialect(shellLetters[i])), r.Src)
			t.Logf("%s: %v by %v (%d: %s)\n  said: %s", o.Shell, o.Changes, o.Ran, o.Code, strings.TrimSpace(o.Stderr), describe(v))
		}
		for _, miss := range misses(m, r) {
			t.Errorf("missed: %s", miss)
		}
	}
}

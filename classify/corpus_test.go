package classify_test

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/testkit/shelloracle"
)

// The corpus is text. A line "== EFFECTS" starts a section and says what every
// command in it does to the tree of fixture_test.go in some shell: "gone PATH",
// "content PATH", "metadata PATH", several with commas; "armed" in front says
// that the verdict for bash must be invertible; "harmless" stands for nothing. A row is
// the shells that do it (b bash, d dash, z zsh, a bash with aliases on; - not
// asked), a tab, and the command, with ␤ for a newline. Lines with # are notes.
// A ? in front of a row: it is not read well yet. That mark must not be left on
// a row that is; the aim is that there is none.
//
// The rows of spelled.txt are made from the tables of corpus_tables_test.go.
// go test -run TestShells -update '*.txt' asks the shells and rewrites the first
// column.

// row is one command of the corpus.
type row struct {
	where  string
	shells string
	src    string
	// want is empty for a harmless row.
	want  []shelloracle.Change
	armed bool
	// open rows are not read well yet.
	open bool
}

// harmlessCap is how many harmless rows may be anything but inert. A plain sh
// may lack [[ and $”, so it is given more.
func harmlessCap(shell string) int {
	if shell == "sh" {
		return 7
	}
	return 3
}

const shellLetters = "bdza"

// dialect is the Context.Shell that stands for a letter.
func dialect(letter byte) string {
	switch letter {
	case 'd':
		return "sh"
	case 'z':
		return "zsh"
	}
	return "bash"
}

func corpusFiles(t testing.TB) []string {
	files, err := filepath.Glob("testdata/corpus/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	return files
}

func corpus(t testing.TB) []row {
	var rows []row
	for _, name := range corpusFiles(t) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, parseCorpus(t, filepath.Base(name), string(data))...)
	}
	return rows
}

func parseCorpus(t testing.TB, name, data string) []row {
	var rows []row
	var section row
	for i, line := range strings.Split(data, "\n") {
		where := fmt.Sprintf("%s:%d", name, i+1)
		if effects, ok := strings.CutPrefix(line, "== "); ok {
			section = row{}
			effects, section.armed = strings.CutPrefix(effects, "armed ")
			if effects == "harmless" {
				continue
			}
			for _, e := range strings.Split(effects, ", ") {
				what, where, ok := strings.Cut(e, " ")
				if !ok {
					t.Fatalf("%s: not an effect: %q", name, e)
				}
				section.want = append(section.want, shelloracle.Change{What: shelloracle.What(what), Path: absolute(where)})
			}
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		shells, src, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("%s: no tab: %q", where, line)
		}
		r := section
		r.shells, r.open = strings.CutPrefix(shells, "?")
		r.where, r.src = where, strings.ReplaceAll(src, "␤", "\n")
		rows = append(rows, r)
	}
	return rows
}

func absolute(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return path.Join(home, rest)
	}
	if path.IsAbs(p) {
		return p
	}
	return path.Join(app, p)
}

// covered says whether the verdict owns a change: an effect that names it, a
// refusal, or a bound. What an opaque program does outside the bound is said to
// be left out, so it is no miss.
func covered(m memory, v classify.Verdict, c shelloracle.Change) bool {
	if v.Class == classify.Irreversible || v.Class == classify.Bounded {
		return true
	}
	for _, e := range v.Effects {
		if owns(m, e, c) {
			return true
		}
	}
	return c.What == shelloracle.New
}

// owns says whether undoing e undoes c.
func owns(m memory, e classify.Effect, c shelloracle.Change) bool {
	below := strings.HasPrefix(c.Path, e.Path+"/")
	within := c.Path == e.Path || below && e.Tree
	twin := false
	if e.InPlace || e.Kind == classify.Metadata {
		a, _ := m.Lstat(e.Path)
		b, _ := m.Lstat(c.Path)
		twin = a.Ino == b.Ino && a.Type == 'f'
	}
	switch e.Kind {
	case classify.Delete:
		return within
	case classify.Overwrite:
		return (within || twin) && (c.What != shelloracle.Gone || e.Tree)
	case classify.Move:
		return c.Path == e.Path || below || c.Path == e.To && c.What != shelloracle.Gone
	case classify.Metadata:
		return c.What == shelloracle.Meta && (within || twin)
	}
	return false
}

func describe(v classify.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", v.Class)
	for _, e := range v.Effects {
		fmt.Fprintf(&b, " %s:%s", e.Kind, e.Path)
		if e.Tree {
			b.WriteString("/**")
		}
		if e.To != "" {
			b.WriteString("→" + e.To)
		}
	}
	for _, r := range v.Refusals {
		fmt.Fprintf(&b, " [refused: %s]", r.Reason)
	}
	for _, o := range v.Opaque {
		fmt.Fprintf(&b, " [opaque: %s]", o)
	}
	return b.String()
}

func TestCorpusIsLarge(t *testing.T) {
	seen := map[string]string{}
	for _, r := range corpus(t) {
		if first := seen[r.src]; first != "" && len(r.want) > 0 {
			t.Logf("%s: the same as %s", r.where, first)
		}
		seen[r.src] = cmp.Or(seen[r.src], r.where)
	}
	if len(seen) < 2000 {
		t.Errorf("%d different commands, want 2,000", len(seen))
	}
}

// TestCorpus needs no shells: what they did stands in the corpus.
func TestCorpus(t *testing.T) {
	m := disk(lived())
	classes := map[string]map[classify.Class]int{}
	open := 0
	for _, r := range corpus(t) {
		if len(r.want) == 0 {
			continue
		}
		problem := ""
		for _, letter := range []byte(r.shells) {
			if !strings.ContainsRune(shellLetters, rune(letter)) {
				continue
			}
			key := dialect(letter)
			if classes[key] == nil {
				classes[key] = map[classify.Class]int{}
			}
			v := classify.Command(context(m, key), r.src)
			classes[key][v.Class]++
			if p := rowProblem(m, r, letter, v); p != "" {
				problem = fmt.Sprintf("%s: %s", key, p)
			}
		}
		switch {
		case r.open && problem == "":
			t.Errorf("%s: %q is read well: take the ? away", r.where, r.src)
		case r.open:
			open++
		case problem != "":
			t.Errorf("%s: %q: %s", r.where, r.src, problem)
		}
	}
	t.Logf("%d rows are not read well yet; verdicts on destructive rows: %v", open, classes)
}

// rowProblem says what the verdict on a row does not own, or that it is worse
// than it may be.
func rowProblem(m memory, r row, letter byte, v classify.Verdict) string {
	for _, c := range r.want {
		if !covered(m, v, c) {
			return fmt.Sprintf("%s %s is not owned by %s", c.What, c.Path, describe(v))
		}
	}
	if r.armed && letter == 'b' && v.Class != classify.Invertible {
		return "want invertible: " + describe(v)
	}
	return ""
}

// TestHarmless counts the rows that destroy nothing and are not let go at once.
func TestHarmless(t *testing.T) {
	m := disk(lived())
	for _, shell := range []string{"bash", "zsh", "sh"} {
		count := 0
		for _, r := range corpus(t) {
			if len(r.want) > 0 {
				continue
			}
			if v := classify.Command(context(m, shell), r.src); v.Class != classify.Inert {
				count++
				t.Logf("%s: %s: %q: %s", r.where, shell, r.src, describe(v))
			}
		}
		if count > harmlessCap(shell) {
			t.Errorf("%s: %d harmless commands are not inert, at most %d may be", shell, count, harmlessCap(shell))
		}
	}
}

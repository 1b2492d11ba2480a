package classify

import (
	"fmt"
	"strings"
	"testing"
)

// render writes a parsed line as "opt opt=value | operand operand".
func render(args []token, p parsed) string {
	var out []string
	for _, o := range p.options {
		s := o.name
		if o.has {
			s += "=" + args[o.word].head[o.cut:]
			if !args[o.word].whole {
				s += "?"
			}
		}
		out = append(out, s)
	}
	s := strings.Join(out, " ") + " |"
	for _, i := range p.operands {
		s += " " + args[i].head
	}
	if p.unsure {
		s += " unsure"
	}
	if p.problem != "" {
		s += " !" + p.problem
	}
	return s
}

// tokens makes known words; a word that ends in "…" is known up to there.
func tokens(line string) []token {
	var out []token
	for _, w := range strings.Fields(line) {
		head, cut := strings.CutSuffix(w, "…")
		out = append(out, token{head, !cut})
	}
	return out
}

func TestGrammar(t *testing.T) {
	rm := &Grammar{Short: "rRfivdI", Long: []string{"recursive", "force", "interactive=?", "one-file-system", "preserve-root=?", "no-preserve-root", "verbose"}}
	sort := &Grammar{Short: "ruo:k:S:T::", Long: []string{"output=", "reverse", "unique", "parallel="}}
	wrap := &Grammar{Short: "k:s:v", Long: []string{"kill-after=", "signal=", "verbose"}, Stop: true}
	head := &Grammar{Short: "n:c:qv", Long: []string{"lines="}, Numeric: true}
	set := &Grammar{Short: "eu", Plus: true}
	golang := &Grammar{Long: []string{"o=", "run=", "v", "race"}, OneDash: true, Stop: true}
	for _, c := range []struct {
		g          *Grammar
		line, want string
	}{
		{rm, "a b", "| a b"},
		{rm, "-rf a", "r f | a"},
		{rm, "a -rf", "r f | a"},
		{rm, "-r -- -f", "r | -f"},
		{rm, "--rec a", "recursive | a"},
		{rm, "--recursive --force a", "recursive force | a"},
		{rm, "--interactive=never a", "interactive=never | a"},
		{rm, "--interactive never", "interactive | never"},
		{rm, "--no a", "no-preserve-root | a"},
		{rm, "-rx a", "r | !unknown option -x"},
		{rm, "--recurse a", " | !unknown option --recurse"},
		{rm, "--force=x", " | !option --force takes no value"},
		{rm, "- a", "| - a"},
		{rm, "…", "|  unsure"},
		{rm, "src/…", "| src/"},
		{rm, "-… a", " | !option is not known"},
		{rm, "-r… a", "r | !options behind -r are not known"},
		{rm, "--fo… a", " | !option --fo… is not known"},
		{sort, "-o out in", "o=out | in"},
		{sort, "-oout in", "o=out | in"},
		{sort, "-ro out in", "r o=out | in"},
		{sort, "in -o out", "o=out | in"},
		{sort, "--output=out in", "output=out | in"},
		{sort, "--o out in", "output=out | in"},
		{sort, "--output=…", "output=? |"},
		{sort, "-o…", "o=? |"},
		{sort, "-o", " | !option -o needs a value"},
		{sort, "--output", " | !option --output needs a value"},
		{sort, "-T x", "T | x"},
		{sort, "-Tx", "T=x |"},
		{wrap, "-k 1 5 rm -rf x", "k=1 | 5 rm -rf x"},
		{wrap, "5 -v", "| 5 -v"},
		{wrap, "-- 5 -v", "| 5 -v"},
		{head, "-5 f", "#=5 | f"},
		{head, "-n5 f", "n=5 | f"},
		{set, "+x -e", "+=x e |"},
		{golang, "-run X -v ./...", "run=X v | ./..."},
		{golang, "--o=a.out .", "o=a.out | ."},
		{golang, "-r x", " | !unknown option -r"},
		{nil, "-rf --x", "| -rf --x"},
	} {
		args := tokens(c.line)
		if got := strings.TrimSpace(render(args, c.g.parse(args))); got != strings.TrimSpace(c.want) {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
}

func TestGrammarAmbiguous(t *testing.T) {
	g := &Grammar{Long: []string{"force", "force-with-lease=?", "follow", "folder", "fold"}}
	for line, want := range map[string]string{
		"--force":  "force |",
		"--force-": "force-with-lease |",
		"--fo":     "| !ambiguous option --fo",
		"--fol":    "| !ambiguous option --fol",
		"--fold":   "fold |",
	} {
		args := tokens(line)
		if got := strings.TrimSpace(render(args, g.parse(args))); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}

func TestGrammarLenient(t *testing.T) {
	g := &Grammar{Short: "n", Lenient: true}
	args := tokens("-x --weird -n file")
	if p := g.parse(args); p.problem != "" || fmt.Sprint(p.operands) != "[3]" {
		t.Errorf("got %+v", p)
	}
}

func FuzzGrammar(f *testing.F) {
	f.Add("-rf a -- b", "rf:x::")
	f.Add("--output=… --rec", "o:")
	f.Fuzz(func(t *testing.T, line, short string) {
		args := tokens(line)
		g := &Grammar{Short: short, Long: []string{"output=", "recursive", "backup=?"}, Numeric: true}
		p := g.parse(args)
		for _, o := range p.options {
			if o.has && (o.word >= len(args) || o.cut > len(args[o.word].head)) {
				t.Fatalf("%q: option %+v points outside", line, o)
			}
		}
		if p.problem == "" && len(p.operands)+len(p.options) < len(args)-1 && !strings.Contains(line, "-") {
			t.Fatalf("%q: arguments were lost: %+v", line, p)
		}
	})
}

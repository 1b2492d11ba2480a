package classify

import (
	"bytes"
	"sort"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// sources are commands that the laws are tried on.
func sources() []string {
	return []string{
		`rm a.txt`, `rm -rf "$X"`, `frobnicate`, `ls`, `cd d; rm -rf *`, `cd d && rm -rf *`, `x=a.txt; rm $x`, `f() { rm "$1"; }; f a.txt`, `for f in *.txt; do rm "$f"; done`,
		`echo x > a.txt`, `mv src/* dst/ && rm -rf dst/*`, `d=$(mktemp -d); rm -rf "$d"`, `cat list | xargs rm`, `if [ -f a.txt ]; then rm a.txt; else rm b.txt; fi`, `while read f; do rm "$f"; done < list`,
		`rm -rf ~`, `git status`, `bash -c 'rm a.txt'`, `$X`, `cp a.txt new`, `mkdir t && cp a.txt t && rm -rf t`, "cat <<X\n$(rm a.txt)\nX", `case $x in a) rm a.txt;; esac`, `trap 'rm a.txt' EXIT`, `a=(a.txt b.txt); rm "${a[@]}"`,
		`rm ${X:-a.txt}`, `(cd src; rm *)`, `rm a.txt & wait`, `i=0; while [ $i -lt 3 ]; do rm log.$i; i=$((i+1)); done`, `alias q='rm a.txt'; q`, `echo $(rm a.txt)`, `: > a.txt`, `rm a.{txt,md}`, `[[ -f a.txt ]] || rm b.txt`,
		`! rm a.txt`, `echo 'rm a.txt' | sh`, `x='a.txt b.txt'; rm $x`, `set -- a.txt; rm "$@"`, `rm log.$RANDOM`, `source vars.sh; clean`, `touch a.txt`, `chmod 600 a.txt`, `sed -i s/a/b/ a.txt`, `ln -sf b.txt a.txt`,
	}
}

// checkVerdict is what holds for every verdict.
func checkVerdict(t testing.TB, src string, v Verdict) {
	t.Helper()
	if len(v.Refusals) > 0 && v.Class != Irreversible {
		t.Errorf("%q: refused and yet %s", src, v.Class)
	}
	if v.Class == Irreversible && len(v.Refusals) == 0 {
		t.Errorf("%q: irreversible without a refusal", src)
	}
	if (v.Unnamed || len(v.Opaque) > 0) && Bounded.Worse(v.Class) {
		t.Errorf("%q: not all is known and yet %s", src, v.Class)
	}
	for _, e := range v.Effects {
		if !strings.HasPrefix(e.Path, "/") || strings.IndexByte(e.Path, 0) >= 0 || strings.Contains(e.Path, "/../") {
			t.Errorf("%q: effect on %q", src, e.Path)
		}
		if e.Kind != Create && v.Class == Inert {
			t.Errorf("%q: %s %s and yet inert", src, e.Kind, e.Path)
		}
	}
	for _, p := range v.Parts {
		if p.Class.Worse(v.Class) {
			t.Errorf("%q: part %q is %s, the whole %s", src, p.Text, p.Class, v.Class)
		}
	}
}

// covers reports whether everything b changes is changed by a as well.
func covers(a, b Verdict) (string, bool) {
	for _, e := range b.Effects {
		found := e.Kind == Create
		for _, f := range a.Effects {
			found = found || f.Path == e.Path || f.Tree && strings.HasPrefix(e.Path, f.Path+"/") || f.To == e.Path
		}
		if !found {
			return e.Kind.String() + " " + e.Path, false
		}
	}
	return "", true
}

func lawOfMore(t testing.TB, list []string) {
	for i, p := range list {
		q := list[(i*7+3)%len(list)]
		one := Command(testContext("bash"), p)
		both := Command(testContext("bash"), p+"\n"+q)
		if one.Class.Worse(both.Class) {
			t.Errorf("%q is %s, but with %q behind it %s", p, one.Class, q, both.Class)
		}
		if both.Class == Irreversible {
			continue
		}
		if what, ok := covers(both, one); !ok {
			t.Errorf("%q behind %q hides: %s", q, p, what)
		}
	}
}

func TestAddingACommandNeverMakesItSafer(t *testing.T) { lawOfMore(t, sources()) }

func wrapped(p string) []string {
	q, err := syntax.Quote(p, syntax.LangBash)
	if err != nil {
		return nil
	}
	return []string{
		"eval " + q, "bash -c " + q, "(" + p + "\n)", "{ " + p + "\n}", "if true; then " + p + "\nfi", "true && {\n" + p + "\n}",
		"w() {\n" + p + "\n}; w", "{\n" + p + "\n} &", "echo \"$(" + p + "\n)\"", "bash <<< " + q, "sudo bash -c " + q, "for _ in 1; do\n" + p + "\ndone",
		"x" + "=" + q + "; eval \"$x\"", "trap " + q + " EXIT", "bash -c " + strings.ReplaceAll(q, "\n", "\n"), "case x in x)\n" + p + "\n;; esac", "while :; do\n" + p + "\nbreak; done",
		"env bash -c " + q, "timeout 5 bash -c " + q, "! {\n" + p + "\n}", "false || {\n" + p + "\n}", "time {\n" + p + "\n}", "{\n" + p + "\n} | cat", "{\n" + p + "\n} > /dev/null 2>&1", "coproc {\n" + p + "\n}",
	}
}

func lawOfWrapping(t testing.TB, list []string) {
	for _, p := range list {
		plain := Command(testContext("bash"), p)
		for _, w := range wrapped(p) {
			v := Command(testContext("bash"), w)
			if plain.Class.Worse(v.Class) {
				t.Errorf("%q is %s, but %q is %s: %s", p, plain.Class, w, v.Class, why(v))
			}
			if v.Class == Irreversible {
				continue
			}
			if what, ok := covers(v, plain); !ok {
				t.Errorf("%q hides of %q: %s", w, p, what)
			}
		}
	}
}

func TestAWrappedSpellingIsNeverSafer(t *testing.T) { lawOfWrapping(t, sources()) }

// effectSet is the effects without their positions.
func effectSet(v Verdict) string {
	list := strings.Split(brief(v), ", ")
	sort.Strings(list)
	return strings.Join(list, ", ")
}

func lawOfPrinting(t testing.TB, list []string) {
	for _, p := range list {
		file, err := parse(p, syntax.LangBash)
		if err != nil {
			continue
		}
		var b bytes.Buffer
		if err := syntax.NewPrinter().Print(&b, file); err != nil {
			continue
		}
		v, w := Command(testContext("bash"), p), Command(testContext("bash"), b.String())
		if v.Class != w.Class || effectSet(v) != effectSet(w) {
			t.Errorf("%q is %s %s\nprinted %q is %s %s", p, v.Class, effectSet(v), b.String(), w.Class, effectSet(w))
		}
	}
}

func TestPrintingAnewChangesNothing(t *testing.T) { lawOfPrinting(t, sources()) }

func FuzzCommand(f *testing.F) {
	for _, s := range sources() {
		f.Add(s)
	}
	for _, s := range wrapped(`rm a.txt`) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		checkVerdict(t, src, Command(testContext("bash"), src))
		checkVerdict(t, src, Command(testContext("zsh"), src))
	})
}

// FuzzLaws tries the laws on any program that parses.
func FuzzLaws(f *testing.F) {
	for _, s := range sources() {
		f.Add(s, "ls")
	}
	f.Fuzz(func(t *testing.T, p, q string) {
		if _, err := parse(p, syntax.LangBash); err != nil || guardInput(p) != nil {
			return
		}
		if _, err := parse(p+"\n"+q, syntax.LangBash); err != nil {
			return
		}
		one, both := Command(testContext("bash"), p), Command(testContext("bash"), p+"\n"+q)
		if one.Class.Worse(both.Class) {
			t.Errorf("%q is %s, but with %q behind it %s", p, one.Class, q, both.Class)
		}
	})
}

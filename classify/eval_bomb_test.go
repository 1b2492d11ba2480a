package classify

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// bombs are commands that are small and mean to cost much.
func bombs() map[string]string {
	r := strings.Repeat
	return map[string]string{
		"300 KB of parentheses": r("(", 300_000), "parentheses": r("(", 60_000), "braces": r("{ ", 30_000), "if": r("if ", 20_000),
		"substitutions": r("$(", 30_000), "arithmetic": r("$((", 20_000), "parameters": r("${a:-", 10_000), "back quotes": r("`", 60_000),
		"quotes": r(`"$(`, 15_000), "while": r("while ", 10_000), "case": r("case x in x) ", 4_000), "tests": "[[" + r(" (", 20_000),
		"negations": "[[ " + r("! ", 30_000), "minus": "((" + r("-", 60_000) + "1))", "ternaries": "((a" + r("?1:a", 15_000) + "))", "powers": "((" + r("2**", 20_000) + "2))",
		"functions": r("f()", 20_000) + "{ :; }", "time": r("time ", 12_000), "pipes": "a" + r("|a", 30_000), "chain": "a" + r("&&a", 21_000), "list": r("rm a;", 13_000),
		"nested substitutions": r("$(", 190) + "rm a" + r(")", 190), "brace product": "rm " + r("{a,b}", 10_000), "brace range": "rm {1..1000000000}", "stars": "rm " + r("*", 60_000),
		"star letters": "rm " + r("*a", 30_000), "deep pattern": "rm " + r("/*", 30_000), "double stars": "rm **/**/**/**", "groups": "rm +(+(+(+(a|b)|c)|d)|e)*+(*)+(*)",
		"doubling": "x=aaaaaaaa;" + r("x=$x$x;", 60) + "rm $x", "doubling unknown": r("x=$x$x;", 8_000) + "rm $x", "many words": "set --" + r(" a", 30_000) + `; rm "$@"`,
		"alternatives": r("[ a ] && x=$RANDOM$x || x=b$x;", 1_500) + "rm $x", "loops": "for i in {1..4000}; do for j in {1..4000}; do rm $i$j; done; done",
		"open loops": "while :; do while :; do while :; do while :; do x; done; done; done; done", "fork bomb": ":(){ :|:& };:", "recursion": "f(){ f; f; }; f", "eval": `x='eval "$x"; eval "$x"'; eval "$x"`,
		"aliases": "alias a='b b'; alias b='a a'; a", "traps": `trap 'trap "trap x EXIT" EXIT' EXIT`, "sourcing itself": "echo 'source x.sh; source x.sh' > x.sh; source x.sh",
		"directories": r("cd a;", 500) + "rm -rf *", "up": r("cd ..;", 9_000) + "ls", "redirections": r(">f", 30_000), "sequence": "for i in $(seq 1 100000); do rm f$i; done",
		"wide printf": "printf '%1000000000d' 1 | xargs rm", "replacing": "x=" + r("a", 30_000) + "; rm ${x//a*a*a*a*b/c}", "cutting": "x=" + r("a", 30_000) + "; rm ${x%%*a*a*a*b}",
		"wrappers": r("env ", 15_000) + "rm a", "ways": "a=x; [ 1 ] && a='x y'; [ 1 ] && a=-rf; rm" + r(" $a", 9_000), "array": r("a+=(x);", 8_000) + `rm "${a[@]}"`,
		"5,000 segments": "rm x" + r("&&rm x", 5_000), "500 segments": "cd d" + r(";rm x", 500),
	}
}

// TestBombs holds every bomb to 256 MiB and to a time that a far slower machine
// would keep as well; the work itself is bounded by counts.
func TestBombs(t *testing.T) {
	for name, src := range bombs() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			v := Command(testContext("bash"), src)
			spent := time.Since(start)
			runtime.ReadMemStats(&after)
			checkVerdict(t, cutText(src, 40), v)
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 512 {
				t.Errorf("%d MiB allocated", used)
			}
			if spent > 5*time.Second {
				t.Errorf("took %v", spent)
			}
		})
	}
}

// TestOvertime stops a command that does much when an answer is due, refuses it,
// and lets one that does little be evaluated to its end.
func TestOvertime(t *testing.T) {
	ctx := testContext("bash")
	ctx.Overtime = func() bool { return true }
	nested := strings.Repeat("for i in 1 2 3; do ", 12) + "rm a$i" + strings.Repeat("; done", 12)
	if v := Command(ctx, nested); v.Class != Irreversible || !strings.Contains(v.Refusals[0].Reason, "more than can be followed") {
		t.Errorf("nested loops: %s", v.Class)
	}
	if v := Command(ctx, "for i in a b; do rm $i.txt; done"); v.Class != Invertible {
		t.Errorf("a small loop: %s", v.Class)
	}
}

func TestInputThatIsNotUnderstood(t *testing.T) {
	for _, c := range []struct {
		src, reason string
		line, col   int
	}{
		{"ls\nrm \x00a", "NUL byte", 2, 4},
		{"rm a\\\r\nb", "carriage return", 1, 6},
		{"rm a\r", "carriage return", 1, 5},
		{"ls; rm \xff", "not valid UTF-8", 1, 8},
		{strings.Repeat("x", maxCommand+1), "longer than 64 KiB", 1, 1},
		{"ls\nrm 'a", "cannot be parsed", 2, 4},
		{"if ls; then", "cannot be parsed", 1, 8},
		{"ls " + strings.Repeat("(", 300), "nested deeper", 1, 204},
		{strings.Repeat("if a; then ", 300) + "rm a" + strings.Repeat("; fi", 300), "nested deeper", 1, 1},
	} {
		v := Command(testContext("bash"), c.src)
		if v.Class != Irreversible || len(v.Refusals) != 1 {
			t.Errorf("%.40q: %s, %d refusals", c.src, v.Class, len(v.Refusals))
			continue
		}
		r := v.Refusals[0]
		if !strings.Contains(r.Reason, c.reason) || r.Pos.Line != c.line || r.Pos.Col != c.col {
			t.Errorf("%.40q: %q at %d:%d, want %q at %d:%d", c.src, r.Reason, r.Pos.Line, r.Pos.Col, c.reason, c.line, c.col)
		}
	}
}

func TestPositionsAreKept(t *testing.T) {
	v := Command(testContext("bash"), "ls\n  rm a.txt && echo x > b.txt\nbash -c 'cd d; rm 1'")
	want := map[string]Pos{
		testApp + "/a.txt": {Off: 8, Line: 2, Col: 6}, testApp + "/b.txt": {Off: 26, Line: 2, Col: 24}, testApp + "/d/1": {Off: 40, Line: 3, Col: 9},
	}
	for _, e := range v.Effects {
		if e.Pos != want[e.Path] {
			t.Errorf("%s at %+v, want %+v", e.Path, e.Pos, want[e.Path])
		}
	}
}

func TestFileTools(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"a.txt", "i O a.txt"},
		{testApp + "/a.txt", "i O a.txt"},
		{"new.txt", "n C new.txt"},
		{"new/dir/x", "n C new/dir/x"},
		{"file_link", "i O a.txt"},
		{"real_link/f", "i O /home/dev/other/f"},
		{testHome + "/state/ledger", "x "},
		{testHome + "/state/new", "x "},
		{"~", "i O ~"},
		{"$HOME", "n C $HOME"},
		{"/dev/sda", "x "},
	} {
		v := File(testContext("bash"), "Write", []string{c.path})
		if got := strings.TrimSpace(classLetter(v.Class) + " " + brief(v)); got != strings.TrimSpace(c.want) {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
		checkVerdict(t, c.path, v)
	}
}

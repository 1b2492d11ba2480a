package classify_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/counterstep/counterstep/classify"
)

const (
	// verdictTime and verdictBytes bound every verdict, whatever comes in.
	verdictTime  = 250 * time.Millisecond
	verdictBytes = 256 << 20
)

// seeds are commands of the corpus, one in n, and awkward bytes.
func seeds(f testing.TB, n int) []string {
	list := []string{
		"", "\x00", "rm\r\n", "a\\\r\nrm b", "\xff\xfe", strings.Repeat("(", 500), strings.Repeat("$(", 300), strings.Repeat("{a,b}", 40),
		strings.Repeat("`", 99), "rm " + strings.Repeat("*/", 200), "echo {1..999999999}", "rm {a..z}{a..z}{a..z}{a..z}{a..z}", "((((((1))))))",
		"x=aa; " + strings.Repeat("x=$x$x; ", 60) + "rm $x", strings.Repeat("if a; then ", 200), "f() { f; f; }; f", "f() { eval f; }; f; rm x",
		"while :; do :; done; rm src/a.txt", "printf %99999999s x | xargs rm", "seq 1 99999999 | xargs rm", "yes | xargs rm", "eval \"eval \\\"eval rm\\\"\"",
		"a[1e9]=1", "echo $((2**63)) $((1/0)) $((1<<999))", "<<A <<B <<C\nA\nB\nC", "echo ${x:${y:-${z:-$(rm a)}}}", "for ((;;)); do rm x; done",
		strings.Repeat("for i in 1 2 3 4 5 6 7 8 9; do ", 3) + "rm $i" + strings.Repeat("; done", 3), strings.Repeat("x=$(cat list) ", 3000),
		strings.Repeat("[ -f a ] && x=1 || x=2; ", 300) + "rm $x", strings.Repeat("case $x in a) y=1;; *) y=2;; esac; ", 200) + "rm $y",
		"find / | xargs rm", "rm -rf /**/*/**/*/**", "rm " + strings.Repeat("a ", 30000), "shopt -s extglob; rm " + strings.Repeat("*(a|", 60) + strings.Repeat(")", 60),
		"while read -r f; do :; done < list; rm \"$f\"", "for f in src/*; do :; done; rm $f", "until false; do for f in a.txt b.txt; do rm $f; done; break; done",
		"for d in src dst; do for f in $d/*; do mv \"$f\" build; done; done", "while read -r d; do while read -r f; do rm $f; done < list; done < <(ls)",
		"cat <(rm src/a.txt) <(cat <(rm b.txt))", "echo x | tee >(cat > a.txt) >(rm b.txt)", "diff <(ls src) <(ls dst) > out.log",
		"cat <<A\n$(rm a.txt)\nA\nrm b.txt", "bash <<'A'\nrm $x a.txt\nA", "while read f; do rm $f; done <<A\na.txt\nb.txt\nA", "cat <<-A | xargs rm\n\ta.txt\n\tA",
	}
	for i, r := range corpus(f) {
		if i%n == 0 {
			list = append(list, r.src)
		}
	}
	return list
}

// measured is a verdict with what it cost. A slow one is tried again, since
// collecting garbage of the one before counts too.
func measured(c classify.Context, src string) (v classify.Verdict, took time.Duration, bytes uint64) {
	took = time.Hour
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := spent()
		c.Deadline = func() bool { return spent()-start > verdictTime/2 }
		v = classify.Command(c, src)
		took = min(took, spent()-start)
		runtime.ReadMemStats(&after)
		bytes = after.TotalAlloc - before.TotalAlloc
		if took < verdictTime/4 {
			break
		}
	}
	return v, took, bytes
}

// FuzzBounded: any bytes in, a verdict in time and in little memory.
func FuzzBounded(f *testing.F) {
	for _, s := range seeds(f, 20) {
		f.Add(s, uint8(0))
		f.Add(s, uint8(1))
	}
	m := disk(lived())
	f.Fuzz(func(t *testing.T, src string, shell uint8) {
		if len(src) > 64<<10 {
			return
		}
		v, took, bytes := measured(context(m, []string{"bash", "zsh", "sh"}[shell%3]), src)
		if took > verdictTime {
			t.Errorf("%s for %q", took, src)
		}
		if bytes > verdictBytes {
			t.Errorf("%d MiB for %q", bytes>>20, src)
		}
		if v.Class == classify.Irreversible && len(v.Refusals) == 0 {
			t.Errorf("refused without a reason: %q", src)
		}
	})
}

// parse reads src as bash, or says that it is not one.
func parse(src string) (*syntax.File, bool) {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src), "")
	return f, err == nil
}

func printed(f *syntax.File) string {
	var b strings.Builder
	_ = syntax.NewPrinter().Print(&b, f)
	return b.String()
}

// named are the effects that matter for a comparison, as one string each.
func named(v classify.Verdict) []string {
	var list []string
	for _, e := range v.Effects {
		list = append(list, e.Kind.String()+" "+e.Path+" "+e.To)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// safer reports whether v claims more than the worse of the two may.
func safer(v, than classify.Verdict) bool { return than.Class.Worse(v.Class) }

// FuzzAppend: adding a command never makes a program safer, and takes no effect
// away.
func FuzzAppend(f *testing.F) {
	list := seeds(f, 20)
	for i, s := range list {
		f.Add(s, list[(i*7+3)%len(list)])
	}
	m := disk(lived())
	f.Fuzz(func(t *testing.T, a, b string) {
		fa, ok := parse(a)
		fb, ok2 := parse(b)
		fab, ok3 := parse(a + "\n" + b)
		if !ok || !ok2 || !ok3 || len(a)+len(b) > 4096 || len(fab.Stmts) != len(fa.Stmts)+len(fb.Stmts) || !strings.HasPrefix(printed(fab), strings.TrimSuffix(printed(fa), "\n")) {
			return
		}
		c := context(m, "bash")
		va, vab := classify.Command(c, a), classify.Command(c, a+"\n"+b)
		if safer(vab, va) {
			t.Errorf("%q is %s, but with %q it is %s", a, describe(va), b, describe(vab))
		}
		if vab.Class == classify.Irreversible {
			return
		}
		all := named(vab)
		for _, e := range named(va) {
			if !slices.Contains(all, e) {
				t.Errorf("%q does %q, but not with %q: %s", a, e, b, describe(vab))
			}
		}
	})
}

// FuzzPrint: printing a program anew does not change what it is taken for.
func FuzzPrint(f *testing.F) {
	for _, s := range seeds(f, 20) {
		f.Add(s)
	}
	m := disk(lived())
	f.Fuzz(func(t *testing.T, src string) {
		file, ok := parse(src)
		if !ok || len(src) > 4096 || strings.ContainsAny(src, "\r\x00") {
			return
		}
		again := printed(file)
		if second, ok := parse(again); !ok || printed(second) != again {
			return // the printer changed its meaning
		}
		c := context(m, "bash")
		v, w := classify.Command(c, src), classify.Command(c, again)
		if v.Class != w.Class || v.Class != classify.Irreversible && !slices.Equal(named(v), named(w)) {
			t.Errorf("%q: %s\nprinted %q: %s", src, describe(v), again, describe(w))
		}
	})
}

// wrapped are ways to write a program that must not look safer than it is.
// Each keeps what the program does, or it is not understood.
func wrapped(src string) []string {
	q := quoted(src)
	if strings.HasPrefix(src, "+") || strings.HasPrefix(src, "-") {
		q = quoted(" " + src) // a shell takes the text for an option otherwise
	}
	return []string{
		"{ " + src + "\n}", "( " + src + "\n)", "true\n" + src, "if true; then\n" + src + "\nfi", "eval " + q, "bash -c " + q, "sudo bash -c " + q,
		"while true; do\n" + src + "\nbreak; done", "f() {\n" + src + "\n}; f", "env bash -c " + q, "echo " + q + " | bash", "wrapped=" + q + "; eval \"$wrapped\"", "! {\n" + src + "\n}",
	}
}

// FuzzWrap: a wrapped spelling is never safer than the plain one.
func FuzzWrap(f *testing.F) {
	for _, s := range seeds(f, 20) {
		f.Add(s)
	}
	m := disk(lived())
	f.Fuzz(func(t *testing.T, src string) {
		file, ok := parse(src)
		if !ok || len(src) > 2048 || len(file.Stmts) == 0 {
			return
		}
		c := context(m, "bash")
		v := classify.Command(c, src)
		for _, s := range wrapped(src) {
			if _, ok := parse(s); !ok {
				continue
			}
			if w := classify.Command(c, s); safer(w, v) {
				t.Errorf("%q is %s\nwrapped %q: %s", src, describe(v), s, describe(w))
			}
		}
	})
}

// FuzzQuote: a quoted word is never safer than the plain one.
func FuzzQuote(f *testing.F) {
	for _, r := range corpus(f) {
		if words := strings.Fields(r.src); plain(words) && strings.HasPrefix(r.where, "change") || strings.HasPrefix(r.where, "delete") {
			f.Add(r.src)
		}
	}
	m := disk(lived())
	f.Fuzz(func(t *testing.T, src string) {
		words := strings.Fields(src)
		if len(src) > 2048 || !plain(words) {
			return
		}
		c := context(m, "bash")
		v := classify.Command(c, strings.Join(words, " "))
		for i := range words {
			for _, spell := range []string{quoted(words[i]), `"` + words[i] + `"`, `\` + words[i], words[i][:1] + "''" + words[i][1:], "$'" + words[i] + "'"} {
				other := slices.Clone(words)
				other[i] = spell
				if w := classify.Command(c, strings.Join(other, " ")); safer(w, v) {
					t.Errorf("%q is %s\nbut %q is %s", src, describe(v), strings.Join(other, " "), describe(w))
				}
			}
		}
	})
}

// plain says that the words are a simple command without anything to expand,
// and that the first is no assignment, keyword or alias.
func plain(words []string) bool {
	if len(words) == 0 {
		return false
	}
	for _, w := range words {
		for _, c := range []byte(w) {
			if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:+", rune(c)) {
				return false
			}
		}
	}
	return !syntax.IsKeyword(words[0])
}

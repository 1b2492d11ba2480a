package git

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/proc"
)

// gitReads is what git makes of a configuration text; ok is false when it
// refuses it.
func gitReads(t *testing.T, program, text string) (string, bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	res, err := proc.Run(t.Context(), proc.Cmd{
		Path: program, Dir: filepath.Dir(path), Env: []string{"GIT_CONFIG_NOSYSTEM=1", "HOME=/nonexistent"},
		Args: []string{"config", "--file", path, "-z", "--list", "--no-includes"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(res.Stdout), res.Code == 0
}

// weRead is the same from the parser.
func weRead(text string) (string, bool) {
	list, err := parseConfig(text)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	for _, s := range list {
		b.WriteString(s.key)
		if !s.bare {
			b.WriteString("\n" + s.value)
		}
		b.WriteByte(0)
	}
	return b.String(), true
}

func configTexts() []string {
	return []string{
		"", "\n", "[a]\n", "[a]\nb\n", "[a]\nb=\n", "[a]\nb = c d  e  \n", "[a] b = c\n", "[A \"B c\"]\nDe-F = x\n", "[a.B]\nc=d\n",
		"[a \"b\\\"c\\\\d\\x\"]\nk=v\n", "[a]\nb = \"x ; y\" # z\n", "[a]\nb = x # y\n", "[a]\nb = x \\\n  y\n", "[a]\r\nb = x\r\nc\r\n", "[a]\nb = \"x\r\n\"\n",
		"[a]\nb = x\\ty\\n\\b\\\\\\\"\n", "[a]\nb = \\x\n", "[a]\nb = \"x\n", "[a\nb=c\n", "[a \"b]\nc=d\n", "b=c\n", "[a]\nb c\n", "[a]\n1b=c\n", "[a]\nb_c=d\n",
		"\ufeff[a]\nb=c\n", "[a]\nb=c", "[a]b", "[a]\nb=\"a\"b\" c\"\n", "; x\n# y\n[a]\n;b=c\nd=e;f\n", "[a \"\"]\nb=c\n", "[.a]\nb=c\n", "[a ]\nb=c\n", "[a\t\"x\"]\nb=c\n",
		"[a \"x\" ]\nb=c\n", "[]\nb=c\n", "[a]\nb = c\\", "[a]\nb\t=\tc\n", "[a]\n\tb = \"\"\n", "[a] [b]\nc=d\n", "[a]\nb = x\ty\n", "[a]\nb==c\n", "[a]\nb=\"\"\"\"x\n",
	}
}

func TestConfigIsReadAsGitReadsIt(t *testing.T) {
	program, err := proc.Look("git", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED LOUDLY: git is not installed")
	}
	texts := configTexts()
	rnd := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"[a]", "[a \"b\"]", "[", "]", "\"", "\\", "\n", "\r\n", " ", "\t", "=", "#", ";", "key", "Val", "\\n", "\\\"", "\\\n", "x-y", ".", "[c.D]", "0"}
	for range 150 {
		var b strings.Builder
		b.WriteString("[s]\n")
		for range 1 + rnd.IntN(12) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		texts = append(texts, b.String())
	}
	for _, text := range texts {
		want, ok := gitReads(t, program, text)
		got, gotOK := weRead(text)
		if ok != gotOK || ok && got != want {
			t.Errorf("%q\ngot  %q %v\nwant %q %v", text, got, gotOK, want, ok)
		}
	}
}

func FuzzConfig(f *testing.F) {
	for _, text := range configTexts() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseConfig(text)
		if err == nil && len(list) > len(text) {
			t.Errorf("%d settings from %d bytes", len(list), len(text))
		}
	})
}

func FuzzRefspec(f *testing.F) {
	for _, text := range []string{"+a:b", ":", "+:", ":a", "^a", "a*:b*", "refs/heads/*", "@", "a:b:c", "", "+", "a~1:refs/heads/b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRefspec(text)
		if err != nil {
			return
		}
		if strings.HasPrefix(text, "+") != r.force {
			t.Errorf("%q: force %v", text, r.force)
		}
		if r.hasDst && !r.pattern && !validName(r.dst) {
			t.Errorf("%q: destination %q", text, r.dst)
		}
	})
}

func TestWildmatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		fold, want    bool
	}{
		{"a*c", "abbc", false, true},
		{"a*c", "ab/c", false, false},
		{"a/**/c", "a/c", false, true},
		{"a/**/c", "a/b/b/c", false, true},
		{"**/c", "a/b/c", false, true},
		{"a/**", "a/b/c", false, true},
		{"a**c", "a/c", false, false},
		{"a?c", "abc", false, true},
		{"a?c", "a/c", false, false},
		{"[a-c]x", "bx", false, true},
		{"[!a-c]x", "bx", false, false},
		{"[^a]", "b", false, true},
		{"[]x]", "]", false, true},
		{"[a", "a", false, false},
		{"\\*", "*", false, true},
		{"\\*", "x", false, false},
		{"A*", "abc", true, true},
		{"A*", "abc", false, false},
		{"", "", false, true},
		{"a", "", false, false},
	} {
		if got, ok := wildmatch(c.pattern, c.text, c.fold); got != c.want || !ok {
			t.Errorf("wildmatch(%q, %q) = %v, %v", c.pattern, c.text, got, ok)
		}
	}
	if _, ok := wildmatch(strings.Repeat("*a", 40), strings.Repeat("a", 200)+"b", false); ok {
		t.Error("a pattern without end was decided")
	}
}

func TestAlternatesAreQuoted(t *testing.T) {
	for path, want := range map[string]string{"/a b": "/a b\n", "/a\nb": "\"/a\\012b\"\n", "/a\"\n": "\"/a\\\"\\012\"\n"} {
		if got := alternateLine(path); got != want {
			t.Errorf("%q: %q", path, got)
		}
	}
}

package classify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/classify"
)

// effects lists what a verdict names, shortened to the project.
func effects(v classify.Verdict) []string {
	var list []string
	for _, e := range v.Effects {
		if e.Kind == classify.Create {
			continue
		}
		list = append(list, e.Kind.String()+" "+strings.TrimPrefix(e.Path, app+"/"))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// TestNamed are the sequences whose parts only make sense together.
func TestNamed(t *testing.T) {
	cases := []struct {
		src   string
		class classify.Class
		// has are effects that must be named (of everything below as well, when it
		// is a directory), not those that must not.
		has, not []string
	}{
		{"mv build/* dst/ && rm -rf dst/*", classify.Invertible, []string{"delete dst/a.txt", "delete dst/keep.txt"}, nil},
		{"mv src/* dst/ && rm -rf dst", classify.Invertible, []string{"delete dst"}, nil},
		{"cp -r src b && rm -rf src b", classify.Invertible, []string{"delete src"}, []string{"delete b"}},
		{"mkdir t && cp a.txt t && rm -rf t", classify.Inert, nil, nil},
		{`d=$(mktemp -d); cp a.txt "$d"; rm -rf "$d"`, classify.Inert, nil, nil},
		{`rm -rf "$UNSET"/*`, classify.Irreversible, nil, nil},
		{`rm -rf "${UNSET}/"`, classify.Irreversible, nil, nil},
		{"cd src; rm -rf *", classify.Invertible, []string{"delete src/a.txt"}, []string{"delete dst", "delete b.txt"}},
		{"cd nothing; rm -rf *", classify.Invertible, []string{"delete dst", "delete src"}, nil},
		{"cd nothing && rm -rf *", classify.Inert, nil, []string{"delete src"}},
		{"source venv/bin/activate && rm -rf build", classify.Invertible, []string{"delete build"}, nil},
		{"source venv/bin/activate && ls", classify.Inert, nil, nil},
		{"rm -rf src && git clone . src", classify.Invertible, []string{"delete src"}, nil},
	}
	m := disk(lived())
	for _, c := range cases {
		v := classify.Command(context(m, "bash"), c.src)
		got := effects(v)
		if v.Class != c.class {
			t.Errorf("%q: %s, want %s", c.src, describe(v), c.class)
		}
		for _, e := range c.has {
			if !slices.Contains(got, e) {
				t.Errorf("%q: %q is not among %q", c.src, e, got)
			}
		}
		for _, e := range c.not {
			if slices.Contains(got, e) {
				t.Errorf("%q: %q is among %q", c.src, e, got)
			}
		}
	}
}

// TestUnsetIsNotUnknown: only a variable that the caller vouches for has a
// value.
func TestUnsetIsNotUnknown(t *testing.T) {
	m := disk(lived())
	src := "rm -rf ${UNSET:-build}"
	c := context(m, "bash")
	if v := classify.Command(c, src); v.Class != classify.Irreversible {
		t.Errorf("not known: %s", describe(v))
	}
	c.Env["UNSET"] = ""
	if v := classify.Command(c, src); v.Class != classify.Invertible || !slices.Equal(effects(v), []string{"delete build"}) {
		t.Errorf("known: %s", describe(v))
	}
	if v := classify.Command(context(m, "bash"), "unset UNSET; "+src); v.Class != classify.Invertible {
		t.Errorf("unset in the line: %s", describe(v))
	}
}

// TestManySegments: a long line is read to its end or refused, in time.
func TestManySegments(t *testing.T) {
	m := disk(lived())
	for _, n := range []int{51, 500, 5000} {
		for _, sep := range []string{"; ", " && ", "\n"} {
			src := strings.Repeat("ls"+sep, n) + "rm -rf src"
			start := spent()
			v := classify.Command(context(m, "bash"), src)
			took := spent() - start
			if v.Class == classify.Inert || v.Class == classify.Invertible && !slices.Contains(effects(v), "delete src") {
				t.Errorf("%d × %q: %s", n, sep, describe(v))
			}
			if n < 5000 && v.Class != classify.Invertible {
				t.Errorf("%d × %q: %s", n, sep, describe(v))
			}
			if took > time.Second {
				t.Errorf("%d × %q: %s", n, sep, took)
			}
		}
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "rm -f f%d; ", i)
		}
		if v := classify.Command(context(m, "bash"), b.String()+"rm -f a.txt"); v.Class == classify.Inert {
			t.Errorf("%d × rm: %s", n, describe(v))
		}
	}
}

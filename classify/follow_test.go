package classify

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// TestWhatIsNotFollowedIsWidened: a command that evaluation did not come to,
// for whatever reason, is never taken for one that does nothing.
func TestWhatIsNotFollowedIsWidened(t *testing.T) {
	const src = "ls; f() { rm never; }; (rm x)"
	file, err := syntax.NewParser().Parse(strings.NewReader(src), "")
	if err != nil {
		t.Fatal(err)
	}
	ev := newEvaluator(&Context{Cwd: "/w"})
	ev.src = src
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && c.Args[0].Lit() == "ls" {
			ev.visited[c] = true
		}
		return true
	})
	ev.widenUnvisited(file)
	if !ev.out.Unnamed || ev.out.Class != Bounded {
		t.Errorf("class %v, unnamed %v", ev.out.Class, ev.out.Unnamed)
	}
	if len(ev.out.Parts) != 1 || ev.out.Parts[0].Text != "rm x" {
		t.Errorf("widened: %+v", ev.out.Parts)
	}
}

package classify_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
)

var updateTables = flag.Bool("update-tables", false, "rewrite the verdicts in testdata/tables")

// TestTables reads testdata/tables: one file per family, a line is a verdict, a
// tab and a command (␤ stands for a newline); lines with # and empty lines are
// for people. The commands run in the tree of fixture_test.go.
func TestTables(t *testing.T) {
	files, err := filepath.Glob("testdata/tables/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	world := disk(lived())
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(data), "\n")
			for i, l := range lines {
				want, src, ok := strings.Cut(l, "\t")
				if !ok || strings.HasPrefix(l, "#") {
					continue
				}
				c := context(world, "bash")
				c.GitAlias = alias
				got := summary(classify.Command(c, strings.ReplaceAll(src, "␤", "\n")))
				if got != want && !*updateTables {
					t.Errorf("%s:%d: %s\n got %s\nwant %s", name, i+1, src, got, want)
				}
				lines[i] = got + "\t" + src
			}
			if *updateTables {
				if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// alias is what the repository of the fixture defines.
func alias(dir, name string) (string, bool) {
	switch name {
	case "nuke":
		return "reset --hard", true
	case "st":
		return "status --short", true
	case "pf":
		return "push --force origin", true
	case "wipe":
		return "!rm -rf src", true
	}
	return "", false
}

// summary is a verdict in one line: class, effects, pushes, opaque programs,
// barriers and whether it is refused. Paths are relative to the project.
func summary(v classify.Verdict) string {
	out := []string{}
	for _, e := range v.Effects {
		if e.Kind == classify.Create {
			continue
		}
		s := e.Kind.String() + ":" + short(e.Path)
		if e.Tree {
			s += "/**"
		}
		if e.To != "" {
			s += ">" + short(e.To)
		}
		if e.Remote != nil {
			s = "push(" + strings.Join(e.Remote.Args, " ") + ")"
			if e.Remote.Maybe {
				s = "perhaps-" + s
			}
		}
		out = append(out, s)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > 6 {
		out = append(out[:6], "…")
	}
	if len(v.Barriers) > 0 {
		out = append(out, "barrier")
	}
	if len(v.Refusals) > 0 {
		out = append(out, "refused")
	}
	return strings.Join(append([]string{v.Class.String()}, out...), " ")
}

func short(p string) string {
	if p == app {
		return "."
	}
	if s, ok := strings.CutPrefix(p, app+"/"); ok {
		return s
	}
	if s, ok := strings.CutPrefix(p, home); ok {
		return "~" + s
	}
	return p
}

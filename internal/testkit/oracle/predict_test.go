//go:build linux

package oracle

import (
	"encoding/json"
	"os"
	"strings"
)

// prediction is what explain says of a command.
type prediction struct {
	Class   string
	Effects []struct {
		Kind, Path, To string
		Tree           bool
	}
	Barriers []string
	Dirs     []string
	Refused  *struct{ Reason, Instead string }
}

func parsePrediction(data []byte) (p prediction, err error) {
	return p, json.Unmarshal(data, &p)
}

// covers reports whether a change of path is predicted.
func (p prediction) covers(path string) bool {
	if p.Class == "bounded" {
		for _, bound := range append([]string{app}, p.Dirs...) {
			if inside(path, bound) {
				return true
			}
		}
	}
	for _, e := range p.Effects {
		switch e.Kind {
		case "delete", "overwrite", "metadata":
			if path == e.Path || e.Tree && inside(path, e.Path) {
				return true
			}
		case "move":
			if inside(path, e.Path) || path == e.To {
				return true
			}
		case "ref-update":
			if inside(path, e.Path+"/.git") {
				return true
			}
		}
	}
	return false
}

// coversRepo reports whether losses in the repository at dir are predicted.
func (p prediction) coversRepo(dir string) bool {
	if p.covers(dir + "/.git/HEAD") {
		return true
	}
	if len(p.Barriers) > 0 && p.Class == "inert" {
		return true // let go with a note that no undo covers it
	}
	for _, e := range p.Effects {
		if inside(e.Path, dir+"/.git") && e.Kind != "create" {
			return true
		}
		if e.Kind == "ref-update" && (dir == home+"/remote.git" || inside(dir, e.Path)) {
			return true
		}
	}
	return p.covers(dir + "/HEAD")
}

// inside reports whether path is dir or lies below it.
func inside(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// predicted reports whether a change is covered, by its path or by another name
// of the same file. A new time of git's own settings is none.
func (g *ground) predicted(p prediction, c change) bool {
	if p.covers(c.Path) || c.How == "time" && strings.Contains(c.Path, "/.git/") {
		return true
	}
	if c.How == "content" && strings.HasSuffix(c.Path, "/.git/config") && g.grown(c.Path) {
		return true // a section more, such as the upstream of a new branch
	}
	leader := func(path string) string {
		if n := g.pristine[path]; n.Type == 'h' {
			return n.Target
		}
		return path
	}
	for path, n := range g.pristine {
		if path != c.Path && n.Type != 'd' && leader(path) == leader(c.Path) && p.covers(path) {
			return true
		}
	}
	return false
}

// grown reports whether a file still holds all its old lines, in their order.
func (g *ground) grown(path string) bool {
	now, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	rest := string(now)
	for line := range strings.Lines(string(g.pristine.file(path).Data)) {
		_, after, ok := strings.Cut(rest, line)
		if !ok {
			return false
		}
		rest = after
	}
	return true
}

package classify

import "strings"

// match is one name that a pattern led to. may says that only a shell with
// other options (dotglob, globstar) would give it, shaky that it may be gone.
type match struct {
	path       string
	may, shaky bool
}

// glob expands a pattern (quoted characters behind backslashes) seen from dir
// against the disk and what the line did to it. It is a superset of what bash
// and zsh find: "**" goes down, leading dots are matched as well. ok is false
// when what is there cannot be told.
func (ev *evaluator) glob(dir, pattern string) (out []match, ok bool) {
	if isWild(pattern) || isWild(dir) && !strings.HasPrefix(pattern, "/") {
		return nil, false
	}
	g := globber{ev: ev}
	start := absolute(dir, "")
	shown := ""
	rest := pattern
	if strings.HasPrefix(pattern, "/") {
		start, shown = "/", "/"
		rest = strings.TrimLeft(pattern, "/")
	} else if strings.HasPrefix(pattern, "\x00F") {
		head, tail, _ := strings.Cut(pattern, "/")
		start, shown, rest = head, head+"/", tail
	}
	g.down(start, shown, rest, false)
	return g.out, !g.failed
}

type globber struct {
	ev     *evaluator
	out    []match
	failed bool
}

const (
	// maxPath is how long a path can be.
	maxPath = 4096
	// maxGlob is how many names one pattern may give, maxGlobSteps how many
	// names all patterns of a call may look at.
	maxGlob      = 50_000
	maxGlobSteps = 250_000
)

// down matches the elements of pattern below the directory real, which the
// words show as shown.
func (g *globber) down(real, shown, pattern string, may bool) {
	if g.failed {
		return
	}
	elem, rest, more := cutElement(pattern)
	if !more && elem == "" {
		g.add(shown, may, false)
		return
	}
	if elem == "**" {
		g.deep(real, shown, rest, more, may, 0)
		return
	}
	if !isPattern(elem) && !holeKind(elem, holeDigits) && !holeKind(elem, holeName) {
		plain := unquotePattern(elem)
		g.enter(joinPath(real, plain), shown+plain, rest, more, may)
		return
	}
	for _, name := range g.names(real) {
		if !g.step(real) {
			return
		}
		if hit, dot := g.hit(elem, name); hit {
			g.enter(joinPath(real, name), shown+name, rest, more, may || dot)
		}
	}
}

// step counts one look at a directory, which costs more the longer its path is,
// and reports whether there may be more.
func (g *globber) step(dir string) bool {
	late := g.ev.world.late
	if g.ev.globbed += 1 + len(dir)/8; g.ev.globbed > maxGlobSteps || len(dir) > maxPath || late != nil && late() {
		g.failed = true
	}
	return !g.failed
}

// cutElement splits a pattern behind its first slash.
func cutElement(pattern string) (elem, rest string, more bool) {
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			depth--
		case '/':
			return pattern[:i], strings.TrimLeft(pattern[i:], "/"), true
		}
	}
	return pattern, "", false
}

// enter goes on with rest below an element that matched.
func (g *globber) enter(real, shown, rest string, more, may bool) {
	kinds := g.kinds(real)
	if strings.Trim(kinds, "-") == "" {
		return
	}
	if !more {
		g.add(shown, may, strings.Contains(kinds, "-"))
		return
	}
	if strings.Trim(kinds, "-f") == "" {
		return
	}
	g.down(real, shown+"/", rest, may)
}

// kinds follows links; a link to nothing is something too.
func (g *globber) kinds(path string) string {
	if base := lastName(path); base == "." || base == ".." {
		return "d"
	}
	ends, ok := g.ev.world.resolve(path, false)
	if !ok {
		return "?"
	}
	out := ""
	for _, e := range ends {
		out += g.ev.world.kinds(e.path)
	}
	return out
}

func (g *globber) add(path string, may, shaky bool) {
	if len(g.out) >= maxGlob {
		g.failed = true
		return
	}
	g.out = append(g.out, match{path, may, shaky || may})
}

// names lists what may be in a directory that may be reached through links.
func (g *globber) names(dir string) []string {
	ends, ok := g.ev.world.resolve(dir, true)
	if !ok {
		g.failed = true
		return nil
	}
	var out []string
	for _, e := range ends {
		names, ok := g.ev.world.list(e.path)
		if !ok {
			g.failed = g.failed || g.ev.world.over || strings.Contains(g.ev.world.kinds(e.path), "d") ||
				strings.Contains(g.ev.world.kinds(e.path), "?")
			continue
		}
		if out == nil {
			out = names
			continue
		}
		out = append(out[:len(out):len(out)], names...)
	}
	return out
}

// hit matches one name; dot says that it begins with a dot that the pattern
// does not ask for.
func (g *globber) hit(elem, name string) (hit, dot bool) {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(elem, ".") && !strings.HasPrefix(elem, `\.`) {
		dot = !g.ev.optionOn("dotglob")
	}
	if g.ev.optionMay("nocaseglob") && matchPattern(strings.ToLower(elem), strings.ToLower(name)) {
		return true, dot
	}
	return matchPattern(elem, name), dot
}

// deep matches rest in real and in every directory below it; links are not
// followed.
func (g *globber) deep(real, shown, rest string, more, may bool, depth int) {
	if g.failed || depth > 200 {
		g.failed = true
		return
	}
	if more {
		g.down(real, shown, rest, may)
	}
	for _, name := range g.names(real) {
		if !g.step(real) {
			return
		}
		path := joinPath(real, name)
		hidden := may || depth > 0 && !g.ev.deepGlob() || strings.HasPrefix(name, ".") && !g.ev.optionOn("dotglob")
		if !more {
			g.add(shown+name, hidden, true)
		}
		if strings.ContainsAny(g.kinds(path), "d?") {
			g.deep(path, shown+name+"/", rest, more, may || !g.ev.deepGlob() || hidden, depth+1)
		}
	}
}

// deepGlob reports whether "**" certainly goes down.
func (ev *evaluator) deepGlob() bool { return ev.ctx.Shell == "zsh" || ev.optionOn("globstar") }

// matchHoles finds what is there under the names an absolute path with holes
// may have.
func (ev *evaluator) matchHoles(path string) ([]string, bool) {
	if holeKind(path, holeFresh) {
		return nil, true
	}
	found, ok := ev.glob("/", quotePattern(path))
	var out []string
	for _, m := range found {
		out = append(out, m.path)
	}
	return out, ok
}

package classify

import "strings"

// maxLinks is how many links one path may lead through.
const maxLinks = 40

// maxResolve is how long a path may be that is looked at; no system takes longer
// ones in one piece.
const maxResolve = 2 * maxPath

// joinPath joins a directory and a name without cleaning anything away: ".."
// behind a link means the parent of where the link leads.
func joinPath(dir, name string) string {
	switch {
	case name == "":
		return dir
	case dir == "":
		return name
	case strings.HasSuffix(dir, "/"):
		return dir + name
	default:
		return dir + "/" + name
	}
}

// splitPath cuts the last element off a clean absolute path.
func splitPath(p string) (dir, base string) {
	at := strings.LastIndexByte(p, '/')
	switch {
	case at < 0:
		return p, ""
	case at == 0:
		return "/", p[1:]
	default:
		return p[:at], p[at+1:]
	}
}

// cleanPath takes ".", ".." and double slashes out of an absolute path by its
// letters alone, as cd does.
func cleanPath(p string) string {
	var out []string
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "", ".":
		case "..":
			if len(out) > 0 {
				if isWild(out[len(out)-1]) {
					return anyHole
				}
				out = out[:len(out)-1]
			}
		default:
			out = append(out, part)
		}
	}
	return "/" + strings.Join(out, "/")
}

// absolute is path as seen from dir; it may have holes.
func absolute(dir, path string) string {
	switch {
	case strings.HasPrefix(path, "/"), strings.HasPrefix(path, "\x00F"):
		return path
	case strings.HasPrefix(path, anyHole):
		return path
	default:
		return joinPath(dir, path)
	}
}

// target is one place that a path may name.
type target struct {
	// path is absolute and clean; no parent of it is a link.
	path string
	// fresh says that it lies below something that is new.
	fresh bool
}

// resolve gives the places path may name. With follow a last link is followed
// as well. ok is false when they are not known.
func (w *world) resolve(path string, follow bool) (out []target, ok bool) {
	if isWild(path) || len(path) > maxResolve {
		return nil, false
	}
	if isStream(path) {
		return []target{{path: path}}, true
	}
	slash := len(path) > 1 && strings.HasSuffix(path, "/")
	dir, base := splitPath(strings.TrimRight(path, "/"))
	if base == "" || base == "." || base == ".." || strings.HasPrefix(path, "\x00F") {
		places, ok := w.walk(path, 0)
		return targets(places), ok
	}
	parents, hit := w.real[dir]
	if !hit {
		if parents, ok = w.walk(dir, 0); !ok {
			return nil, false
		}
		w.real[dir] = parents
	}
	var places []string
	for _, p := range parents {
		next, ok := w.step(p, base, follow || slash, 0)
		if !ok {
			return nil, false
		}
		places = union(places, next)
	}
	if len(places) == 1 && places[0] == anyHole {
		return nil, false
	}
	return targets(places), true
}

func targets(places []string) []target {
	out := make([]target, 0, len(places))
	for _, p := range places {
		out = append(out, target{path: p, fresh: holeKind(p, holeFresh)})
	}
	return out
}

// walk resolves every element of path.
func (w *world) walk(path string, links int) ([]string, bool) {
	places := []string{"/"}
	if strings.HasPrefix(path, "\x00F") {
		places = []string{""}
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." {
			continue
		}
		var next []string
		for _, p := range places {
			got, ok := w.step(p, part, true, links)
			if !ok {
				return nil, false
			}
			next = union(next, got)
		}
		if len(next) == 1 && isWild(next[0]) {
			return nil, false
		}
		places = next
	}
	return places, true
}

// step goes from a resolved directory to an entry of it.
func (w *world) step(dir, name string, follow bool, links int) ([]string, bool) {
	if name == ".." {
		up, base := splitPath(dir)
		if isWholeFresh(base) || dir == "" {
			return nil, false
		}
		return []string{up}, true
	}
	if isWild(name) {
		return nil, false
	}
	path := joinPath(dir, name)
	if !follow {
		return []string{path}, true
	}
	var out []string
	for _, n := range w.at(path) {
		to, isLink := w.linkOf(n)
		if !isLink {
			out = union(out, []string{path})
			continue
		}
		if links >= maxLinks || to == "" {
			continue
		}
		got, ok := w.walk(absolute(dir, to), links+1)
		if !ok {
			return nil, false
		}
		out = union(out, got)
	}
	if len(out) == 0 {
		out = []string{path}
	}
	return out, true
}

// isWholeFresh reports whether name is a fresh path of which not even the
// directory is known.
func isWholeFresh(name string) bool { return strings.HasPrefix(name, "\x00F") }

// linkOf says where a node leads if it is a link.
func (w *world) linkOf(n node) (string, bool) {
	if n.kind == 'l' {
		return n.target, true
	}
	if n.kind != 'o' {
		return "", false
	}
	info, _ := w.disk(n.at)
	if info.Type != 'l' {
		return "", false
	}
	to, err := w.fs.Readlink(n.at)
	if err != nil {
		return "", true
	}
	if n.copied || !strings.HasPrefix(to, "/") {
		return to, true
	}
	return to, true
}

// kinds is the set of types that may be at a resolved path.
func (w *world) kinds(path string) string {
	var out []byte
	for _, n := range w.at(path) {
		t := w.typeOf(n)
		if n.kind == 'l' && n.hard {
			t = 'f'
		}
		if !strings.Contains(string(out), string(t)) {
			out = append(out, t)
		}
	}
	return string(out)
}

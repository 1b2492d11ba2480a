package classify

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// node is one thing that may be at a path while the line runs.
type node struct {
	// kind is 'o' for what lies on the disk at path at, '-' nothing, 'f' a new
	// file, 'd' a new directory, 'l' a new link.
	kind byte
	at   string
	// copied says that an 'o' node is a copy: losing it loses nothing.
	copied bool
	// target is where a link leads; hard that it is a second name of it.
	target string
	hard   bool
	// content is what a new file holds, nil when it is not known.
	content *value
}

// world is the disk with what earlier parts of the line did to it on top.
type world struct {
	fs    FS
	nodes map[string][]node
	// kids are the names below a directory that have nodes.
	kids  map[string][]string
	infos map[string]Info
	bad   map[string]bool
	lists map[string][]string
	// real caches resolved directories until a link may have changed.
	real map[string][]string
	// names and bytes are what may still be read.
	names, bytes int
	late         func() bool
	over         bool
}

const (
	maxNames = 100_000
	maxBytes = 10 << 20
	// maxNULs is how many NUL bytes a file may have that is read as text.
	maxNULs = 10_000
)

func newWorld(ctx *Context) *world {
	return &world{
		fs: ctx.FS, nodes: map[string][]node{}, kids: map[string][]string{},
		infos: map[string]Info{}, bad: map[string]bool{}, lists: map[string][]string{}, real: map[string][]string{},
		names: maxNames, bytes: maxBytes, late: ctx.Deadline,
	}
}

// spend takes n names from the budget and reports whether they were there.
func (w *world) spend(n int) bool {
	w.names -= n
	if w.names < 0 || w.late != nil && w.late() {
		w.over = true
	}
	return !w.over
}

// disk is what lay at path before the call. known is false when it cannot be
// told.
func (w *world) disk(path string) (info Info, known bool) {
	if hasHole(path) {
		return Info{Type: '-'}, !isWild(path)
	}
	if info, ok := w.infos[path]; ok {
		return info, !w.bad[path]
	}
	if w.fs == nil {
		return Info{Type: '-'}, false
	}
	if !w.spend(1) {
		return Info{Type: '?'}, false
	}
	info, err := w.fs.Lstat(path)
	if err != nil {
		info, w.bad[path] = Info{Type: '?'}, true
	}
	w.infos[path] = info
	return info, err == nil
}

// at gives everything that may be at path, whose parents hold no links.
func (w *world) at(path string) []node {
	if len(w.nodes) == 0 {
		return []node{{kind: 'o', at: path}}
	}
	if n, ok := w.nodes[path]; ok {
		return n
	}
	if path == "/" || path == "" {
		return []node{{kind: 'o', at: path}}
	}
	dir, base := splitPath(path)
	if dir == path {
		return []node{{kind: 'o', at: path}}
	}
	var out []node
	for _, p := range w.at(dir) {
		if p.kind == 'o' {
			out = addNode(out, node{kind: 'o', at: joinPath(p.at, base), copied: p.copied})
			continue
		}
		out = addNode(out, node{kind: '-'})
	}
	return out
}

func addNode(list []node, n node) []node {
	for _, have := range list {
		if have == n {
			return list
		}
	}
	return append(list, n)
}

// typeOf is the type of a node in terms of Info.Type; '?' when not known.
func (w *world) typeOf(n node) byte {
	if n.kind != 'o' {
		return n.kind
	}
	info, _ := w.disk(n.at)
	return info.Type
}

// put says what is at path from now on: n, and with may also what was there.
func (w *world) put(path string, n node, may bool) {
	var list []node
	if may {
		list = append(list, w.at(path)...)
	} else {
		w.forget(path)
	}
	list = addNode(slices.Clip(list), n)
	w.nodes[path] = list
	dir, base := splitPath(path)
	if !slices.Contains(w.kids[dir], base) {
		w.kids[dir] = append(w.kids[dir], base)
	}
	if n.kind == 'l' || n.kind == 'o' || n.kind == '-' {
		clear(w.real)
	}
}

// fill lets n be at path wherever nothing is.
func (w *world) fill(path string, n node) {
	var list []node
	for _, have := range w.at(path) {
		if w.typeOf(have) == '-' {
			have = n
		}
		list = addNode(list, have)
	}
	w.nodes[path] = list
}

// graft makes dst what src is, with everything that was said of things below
// it. With may dst may also stay what it was.
func (w *world) graft(src, dst string, copied, may bool) {
	if src == dst || strings.HasPrefix(dst, src+"/") {
		return
	}
	nodes := w.at(src)
	kids := slices.Clone(w.kids[src])
	for i, n := range nodes {
		if n.kind == '-' && len(nodes) > 1 {
			continue
		}
		n.copied = n.copied || copied
		w.put(dst, n, may || i > 0)
	}
	for _, k := range kids {
		w.graft(joinPath(src, k), joinPath(dst, k), copied, may)
	}
}

// forget drops what was said of things below path.
func (w *world) forget(path string) {
	for _, k := range w.kids[path] {
		below := joinPath(path, k)
		w.forget(below)
		delete(w.nodes, below)
	}
	delete(w.kids, path)
}

// holdsMoved reports whether something that was moved from elsewhere may be at
// path or below it.
func (w *world) holdsMoved(path string) bool {
	for _, n := range w.at(path) {
		if n.kind == 'o' && !n.copied && n.at != path {
			return true
		}
	}
	for _, k := range w.kids[path] {
		if w.holdsMoved(joinPath(path, k)) {
			return true
		}
	}
	return false
}

// list names what may be in the directory path, sorted. ok is false when that
// is not known.
func (w *world) list(path string) (names []string, ok bool) {
	seen := map[string]bool{}
	for _, n := range w.at(path) {
		if n.kind != 'o' {
			continue
		}
		entries, ok := w.readDir(n.at)
		if !ok {
			return nil, false
		}
		for _, e := range entries {
			if !seen[e] {
				seen[e] = true
				names = append(names, e)
			}
		}
	}
	for _, k := range w.kids[path] {
		if !seen[k] && !hasHole(k) {
			names = append(names, k)
		}
	}
	kept := names[:0:0]
	for _, k := range names {
		if w.mayExist(joinPath(path, k)) {
			kept = append(kept, k)
		}
	}
	sort.Strings(kept)
	return kept, true
}

// empty reports whether a directory is empty; it is not sure when that depends
// on what earlier parts of the line really took away.
func (w *world) empty(path string) (empty, sure bool) {
	names, ok := w.list(path)
	if !ok {
		return false, false
	}
	for _, n := range names {
		if !strings.Contains(w.kinds(joinPath(path, n)), "-") {
			return false, true
		}
	}
	return true, len(names) == 0
}

func (w *world) readDir(path string) ([]string, bool) {
	if hasHole(path) {
		return nil, true
	}
	if l, ok := w.lists[path]; ok {
		return l, l != nil
	}
	if w.fs == nil || w.over {
		return nil, false
	}
	if info, known := w.disk(path); !known || info.Type != 'd' {
		return nil, known
	}
	l, err := w.fs.ReadDir(path)
	if err != nil {
		w.lists[path] = nil
		return nil, false
	}
	if !w.spend(len(l)) {
		return nil, false
	}
	if l == nil {
		l = []string{}
	}
	w.lists[path] = l
	return l, true
}

// mayExist reports whether something may be at path. What a listing of the
// disk named needs no second look.
func (w *world) mayExist(path string) bool {
	if len(w.nodes) == 0 {
		return true
	}
	for _, n := range w.at(path) {
		if n.kind == 'o' {
			if n.at == path {
				return true
			}
			if info, _ := w.disk(n.at); info.Type != '-' {
				return true
			}
			continue
		}
		if n.kind != '-' {
			return true
		}
	}
	return false
}

// content is what a file at path (no links in it) holds.
func (w *world) content(path string) (value, bool) {
	var out value
	for _, n := range w.at(path) {
		switch {
		case n.kind == 'f' && n.content != nil:
			out = out.orNew(*n.content)
		case n.kind == 'f':
			return value{}, false
		case n.kind == 'o':
			data, ok := w.readFile(n.at)
			if !ok {
				return value{}, false
			}
			out = out.orNew(known(string(data)))
		}
	}
	return out, len(out.strs) > 0
}

func (w *world) readFile(path string) ([]byte, bool) {
	info, ok := w.disk(path)
	if !ok || info.Type != 'f' || info.Size > int64(w.bytes) || hasHole(path) || w.over {
		return nil, false
	}
	data, err := w.fs.ReadFile(path, int64(w.bytes))
	if err != nil {
		return nil, false
	}
	w.bytes -= len(data)
	if n := bytes.Count(data, []byte{0}); n > maxNULs {
		return nil, false
	} else if n > 0 {
		data = bytes.ReplaceAll(data, []byte{0}, []byte(nulHole))
	}
	return data, true
}

// orNew is v or w, where an empty v is no string at all.
func (v value) orNew(w value) value {
	if len(v.strs) == 0 {
		return value{strs: w.raw(), loose: w.loose}
	}
	return v.or(w)
}

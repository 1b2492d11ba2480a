package classify

import "strings"

// places gives what each string of w may name, as targets. What cannot be told
// is refused as verb ("delete"), with the word as the reader wrote it.
func (inv *Invocation) places(w Word, follow bool, verb string) []target {
	var out []target
	for _, s := range w.val.all() {
		if s == "" {
			continue
		}
		for _, full := range inv.concrete(s) {
			got, ok := inv.ev.world.resolve(full, follow)
			if !ok {
				inv.unresolvedOperand(w, s, verb)
				continue
			}
			out = append(out, got...)
		}
	}
	return out
}

// concrete makes an absolute path of s; parts of one name that are not known
// are matched against what is there.
func (inv *Invocation) concrete(s string) []string {
	full := absolute(inv.dir, s)
	if isWild(full) || !holeKind(full, holeDigits) && !holeKind(full, holeName) {
		return []string{full}
	}
	names, ok := inv.ev.matchHoles(full)
	if !ok {
		return []string{anyHole}
	}
	return append(names, full)
}

func (inv *Invocation) unresolvedOperand(w Word, s, verb string) {
	src := cutText(w.Source(), 80)
	if isWild(inv.dir) && !isWild(s) {
		inv.part.unresolved("what "+inv.name+" would "+verb+" is not known: the directory it runs in is not",
			"give "+src+" as an absolute path", w.posOr(inv.pos))
		return
	}
	inv.part.unresolved("what "+inv.name+" would "+verb+" is not known: "+src+" cannot be told before it runs",
		instead(s), w.posOr(inv.pos))
}

// instead proposes a form that could be armed for an operand with a part that
// is not known.
func instead(s string) string {
	if at := strings.IndexByte(s, holeMark); at > 1 && strings.Contains(s[:at], "/") {
		return "write the path out in full; its known part is " + cutText(s[:at], 80)
	}
	return "write the path out in full"
}

func (w Word) posOr(p Pos) Pos {
	if w.pos.Line == 0 {
		return p
	}
	return w.pos
}

// had reports whether something lay at t before the call, and what.
func (inv *Invocation) had(t target) (Info, bool) {
	if hasHole(t.path) {
		return Info{Type: '-'}, false
	}
	info, known := inv.ev.world.disk(t.path)
	return info, !known || info.Type != '-'
}

// may reports whether changes to the overlay are only possible ones.
func (inv *Invocation) may() bool { return inv.ev.cond > 0 || inv.maybe }

// add adds an effect. What has no name before the call runs is new: there is
// nothing to put back, and nothing to name.
func (inv *Invocation) add(e Effect, w Word) {
	if hasHole(e.Path) {
		inv.part.reasonOnce("makes or changes something new: " + showHoles(e.Path))
		return
	}
	e.By, e.Pos, e.May = inv.name, w.posOr(inv.pos), w.may
	inv.part.effect(e)
}

func (inv *Invocation) delete(w Word, tree bool) {
	slash := strings.HasSuffix(w.val.prefix()+w.val.suffix(), "/") && len(w.val.all()) == 1
	targets := inv.places(w, false, "delete")
	if slash && tree {
		// x/ is what x leads to; x itself goes where the program strips slashes.
		bare := w
		bare.val = w.val.each(func(s string) string { return strings.TrimRight(s, "/") })
		if one, ok := bare.One(); !ok || one != "" {
			targets = append(targets, inv.places(bare, false, "delete")...)
		}
	}
	for _, t := range targets {
		inv.deleteAt(t, w, tree)
	}
}

func (inv *Invocation) deleteAt(t target, w Word, tree bool) {
	world := inv.ev.world
	info, existed := inv.had(t)
	kinds := world.kinds(t.path)
	if kinds == "-" {
		return
	}
	if !tree && kinds == "d" {
		if empty, sure := world.empty(t.path); sure && !empty {
			return
		}
	}
	moved := world.holdsMoved(t.path)
	if existed || moved {
		if isDevice(info.Type) {
			inv.part.refuse(t.path+" is a device", "", w.posOr(inv.pos))
			return
		}
		inv.add(Effect{Kind: Delete, Path: t.path, Tree: tree && (info.Type == 'd' || info.Type == '?' || moved)}, w)
	}
	if tree || kinds != "d" || existed {
		world.put(t.path, node{kind: '-'}, true)
	}
}

func isDevice(t byte) bool { return t == 'c' || t == 'b' }

// sink says whether writing to path loses nothing.
func isStream(path string) bool {
	switch path {
	case "/dev/null", "/dev/tty", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/full", "/dev/zero", "/dev/random", "/dev/urandom":
		return true
	}
	return strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/dev/tcp/") ||
		strings.HasPrefix(path, "/dev/udp/") || strings.HasPrefix(path, "/proc/self/fd/") || strings.HasPrefix(path, "/dev/pts/")
}

func (inv *Invocation) write(w Word, add bool) {
	if s, ok := w.One(); ok && isStream(s) {
		return
	}
	for _, t := range inv.places(w, true, "overwrite") {
		inv.writeAt(t, w, add, nil)
	}
}

// writeAt changes the content of one file. content is what it holds afterwards,
// nil when that is not known.
func (inv *Invocation) writeAt(t target, w Word, add bool, content *value) {
	if isStream(t.path) {
		return
	}
	world := inv.ev.world
	info, existed := inv.had(t)
	kinds := world.kinds(t.path)
	switch {
	case kinds == "d":
		return
	case existed && isDevice(info.Type):
		inv.part.refuse(t.path+" is a device", "", w.posOr(inv.pos))
		return
	case existed && (info.Type == 'p' || info.Type == 's'):
		inv.barrier("writes into " + t.path)
		return
	case existed && info.Type == 'd':
		// It was a directory; what is written to now came after it.
	case existed || world.holdsMoved(t.path):
		inv.add(Effect{Kind: Overwrite, Path: t.path, InPlace: true}, w)
	case !t.fresh:
		inv.add(Effect{Kind: Create, Path: t.path}, w)
	}
	if add {
		content = inv.appended(t.path, kinds, content)
	}
	may := inv.may() || strings.ContainsAny(kinds, "?dl")
	world.put(t.path, node{kind: 'f', content: content}, may)
}

// appended is the content of a file after more was added to it.
func (inv *Invocation) appended(path, kinds string, more *value) *value {
	if more == nil {
		return nil
	}
	if kinds == "-" {
		return more
	}
	old, ok := inv.ev.world.content(path)
	if !ok {
		return nil
	}
	v := old.concat(*more)
	return &v
}

func (inv *Invocation) replace(w Word) {
	if s, ok := w.One(); ok && isStream(s) {
		if s == "/dev/null" {
			inv.part.refuse(s+" is a device", "", w.posOr(inv.pos))
		}
		return
	}
	for _, t := range inv.places(w, false, "replace") {
		inv.replaceAt(t, w, node{kind: 'f'})
	}
}

// replaceAt puts n where t is.
func (inv *Invocation) replaceAt(t target, w Word, n node) {
	info, existed := inv.had(t)
	world := inv.ev.world
	switch {
	case existed && isDevice(info.Type):
		inv.part.refuse(t.path+" is a device", "", w.posOr(inv.pos))
		return
	case existed || world.holdsMoved(t.path):
		inv.add(Effect{Kind: Overwrite, Path: t.path, Tree: info.Type == 'd' || info.Type == '?'}, w)
	case !t.fresh:
		inv.add(Effect{Kind: Create, Path: t.path}, w)
	}
	world.put(t.path, n, inv.may())
}

func (inv *Invocation) create(w Word, tree bool) {
	for _, t := range inv.places(w, true, "create") {
		inv.createAt(t, w, tree)
	}
}

func (inv *Invocation) createAt(t target, w Word, tree bool) {
	n := node{kind: 'f'}
	if tree {
		n.kind = 'd'
	}
	kinds := inv.ev.world.kinds(t.path)
	if isStream(t.path) || strings.Trim(kinds, "-") != "" {
		if strings.Contains(kinds, "-") && !inv.may() {
			inv.ev.world.fill(t.path, n)
		}
		return
	}
	if _, existed := inv.had(t); !existed && !t.fresh {
		inv.add(Effect{Kind: Create, Path: t.path, Tree: tree}, w)
	}
	inv.ev.world.put(t.path, n, inv.may())
}

func (inv *Invocation) mkdir(w Word, parents bool) {
	inv.Output(nil)
	sure := true
	for _, t := range inv.places(w, true, "create") {
		dir, _ := splitPath(t.path)
		kinds := inv.ev.world.kinds(t.path)
		if parents && dir != t.path {
			inv.mkdirAbove(dir, w)
		}
		above := inv.ev.world.kinds(dir)
		sure = sure && (kinds == "-" || parents && kinds == "d") && above == "d"
		inv.createAt(t, w, true)
	}
	if sure && !w.val.wild() {
		inv.Succeed()
	}
}

// mkdirAbove makes the missing directories from the top down.
func (inv *Invocation) mkdirAbove(dir string, w Word) {
	up, base := splitPath(dir)
	if base == "" || strings.Trim(inv.ev.world.kinds(dir), "-") != "" {
		return
	}
	inv.mkdirAbove(up, w)
	inv.createAt(target{path: dir, fresh: holeKind(dir, holeFresh)}, w, true)
}

func (inv *Invocation) overwrite(w Word, tree bool) {
	for _, t := range inv.places(w, true, "overwrite") {
		info, existed := inv.had(t)
		switch {
		case existed:
			inv.add(Effect{Kind: Overwrite, Path: t.path, Tree: tree && info.Type != 'f', InPlace: true}, w)
		case !t.fresh && strings.Trim(inv.ev.world.kinds(t.path), "-") == "":
			inv.add(Effect{Kind: Create, Path: t.path, Tree: tree}, w)
			inv.ev.world.put(t.path, node{kind: 'd'}, true)
		}
	}
}

func (inv *Invocation) metadata(w Word, tree, follow bool) {
	if s, ok := w.One(); ok && isStream(s) {
		return
	}
	for _, t := range inv.places(w, follow, "change") {
		info, existed := inv.had(t)
		if !existed && !inv.ev.world.holdsMoved(t.path) {
			continue
		}
		inv.add(Effect{Kind: Metadata, Path: t.path, Tree: tree && (info.Type == 'd' || info.Type == '?')}, w)
	}
}

func (inv *Invocation) pushEffect(dir string, p *Push) {
	inv.part.effect(Effect{Kind: RefUpdate, Path: dir, Remote: p, By: inv.name, Pos: inv.pos})
}

package classify

import "strings"

// move renames src to dst itself.
func (inv *Invocation) move(src, dst Word) {
	to := inv.places(dst, false, "replace")
	for _, s := range inv.places(src, false, "move") {
		for _, t := range to {
			inv.moveAt(s, t, src, dst)
		}
	}
}

func (inv *Invocation) moveAt(s, t target, src, dst Word) {
	world := inv.ev.world
	kinds := world.kinds(s.path)
	if kinds == "-" || s.path == t.path {
		return
	}
	if kinds == "d" && within(t.path, s.path) {
		// No directory goes into itself; what must stay is not even tried.
		if _, bad := inv.ev.protects(s.path, &Effect{Kind: Move, Path: s.path, Tree: true}); !bad {
			return
		}
	}
	info, existed := inv.had(s)
	old, replaced := inv.had(t)
	if replaced && isDevice(old.Type) || existed && isDevice(info.Type) {
		inv.part.refuse(t.path+" is a device", "", dst.posOr(inv.pos))
		return
	}
	if replaced || world.holdsMoved(t.path) {
		inv.add(Effect{Kind: Overwrite, Path: t.path, Tree: old.Type == 'd' || old.Type == '?'}, dst)
	}
	tree := info.Type == 'd' || info.Type == '?'
	switch {
	case !existed && !world.holdsMoved(s.path):
		if !replaced && !t.fresh {
			inv.add(Effect{Kind: Create, Path: t.path, Tree: kinds == "d"}, dst)
		}
	case hasHole(t.path):
		// Where it goes has no name yet, so it is put back from its bytes.
		inv.add(Effect{Kind: Delete, Path: s.path, Tree: tree}, src)
	default:
		inv.add(Effect{Kind: Move, Path: s.path, To: t.path, Tree: tree}, src)
	}
	world.graft(s.path, t.path, false, inv.may())
	world.put(s.path, node{kind: '-'}, true)
}

// maxShaky is how many names may come in question for a destination.
const maxShaky = 32

// copyInto decides where each source goes and lets it go there.
func (inv *Invocation) copyInto(src []Word, dst Word, o CopyOpts) {
	if dst.shaky && len(src) > 1 {
		// It may be missing, and then the name before it is the destination.
		if len(src) > maxShaky {
			inv.part.unresolved("which of these names is the destination of "+inv.name+" is not known before it runs",
				"name the destination at the end", dst.posOr(inv.pos))
			return
		}
		maybe := inv.maybe
		inv.maybe = true
		inv.copyInto(src[:len(src)-1], src[len(src)-1], o)
		defer func() { inv.maybe = maybe }()
	}
	for _, d := range inv.destinations(dst, o) {
		into := inv.enters(d, src, o)
		for _, w := range src {
			to := dst
			to.may = to.may || w.may
			if into != 'n' {
				inv.copyBelow(w, d, to, o)
			}
			if into != 'y' {
				inv.copyOnto(w, d, to, o)
			}
		}
	}
}

// destinations resolves dst; a link that leads to a directory is followed.
func (inv *Invocation) destinations(dst Word, o CopyOpts) []target {
	verb := "overwrite"
	found := inv.places(dst, true, verb)
	if o.NoTarget || o.Move || o.Replace || o.Link || o.Symlink {
		var out []target
		for _, t := range inv.places(dst, false, verb) {
			ends, ok := inv.ev.world.resolve(t.path, true)
			if ok && !o.NoTarget && len(ends) == 1 && strings.Contains(inv.ev.world.kinds(ends[0].path), "d") {
				out = append(out, ends[0])
				continue
			}
			out = append(out, t)
		}
		return out
	}
	return found
}

// enters says whether d is a directory to go into: 'y', 'n' or '?'.
func (inv *Invocation) enters(d target, src []Word, o CopyOpts) byte {
	kinds := inv.ev.world.kinds(d.path)
	switch {
	case o.NoTarget:
		return 'n'
	case o.Into || kinds == "d" || certain(src) > 1:
		return 'y'
	case len(src) > 1:
		// Names may be missing, so that only one source is left.
		return '?'
	case strings.ContainsAny(kinds, "d?"):
		return '?'
	case d.fresh && isHoleBase(d.path):
		// mktemp may have made a file or a directory.
		return '?'
	default:
		return 'n'
	}
}

func isHoleBase(path string) bool {
	_, base := splitPath(path)
	return hasHole(base)
}

// copyBelow lets the sources of w go to entries of the directory d.
func (inv *Invocation) copyBelow(w Word, d target, dst Word, o CopyOpts) {
	for _, s := range w.val.all() {
		base := lastName(s)
		if isWild(s) && isWild(base) {
			inv.copyUnknown(w, d, dst, o)
			continue
		}
		one := w
		one.val = known(s)
		t := target{path: joinPath(d.path, base), fresh: d.fresh || holeKind(base, holeFresh)}
		if base == "" || base == "." || base == ".." {
			t = d
		}
		inv.copyOnto(one, t, dst, o)
	}
}

// copyUnknown is a source of which not even the name is known.
func (inv *Invocation) copyUnknown(w Word, d target, dst Word, o CopyOpts) {
	if o.Move {
		inv.unresolvedOperand(w, w.val.all()[0], "move")
		return
	}
	if _, existed := inv.had(d); existed {
		inv.add(Effect{Kind: Overwrite, Path: d.path, Tree: true, InPlace: true}, dst)
	}
}

// lastName is the last element of a path, slashes at its end taken off.
func lastName(s string) string {
	s = strings.TrimRight(s, "/")
	return s[strings.LastIndexByte(s, '/')+1:]
}

// copyOnto lets the sources of w go to t itself.
func (inv *Invocation) copyOnto(w Word, t target, dst Word, o CopyOpts) {
	for _, full := range inv.holed(t) {
		inv.ontoOne(w, full, dst, o)
	}
}

// holed is t, and everything that is there already under a name that t may
// have.
func (inv *Invocation) holed(t target) []target {
	out := []target{t}
	if !holeKind(t.path, holeDigits) && !holeKind(t.path, holeName) {
		return out
	}
	names, _ := inv.ev.matchHoles(t.path)
	for _, n := range names {
		out = append(out, target{path: n})
	}
	return out
}

func (inv *Invocation) ontoOne(w Word, t target, dst Word, o CopyOpts) {
	world := inv.ev.world
	if o.Backup != "" && !o.NoClobber && strings.Trim(world.kinds(t.path), "-") != "" {
		inv.replaceAt(target{path: t.path + o.Backup, fresh: t.fresh}, dst, node{kind: 'f'})
	}
	if o.Symlink {
		inv.linkOnto(w, t, dst, o)
		return
	}
	for _, s := range w.val.all() {
		if isWild(absolute(inv.dir, s)) {
			inv.unknownOnto(w, s, t, dst, o)
			continue
		}
		sources, _ := world.resolve(absolute(inv.dir, s), o.Deref && !o.Move || !o.Move && !o.Recursive && !o.Link)
		for _, from := range sources {
			if strings.Trim(world.kinds(from.path), "-") == "" && !from.fresh && !hasHole(from.path) {
				continue
			}
			one := w
			one.val = known(s)
			inv.transfer(from, t, one, dst, o)
		}
	}
}

// unknownOnto is a source of which the path is not known.
func (inv *Invocation) unknownOnto(w Word, s string, t target, dst Word, o CopyOpts) {
	switch {
	case o.Move:
		inv.unresolvedOperand(w, s, "move")
	case o.NoClobber:
		inv.createAt(t, dst, o.Recursive)
	case o.Recursive:
		if _, existed := inv.had(t); existed {
			inv.add(Effect{Kind: Overwrite, Path: t.path, Tree: true, InPlace: true}, dst)
			return
		}
		inv.createAt(t, dst, true)
	default:
		inv.writeAt(t, dst, false, nil)
	}
}

// transfer moves or copies one thing to one place.
func (inv *Invocation) transfer(from, t target, w, dst Word, o CopyOpts) {
	world := inv.ev.world
	kinds, there := world.kinds(from.path), world.kinds(t.path)
	if o.NoClobber && strings.Trim(there, "-") != "" && !(strings.Contains(kinds, "d") && !o.Move) {
		if !strings.Contains(there, "-") {
			return
		}
	}
	switch {
	case o.Move:
		if there == "d" && kinds == "f" {
			return
		}
		inv.moveAt(from, t, w, dst)
	case strings.Contains(kinds, "d") && !o.Link:
		if o.Recursive {
			inv.copyTree(from, t, dst, o, 0)
		}
	case o.Link:
		if o.Replace || there == "-" {
			inv.replaceAt(t, dst, node{kind: 'l', target: from.path, hard: true})
		}
	case o.Replace || o.Recursive && strings.Contains(there, "l"):
		inv.replaceAt(t, dst, node{kind: 'f'})
		world.graft(from.path, t.path, true, inv.may())
	default:
		inv.copyFile(from, t, dst)
	}
}

// copyFile writes the content of from into what t leads to.
func (inv *Invocation) copyFile(from, t target, dst Word) {
	ends, ok := inv.ev.world.resolve(t.path, true)
	if !ok {
		inv.unresolvedOperand(dst, t.path, "overwrite")
		return
	}
	for _, end := range ends {
		end.fresh = end.fresh || t.fresh
		if end.path == from.path {
			continue
		}
		inv.writeAt(end, dst, false, nil)
		if inv.ev.world.kinds(from.path) == "f" && !strings.Contains(inv.ev.world.kinds(end.path), "d") {
			inv.ev.world.graft(from.path, end.path, true, inv.may())
		}
	}
}

// maxMerge is how many entries a copied directory may have before the whole
// destination counts as overwritten.
const maxMerge = 2000

// copyTree merges a directory into t.
func (inv *Invocation) copyTree(from, t target, dst Word, o CopyOpts, depth int) {
	world := inv.ev.world
	there := strings.Trim(world.kinds(t.path), "-")
	if there == "" {
		inv.createAt(t, dst, true)
		world.graft(from.path, t.path, true, inv.may())
		return
	}
	names, ok := world.list(from.path)
	inv.merged += len(names)
	if !ok || inv.merged > maxMerge || depth > 64 {
		if _, existed := inv.had(t); existed {
			inv.add(Effect{Kind: Overwrite, Path: t.path, Tree: true, InPlace: true}, dst)
		}
		return
	}
	for _, n := range names {
		below := target{path: joinPath(from.path, n), fresh: from.fresh}
		inv.transfer(below, target{path: joinPath(t.path, n), fresh: t.fresh}, dst, dst, o)
	}
}

// linkOnto makes a symbolic link at t.
func (inv *Invocation) linkOnto(w Word, t target, dst Word, o CopyOpts) {
	there := inv.ev.world.kinds(t.path)
	if strings.Trim(there, "-") != "" && !o.Replace {
		return
	}
	if there == "d" {
		return
	}
	for i, s := range w.val.all() {
		if isWild(s) {
			s = ""
		}
		n := node{kind: 'l', target: s}
		if i == 0 {
			inv.replaceAt(t, dst, n)
			continue
		}
		inv.ev.world.put(t.path, n, true)
	}
}

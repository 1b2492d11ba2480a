package classify

import "strings"

func applyPatch(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	if inv.Has("dry-run") {
		inv.Inert("only tries")
		return
	}
	inv.Inert("changes nothing")
	dir := inv.Dir()
	if d, ok := inv.Value("d", "directory"); ok {
		dir = under(dir, d)
	}
	for _, w := range inv.Values("o", "output", "r", "reject-file") {
		inv.Write(under(dir, w))
	}
	ws := inv.Operands()
	if len(ws) > 0 {
		patched(inv, under(dir, ws[0]))
		return
	}
	var files []Word
	if w, ok := inv.Value("i", "input"); ok {
		files = append(files, under(dir, w))
	}
	t := inputOf(inv, files)
	strip := -1
	if w, ok := inv.Value("p", "strip"); ok {
		if s, _ := w.One(); isDigits(s) && len(s) < 4 {
			strip = decimal(s)
		}
	}
	names := diffNames(t.s)
	if !t.ok || len(names) == 0 {
		inv.Opaque("the diff is not known")
		return
	}
	for _, n := range names {
		for _, v := range stripped(n, strip) {
			patched(inv, under(dir, inv.Lit(v)))
		}
	}
}

// patched is one file that a diff changes, with the copies patch may keep.
func patched(inv *Invocation, w Word) {
	inv.Replace(w)
	for _, suffix := range []string{".orig", ".rej"} {
		side := w
		side.val = w.val.concat(known(suffix))
		inv.Replace(side)
	}
}

// diffNames are the file names in the headers of a diff.
func diffNames(diff string) []string {
	var out []string
	for l := range strings.SplitSeq(diff, "\n") {
		name := ""
		for _, head := range []string{"--- ", "+++ ", "*** ", "Index: ", "rename from ", "rename to ", "copy to "} {
			if rest, ok := strings.CutPrefix(l, head); ok {
				name = rest
			}
		}
		if git, ok := strings.CutPrefix(l, "diff --git "); ok {
			for _, f := range strings.Fields(git) {
				out = addName(out, f)
			}
		}
		name, _, _ = strings.Cut(strings.TrimSuffix(name, "\r"), "\t")
		if strings.HasSuffix(name, " ****") || name == "/dev/null" {
			continue
		}
		out = addName(out, name)
	}
	return out
}

func addName(list []string, name string) []string {
	if name == "" || isOneOf(name, list) {
		return list
	}
	return append(list, name)
}

// stripped are the names that a header's name can stand for: n leading parts
// taken off, or when n is not given the whole name and its last part.
func stripped(name string, n int) []string {
	if n < 0 {
		_, base, found := cutLast(name)
		if !found {
			return []string{name}
		}
		out := []string{name, base}
		if _, rest, ok := strings.Cut(name, "/"); ok {
			out = append(out, rest)
		}
		return out
	}
	for ; n > 0; n-- {
		_, rest, ok := strings.Cut(name, "/")
		if !ok {
			return nil
		}
		name = strings.TrimLeft(rest, "/")
	}
	return []string{name}
}

func cutLast(p string) (dir, base string, ok bool) {
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return "", p, false
	}
	return p[:i], p[i+1:], true
}

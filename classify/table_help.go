package classify

import (
	"path"
	"strings"
)

// asksHelp reports that the call only prints help or its version, and says so.
func asksHelp(inv *Invocation) bool {
	if inv.Has("help", "version") {
		inv.Inert("prints help")
		return true
	}
	return false
}

// readsOnly is the Apply of a program that writes nothing but its output.
func readsOnly(inv *Invocation) { inv.Inert("only reads") }

// deleteAll removes every word of ws.
func deleteAll(inv *Invocation, ws []Word, tree bool) {
	if asksHelp(inv) {
		return
	}
	inv.Inert("nothing named that is there")
	for _, w := range ws {
		inv.Delete(w, tree)
	}
}

// writeAll overwrites every word of ws, in place and through links.
func writeAll(inv *Invocation, ws []Word) {
	inv.Inert("nothing named to write")
	for _, w := range ws {
		inv.Write(w)
	}
}

// replaceAll gives every word of ws a new inode.
func replaceAll(inv *Invocation, ws []Word) {
	inv.Inert("nothing named to write")
	for _, w := range ws {
		inv.Replace(w)
	}
}

// onlyDirs reports that everything w may name is or leads to a directory.
func onlyDirs(inv *Invocation, w Word) bool { return areAll(w, 'd', inv.Stat) }

// areAll reports that everything w may name is there and has a type.
func areAll(w Word, kind byte, look func(string) (Info, bool)) bool {
	values, known := w.Known()
	for _, v := range values {
		if info, ok := look(v); !ok || info.Type != kind {
			return false
		}
	}
	return known && len(values) > 0
}

// texts are the values of ws, if each has exactly one.
func texts(ws []Word) ([]string, bool) {
	out := make([]string, 0, len(ws))
	for _, w := range ws {
		s, ok := w.One()
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

// firstKnown is the first word's only value.
func firstKnown(ws []Word) (string, bool) {
	if len(ws) == 0 {
		return "", false
	}
	return ws[0].One()
}

// parentOf is the directory part of a path as it is spelled; empty when it has
// none.
func parentOf(p string) string {
	p = strings.TrimRight(p, "/")
	dir := strings.TrimRight(path.Dir(p), "/")
	if dir == "." || dir == p {
		return ""
	}
	return dir
}

// beginsWith reports whether everything w can be begins with prefix.
func beginsWith(w Word, prefix string) bool { return strings.HasPrefix(w.Prefix(), prefix) }

// under is w as a program sees it that works in dir: dir/w, unless w is
// absolute.
func under(dir, w Word) Word {
	if beginsWith(w, "/") {
		return w
	}
	w.val = dir.val.concat(known("/")).concat(w.val)
	return w
}

// quietly says that the call prints nothing, unless it was asked to.
func quietly(inv *Invocation) {
	if !inv.Has("v", "verbose", "c", "changes", "debug") {
		inv.Output(nil)
	}
}

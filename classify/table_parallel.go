package classify

import (
	"path"
	"strings"
)

func applyParallel(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	if inv.Has("dry-run") {
		inv.Inert("only prints the commands")
		return
	}
	cmd, sources, files := parallelSources(inv.Operands())
	items, ok := parallelItems(inv, sources, files)
	if !ok || len(items) > batches {
		items = []Word{inv.UnknownWord("what parallel reads")}
	}
	inv.Inert("runs nothing")
	for _, item := range items {
		inv.RunScript(parallelLine(inv, cmd, item))
	}
}

// parallelSources splits "cmd ::: a b ::: c" into the command, the lists
// behind ":::" and the files behind "::::".
func parallelSources(ops []Word) (cmd []Word, lists [][]Word, files []Word) {
	kind := ""
	for _, w := range ops {
		switch {
		case w.Is(":::", ":::+"):
			kind = ":::"
			lists = append(lists, nil)
		case w.Is("::::", "::::+"):
			kind = "::::"
		case kind == ":::":
			lists[len(lists)-1] = append(lists[len(lists)-1], w)
		case kind == "::::":
			files = append(files, w)
		default:
			cmd = append(cmd, w)
		}
	}
	return cmd, lists, files
}

// parallelItems are the arguments that the line runs for; several lists are
// not followed.
func parallelItems(inv *Invocation, lists [][]Word, files []Word) ([]Word, bool) {
	if inv.Has("C", "colsep", "d", "delimiter", "N", "max-replace-args", "n", "max-args") {
		return nil, false
	}
	if w, ok := inv.Value("a", "arg-file"); ok {
		files = append(files, w)
	}
	switch {
	case len(lists) == 1 && len(files) == 0:
		return lists[0], true
	case len(lists) == 0 && len(files) <= 1:
		text, ok := parallelInput(inv, files)
		sep := "\n"
		if inv.Has("0", "null") {
			sep = "\x00"
		}
		var out []Word
		for _, s := range splitTerminated(text, sep) {
			out = append(out, inv.Lit(s))
		}
		return out, ok
	default:
		return nil, false
	}
}

func parallelInput(inv *Invocation, files []Word) (string, bool) {
	if len(files) == 0 {
		t := textOf(inv.StdinWord())
		return t.s, t.ok
	}
	name, ok := files[0].One()
	if !ok {
		return "", false
	}
	data, ok := inv.Read(name)
	return string(data), ok
}

// parallelLine is the shell line for one argument. Without a command the
// argument itself is the line.
func parallelLine(inv *Invocation, cmd []Word, item Word) Word {
	if len(cmd) == 0 {
		return item
	}
	s, ok := item.One()
	if !ok {
		s = anyHole
	}
	line, marked := known(""), false
	for i, w := range cmd {
		if i > 0 {
			line = line.concat(known(" "))
		}
		text, _ := w.One()
		if inv.Has("q", "quote") {
			text = shellQuote(text)
		}
		for _, r := range [...]struct{ mark, value string }{
			{"{//}", path.Dir(s)},
			{"{/.}", stripExt(path.Base(s))},
			{"{/}", path.Base(s)},
			{"{.}", stripExt(s)},
			{"{1}", s},
			{"{}", s},
		} {
			if strings.Contains(text, r.mark) {
				marked = true
				text = strings.ReplaceAll(text, r.mark, quoteUnlessHole(r.value))
			}
		}
		if _, ok := w.One(); !ok {
			text = anyHole
		}
		line = line.concat(known(text))
	}
	if !marked {
		line = line.concat(known(" " + quoteUnlessHole(s)))
	}
	return Word{val: line, pos: inv.pos}
}

func stripExt(s string) string { return strings.TrimSuffix(s, path.Ext(s)) }

// shellQuote writes s so that a shell reads it as one word.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func quoteUnlessHole(s string) string {
	if hasHole(s) {
		return anyHole
	}
	return shellQuote(s)
}

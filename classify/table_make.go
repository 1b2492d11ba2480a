package classify

import "strings"

// makeModels only make things that are not there yet.
func makeModels() []*Model {
	return []*Model{
		{
			Names: []string{"mkdir"}, Family: "make", Title: "Makes directories",
			Undo: "removes the directory if it is still empty", Class: Inert, Examples: []string{"mkdir -p a/b"},
			Options: &Grammar{Short: "m:pvZ", Long: []string{"mode=", "parents", "verbose", "context=?", "help", "version"}},
			Apply:   applyMkdir,
		},
		{
			Names: []string{"mkfifo", "mknod"}, Family: "make", Title: "Makes pipes and device nodes",
			Undo: "removes what was made", Class: Inert, Examples: []string{"mkfifo P", "mknod P p"},
			Options: &Grammar{Short: "m:Z", Long: []string{"mode=", "context=?", "help", "version"}},
			Apply: func(inv *Invocation) {
				if asksHelp(inv) {
					return
				}
				inv.Inert("makes new things only")
				ws := inv.Operands()
				if inv.Name() == "mknod" && len(ws) > 1 {
					ws = ws[:1]
				}
				for _, w := range ws {
					inv.Create(w, false)
				}
			},
		},
		{
			Names: []string{"mktemp", "tempfile"}, Family: "make", Title: "Makes a new temporary file or directory",
			Undo: "nothing to undo", Class: Inert, Examples: []string{"mktemp -d"},
			Options: &Grammar{Short: "dup:qtV", Long: []string{
				"directory", "dry-run", "tmpdir=?", "suffix=", "quiet", "help", "version",
			}},
			Apply: applyMktemp,
		},
	}
}

func applyMkdir(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	quietly(inv)
	inv.Inert("makes directories only")
	for _, w := range inv.Operands() {
		if !w.Unknown() {
			inv.Mkdir(w, inv.Has("p", "parents"))
		}
	}
}

// applyMktemp makes a path that was not there: its output is fresh. With -u
// nothing is made, and the name is as new.
func applyMktemp(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	inv.Inert("makes a new temporary path")
	dir := ""
	if w, ok := inv.Value("p", "tmpdir"); ok {
		dir, _ = w.One()
	}
	before, after := "tmp.", ""
	if t, ok := firstKnown(inv.Operands()); ok {
		at := strings.LastIndex(t, "XXX")
		if at >= 0 {
			before, after = strings.TrimRight(t[:at], "X"), t[at+len("XXX"):]
		}
		if i := strings.LastIndexByte(before, '/'); i >= 0 {
			dir, before = before[:i+1], before[i+1:]
		}
	}
	w := inv.FreshWord(dir, before, after)
	if inv.Has("d", "directory") {
		inv.Mkdir(w, false)
	}
	inv.OutputWord(w)
}

package classify

import "strings"

// removeModels are the tools whose purpose is to take files away.
func removeModels() []*Model {
	return []*Model{
		{
			Names: []string{"rm"}, Family: "remove", Title: "Removes files, with -r whole trees",
			Undo: "puts back every removed file, link and directory", Class: Invertible,
			Examples: []string{"rm F", "rm -rf D", "rm A B C", "rm -- -f"},
			Options: &Grammar{Short: "rRfiIdvPWx", Long: []string{
				"recursive", "force", "interactive=?", "one-file-system", "preserve-root=?",
				"no-preserve-root", "dir", "verbose", "help", "version",
			}},
			Apply: applyRm,
		},
		{
			Names: []string{"rmdir"}, Family: "remove", Title: "Removes empty directories",
			Undo: "makes the directory again, with mode, owner and times", Class: Invertible,
			Examples: []string{"rmdir D", "rmdir -p a/b/c"},
			Options:  &Grammar{Short: "pv", Long: []string{"ignore-fail-on-non-empty", "parents", "verbose", "help", "version"}},
			Apply:    applyRmdir,
		},
		{
			Names: []string{"unlink"}, Family: "remove", Title: "Removes one file",
			Undo: "puts the file back", Class: Invertible, Examples: []string{"unlink F"},
			Options: &Grammar{Long: []string{"help", "version"}},
			Apply:   func(inv *Invocation) { deleteAll(inv, inv.Operands(), false) },
		},
		{
			Names: []string{"shred", "srm", "wipe"}, Family: "remove", Title: "Overwrites files, then with -u removes them",
			Undo: "puts the captured bytes back; whoever shreds a secret also wants `counterstep forget`", Class: Invertible,
			Examples: []string{"shred -u F", "shred F"},
			Options: &Grammar{Short: "fn:s:uvxzrRl", Long: []string{
				"force", "iterations=", "size=", "remove=?", "verbose", "exact", "zero", "random-source=",
				"recursive", "help", "version",
			}},
			Apply: applyShred,
		},
		{
			Names: []string{"trash", "trash-put", "rmtrash"}, Family: "remove", Title: "Moves files to the desktop's trash",
			Undo: "puts back what was moved away", Class: Invertible, Examples: []string{"trash-put F"},
			Options: &Grammar{Short: "vFrfidR", Long: []string{"verbose", "trash-dir=", "force", "recursive", "directory", "interactive", "help", "version"}},
			Apply:   func(inv *Invocation) { deleteAll(inv, inv.Operands(), true) },
		},
		{
			Names: []string{"gio", "gvfs-trash", "gvfs-rm", "gvfs-move", "gvfs-copy"}, Family: "remove", Title: "Moves, copies and removes files for the desktop",
			Undo: "puts back what was moved away or replaced", Class: Invertible, Examples: []string{"gio trash F", "gio info F"},
			Apply: applyGio,
		},
		{
			Names: []string{"trash-empty"}, Family: "remove", Title: "Empties the desktop's trash",
			Undo: "puts the trash back", Class: Invertible, Examples: []string{"trash-empty"},
			Apply: func(inv *Invocation) { inv.Delete(inv.Home(".local/share/Trash"), true) },
		},
	}
}

// applyGio does gio VERB, and the older gvfs-VERB.
func applyGio(inv *Invocation) {
	args := inv.Args()
	verb, old := strings.CutPrefix(inv.Name(), "gvfs-")
	if !old {
		if len(args) == 0 {
			inv.Inert("prints help")
			return
		}
		verb, _ = args[0].One()
		args = args[1:]
	}
	var ws []Word
	for _, w := range args {
		if !strings.HasPrefix(w.Prefix(), "-") {
			ws = append(ws, w)
		}
	}
	switch verb {
	case "help", "version", "info", "list", "cat", "tree", "monitor":
		inv.Inert("only reads")
	case "open", "launch":
		inv.Barrier("something on the desktop")
	case "trash", "remove", "rm":
		deleteAll(inv, ws, false)
		if verb == "trash" {
			deleteAll(inv, ws, true)
		}
	case "copy", "move":
		if len(ws) > 1 {
			inv.CopyInto(ws[:len(ws)-1], ws[len(ws)-1], CopyOpts{Move: verb == "move", Replace: true})
			return
		}
		inv.Inert("names no destination")
	default:
		inv.Opaque("what this verb of gio changes is not followed")
	}
}

func applyRm(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	quietly(inv)
	if inv.Has("r", "R", "recursive") {
		deleteAll(inv, inv.Operands(), true)
		return
	}
	for _, w := range inv.Operands() {
		if inv.Has("d", "dir") || !areAll(w, 'd', inv.Lstat) {
			inv.Delete(w, false)
		}
	}
}

func applyRmdir(inv *Invocation) {
	for _, w := range inv.Operands() {
		inv.Delete(w, false)
		if !inv.Has("p", "parents") {
			continue
		}
		values, known := w.Known()
		if !known {
			continue
		}
		for _, v := range values {
			for dir := parentOf(v); dir != ""; dir = parentOf(dir) {
				inv.Delete(inv.Lit(dir), false)
			}
		}
	}
}

func applyShred(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	for _, w := range inv.Operands() {
		if inv.Has("r", "R", "recursive") {
			inv.Delete(w, true)
			continue
		}
		inv.Write(w)
		if inv.Has("u", "remove") || inv.Name() == "srm" {
			inv.Delete(w, false)
		}
	}
}

package classify

import "strings"

// editModels change files in place.
func editModels() []*Model {
	return []*Model{
		{
			Names: []string{"sed", "gsed", "ssed"}, Family: "edit", Title: "Edits text; -i rewrites files, w writes one, e runs a command",
			Undo: "puts the old contents back", Class: Inert,
			Examples: []string{"sed 's/a/b/' F", "sed -i 's/a/b/' F", "sed -n 'w EXISTING' F"},
			Options: &Grammar{Short: "nbe:f:Ei::l:rsuzaI:", Long: []string{
				"quiet", "silent", "debug", "binary", "expression=", "file=", "follow-symlinks", "in-place=?", "line-length=", "posix",
				"regexp-extended", "separate", "sandbox", "unbuffered", "null-data", "zero-terminated", "help", "version",
			}},
			Apply: applySed,
		},
		{
			Names: []string{"ed", "red"}, Family: "edit", Title: "Edits a file by commands that it reads", Undo: "puts the old contents back",
			Class: Invertible, Examples: []string{"ed -s F"},
			Options: &Grammar{Short: "EGhlp:rsvV", Long: []string{
				"extended-regexp", "traditional", "help", "loose-exit-status", "prompt=", "restricted", "quiet", "silent", "script",
				"strip-trailing-cr", "verbose", "version",
			}},
			Apply: applyEd,
		},
		{
			Names: []string{"vi", "vim", "nvim", "ex", "view", "vimdiff", "rvim", "gvim"}, Family: "edit", Title: "Edits files; -c and + run editor commands",
			Undo: "puts the old contents back", Class: Invertible, Examples: []string{"ex -sc '%d|x' F", "vim -c '!rm F' -c q"},
			Apply: applyVim,
		},
		{
			Names: []string{"nano", "pico", "micro", "joe", "jed", "mcedit", "kak", "hx", "helix"}, Family: "edit", Title: "Edits files", Undo: "puts the old contents back",
			Class: Invertible, Examples: []string{"nano F"}, Apply: func(inv *Invocation) { writeAll(inv, plainArgs(inv)) },
		},
		{
			Names: []string{"patch", "gpatch"}, Family: "edit", Title: "Applies a diff", Undo: "puts the old contents back", Class: Invertible,
			Examples: []string{"patch -p1 < D.patch", "patch F D.patch"},
			Options: &Grammar{Short: "bB:cd:D:eEfF:g:i:lnNo:p:r:RstTuvV:xY:z:Z", Long: []string{
				"strip=", "fuzz=", "ignore-whitespace", "context", "ed", "normal", "unified", "merge=?", "forward", "reverse", "input=",
				"output=", "reject-file=", "ifdef=", "remove-empty-files", "set-utc", "set-time", "quoting-style=", "backup",
				"backup-if-mismatch", "no-backup-if-mismatch", "version-control=", "prefix=", "basename-prefix=", "suffix=", "batch",
				"force", "quiet", "silent", "verbose", "dry-run", "posix", "directory=", "reject-format=", "binary", "read-only=",
				"get=", "follow-symlinks", "help", "version",
			}},
			Apply: applyPatch,
		},
		{
			Names: []string{"rename", "prename", "file-rename", "perl-rename"}, Family: "edit", Title: "Renames files by a rule", Undo: "puts the files back under their old names",
			Class: Invertible, Examples: []string{"rename 's/a/b/' F", "rename a b F"},
			Options: &Grammar{Short: "vnofaliVhude:E:0sN:", Long: []string{
				"verbose", "no-act", "nono", "force", "symlink", "no-overwrite", "all", "last", "interactive", "man", "filename", "path",
				"fullpath", "nopath", "nofullpath", "null", "help", "version",
			}},
			Apply: applyRename,
		},
		{
			Names: []string{"dos2unix", "unix2dos", "mac2unix", "unix2mac"}, Family: "edit", Title: "Changes line ends in place",
			Undo: "puts the old contents back", Class: Invertible, Examples: []string{"dos2unix F"},
			Options: &Grammar{Short: "fkqlbsSFRLnoc:i::hV", Lenient: true, Long: []string{"convmode=", "info=?", "help", "version"}},
			Apply: func(inv *Invocation) {
				if inv.Has("i", "info", "help", "version") {
					inv.Inert("only reads")
					return
				}
				replaceAll(inv, inv.Operands())
			},
		},
		{
			Names: []string{"strip", "chrpath", "patchelf", "install_name_tool", "codesign", "upx"}, Family: "edit", Title: "Changes binaries in place",
			Undo: "puts the old contents back", Class: Invertible, Examples: []string{"strip F"},
			Apply: func(inv *Invocation) { replaceAll(inv, plainArgs(inv)) },
		},
	}
}

// plainArgs are the arguments that do not look like options.
func plainArgs(inv *Invocation) []Word {
	var out []Word
	for _, w := range inv.Args() {
		if p := w.Prefix(); !strings.HasPrefix(p, "-") && !strings.HasPrefix(p, "+") || p == "-" {
			out = append(out, w)
		}
	}
	return out
}

func applySed(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	inv.Inert("only prints")
	scripts, files := inv.Values("e", "expression"), inv.Operands()
	for _, f := range inv.Values("f", "file") {
		name, _ := f.One()
		if data, ok := inv.Read(name); ok {
			scripts = append(scripts, inv.Lit(string(data)))
		} else {
			inv.Opaque("a sed script that cannot be read")
			scripts = append(scripts, inv.Lit(""))
		}
	}
	inPlace := inv.Has("i", "in-place", "I")
	if len(files) > 0 && inPlace && files[0].Is("") {
		files = files[1:] // sed -i '' of BSD
	}
	if len(scripts) == 0 && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	for _, w := range scripts {
		sedScript(inv, w)
	}
	if inPlace {
		sedInPlace(inv, files)
	}
}

func sedInPlace(inv *Invocation, files []Word) {
	suffix, _ := inv.Value("i", "in-place", "I")
	for _, w := range files {
		if s, ok := suffix.One(); ok && s != "" && !strings.ContainsAny(s, "*/") {
			backup := w
			backup.val = w.val.concat(known(s))
			inv.Replace(backup)
		} else if !ok || s != "" {
			inv.Opaque("where sed keeps its backup is not followed")
		}
		if inv.Has("follow-symlinks") {
			inv.Write(w)
		} else {
			inv.Replace(w)
		}
	}
}

// sedScript adds what a script writes and runs.
func sedScript(inv *Invocation, w Word) {
	s, ok := w.One()
	if !ok {
		if sedHarmless(w) {
			return
		}
		inv.Opaque("a sed script that is not known")
		return
	}
	found := scanSed(s)
	if !found.ok {
		inv.NotUnderstood("the sed script is not understood")
		return
	}
	for _, f := range found.writes {
		inv.Write(inv.Lit(f))
	}
	for _, c := range found.runs {
		inv.RunScript(inv.Lit(c))
	}
	if found.evals {
		inv.RunScript(inv.UnknownWord("the text that sed runs"))
	}
}

// sedHarmless reports that a script is "s" with parts that are not known and
// cannot end it: a common form is s/…/$X/ with a value.
func sedHarmless(w Word) bool {
	for _, s := range w.val.all() {
		if len(s) < 4 || s[0] != 's' || !isPunct(s[1]) {
			return false
		}
		if n := strings.Count(s, s[1:2]); n != 3 || strings.Trim(s[strings.LastIndexByte(s, s[1])+1:], "gip0123456789") != "" {
			return false
		}
	}
	return true
}

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z')
}

func applyEd(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	writeAll(inv, inv.Operands())
	t := textOf(inv.StdinWord())
	if !t.ok {
		inv.Opaque("the commands that the editor reads are not known")
		return
	}
	for _, l := range t.lines() {
		l = strings.TrimSpace(l)
		switch _, name, named := strings.Cut(strings.TrimLeft(l, "0123456789,.$%"), " "); {
		case strings.HasPrefix(l, "!"):
			inv.RunScript(inv.Lit(l[1:]))
		case strings.Contains(l, "!"):
			inv.Opaque("an editor command may run a program")
		case named && strings.HasPrefix(strings.TrimLeft(l, "0123456789,.$%"), "w"):
			inv.Write(inv.Lit(strings.TrimSpace(name)))
		}
	}
}

// applyVim writes every file that is opened and follows the commands that are
// given with -c, --cmd and +.
func applyVim(inv *Invocation) {
	inv.Inert("names no file")
	args := inv.Args()
	for i := 0; i < len(args); i++ {
		s := args[i].Prefix()
		switch {
		case (s == "-c" || s == "--cmd" || strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "--") && strings.HasSuffix(s, "c")) && i+1 < len(args):
			i++
			vimCommand(inv, args[i])
		case strings.HasPrefix(s, "+"):
			vimCommand(inv, args[i].cut(1))
		case s == "-S" || s == "-s" && inv.Name() != "ex" || s == "-u":
			i++
			inv.Opaque("an editor script")
		case s == "-w" || s == "-W":
			i++
			if i < len(args) {
				inv.Write(args[i])
			}
		case strings.HasPrefix(s, "-") && s != "-":
		case inv.Name() == "view" || inv.Name() == "vimdiff":
		default:
			inv.Write(args[i])
		}
	}
	if inv.Name() == "ex" {
		if t := textOf(inv.StdinWord()); t.ok {
			for _, l := range t.lines() {
				vimCommand(inv, inv.Lit(strings.TrimSpace(l)))
			}
		}
	}
}

func vimCommand(inv *Invocation, w Word) {
	s, ok := w.One()
	if !ok {
		inv.Opaque("an editor command that is not known")
		return
	}
	for _, part := range strings.Split(s, "|") {
		part = strings.Trim(part, " :")
		switch {
		case part == "", isOneOf(part, []string{"q", "q!", "qa", "qa!", "x", "wq", "wq!", "w", "w!", "wa", "xa", "wqa", "%d", "set noswapfile"}), isDigits(part):
		case strings.HasPrefix(part, "!"):
			_, code, _ := strings.Cut(s, "!")
			inv.RunScript(inv.Lit(code))
			return
		case strings.HasPrefix(part, "%s/"), strings.HasPrefix(part, "s/"), strings.HasPrefix(part, "g/") && strings.HasSuffix(part, "/d"):
		default:
			inv.Opaque("an editor command")
		}
	}
}

func applyRename(inv *Invocation) {
	inv.Inert("names no file")
	ws := inv.Operands()
	if inv.Has("n", "no-act", "nono", "help", "version") || len(ws) < 2 {
		return
	}
	from, to, ok := "", "", false
	files := ws[1:]
	if rule, known := ws[0].One(); known && strings.HasPrefix(rule, "s/") {
		parts := strings.Split(rule, "/")
		ok = len(parts) == 4 && (parts[3] == "" || parts[3] == "g") && !strings.ContainsAny(parts[1], `\.*[]^$+?(){}|`)
		if ok {
			from, to = parts[1], parts[2]
		}
	} else if known && len(ws) > 2 && !strings.Contains(rule, "/") && !strings.Contains(rule, "(") {
		to, ok = ws[1].One()
		from, files = rule, ws[2:]
	}
	for _, w := range files {
		values, known := w.Known()
		if !ok || !known {
			inv.Delete(w, true)
			inv.Opaque("the new names are not followed")
			continue
		}
		for _, v := range values {
			if next := strings.Replace(v, from, to, 1); next != v {
				inv.Move(inv.Lit(v), inv.Lit(next))
			}
			if next := strings.ReplaceAll(v, from, to); strings.Count(v, from) > 1 {
				inv.Replace(inv.Lit(next))
			}
		}
	}
}

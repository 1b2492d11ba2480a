package classify

import "strings"

// copyModels put files where others may be.
func copyModels() []*Model {
	return []*Model{
		{
			Names: []string{"mv"}, Family: "copy", Title: "Renames or moves; replaces what is at the destination",
			Undo: "moves back by identity, or puts captured bytes back", Class: Invertible,
			Examples: []string{"mv A B", "mv A EXISTING", "mv *.bak D", "mv -t D A"},
			Options: &Grammar{Short: "bfinS:t:TuvZxh", Long: []string{
				"backup=?", "force", "interactive", "no-clobber", "no-copy", "exchange", "strip-trailing-slashes",
				"suffix=", "target-directory=", "no-target-directory", "update=?", "verbose", "context", "debug", "help", "version",
			}},
			Apply: applyMv,
		},
		{
			Names: []string{"cp", "gcp"}, Family: "copy", Title: "Copies; writes into what is at the destination",
			Undo: "puts the old contents back, removes what was made", Class: Invertible,
			Examples: []string{"cp A NEW", "cp A EXISTING", "cp -r D E", "cp /dev/null F"},
			Options: &Grammar{Short: "abdfHilLnPprRsS:t:TuvxZcX", Long: []string{
				"archive", "attributes-only", "backup=?", "copy-contents", "force", "interactive", "link", "dereference",
				"no-clobber", "no-dereference", "preserve=?", "no-preserve=", "parents", "recursive", "reflink=?",
				"remove-destination", "sparse=", "strip-trailing-slashes", "symbolic-link", "suffix=", "target-directory=",
				"no-target-directory", "update=?", "verbose", "one-file-system", "context=?", "debug",
				"keep-directory-symlink", "help", "version",
			}},
			Apply: applyCp,
		},
		{
			Names: []string{"install", "ginstall"}, Family: "copy", Title: "Copies and sets modes; replaces what is at the destination",
			Undo: "puts the old file back, removes what was made", Class: Invertible,
			Examples: []string{"install -m 755 A EXISTING", "install -d D"},
			Options: &Grammar{Short: "bcCdDg:m:o:psS:t:TvZ", Long: []string{
				"backup=?", "compare", "directory", "group=", "mode=", "owner=", "preserve-timestamps", "strip", "strip-program=",
				"suffix=", "target-directory=", "no-target-directory", "verbose", "preserve-context", "context=?", "debug",
				"help", "version",
			}},
			Apply: applyInstall,
		},
		{
			Names: []string{"ln"}, Family: "copy", Title: "Makes links; with -f replaces what is at the destination",
			Undo: "removes the link, puts back what it replaced", Class: Invertible,
			Examples: []string{"ln -s A NEW", "ln -sf /dev/null EXISTING"},
			Options: &Grammar{Short: "bdfFinLPrsS:t:TvhwW", Long: []string{
				"backup=?", "directory", "force", "interactive", "logical", "no-dereference", "physical", "relative", "symbolic",
				"suffix=", "target-directory=", "no-target-directory", "verbose", "help", "version",
			}},
			Apply: applyLn,
		},
		{
			Names: []string{"link", "symlink"}, Family: "copy", Title: "Makes a link where nothing is",
			Undo: "removes the link", Class: Inert, Examples: []string{"link A NEW"},
			Apply: func(inv *Invocation) {
				inv.Inert("makes new links only")
				if ws := inv.Operands(); len(ws) == 2 {
					inv.Create(ws[1], false)
				}
			},
		},
	}
}

// destination splits the operands of a copying program into sources and
// destination. Without a destination nothing is done.
func destination(inv *Invocation, o *CopyOpts) (src []Word, dst Word, ok bool) {
	o.NoTarget = inv.Has("T", "no-target-directory")
	src = inv.Operands()
	if dst, ok = inv.Value("t", "target-directory"); ok {
		o.Into = true
		return src, dst, len(src) > 0
	}
	if inv.unsure && len(src) > 0 {
		inv.Opaque("an argument that is not known could be an option that names the destination")
	}
	if len(src) < 2 {
		return nil, Word{}, false
	}
	if o.NoTarget && len(src) > 2 {
		if certain(src) > 2 {
			inv.Inert("names more than one source for one name, which is an error")
		} else {
			inv.Unresolved("which of these names is the destination is not known before it runs")
		}
		return nil, Word{}, false
	}
	return src[:len(src)-1], src[len(src)-1], true
}

// backup is the suffix under which an old destination is kept. Numbered
// backups are treated as if there were none: the old destination counts as
// replaced, which captures it.
func backup(inv *Invocation) string {
	w, given := inv.Value("backup")
	if !given && !inv.Has("b", "backup", "S", "suffix") {
		return ""
	}
	if given && !w.Is("simple", "never", "existing", "nil") {
		return ""
	}
	if s, ok := inv.Value("S", "suffix"); ok {
		suffix, _ := s.One()
		return suffix
	}
	if _, ok := inv.Env("SIMPLE_BACKUP_SUFFIX"); ok {
		return ""
	}
	return "~"
}

func applyMv(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	quietly(inv)
	o := CopyOpts{Move: true, Recursive: true, NoClobber: inv.Has("n", "no-clobber"), Replace: true, Backup: backup(inv)}
	src, dst, ok := destination(inv, &o)
	if !ok {
		return
	}
	if inv.Has("exchange") {
		for _, w := range append(src, dst) {
			inv.Replace(w)
		}
		return
	}
	inv.CopyInto(src, dst, o)
}

func applyCp(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	quietly(inv)
	o := CopyOpts{
		// A link that is copied as a link is treated as cp -r treats it.
		Recursive: inv.Has("r", "R", "recursive", "a", "archive", "d", "P", "no-dereference"),
		Deref:     inv.Has("L", "dereference", "H") || !inv.Has("r", "R", "recursive", "a", "archive", "d", "P", "no-dereference"),
		NoClobber: inv.Has("n", "no-clobber"),
		Replace:   inv.Has("remove-destination") || inv.Has("l", "link", "s", "symbolic-link") && inv.Has("f", "force", "i", "interactive"),
		Link:      inv.Has("l", "link"),
		Symlink:   inv.Has("s", "symbolic-link"),
		Backup:    backup(inv),
	}
	src, dst, ok := destination(inv, &o)
	switch {
	case !ok:
		inv.Inert("names no destination")
	case inv.Has("attributes-only"):
		inv.Metadata(dst, true)
	case inv.Has("parents"):
		copyWithParents(inv, src, dst, o)
	default:
		inv.CopyInto(src, dst, o)
	}
}

// copyWithParents does cp --parents: the whole path of each source appears
// below dst.
func copyWithParents(inv *Invocation, src []Word, dst Word, o CopyOpts) {
	for _, s := range src {
		values, known := s.Known()
		if !known {
			inv.Unresolved("what is copied is not known")
			return
		}
		for _, v := range values {
			to := under(dst, inv.Lit(strings.TrimLeft(v, "/")))
			o.NoTarget, o.Into = true, false
			inv.CopyInto([]Word{inv.Lit(v)}, to, o)
		}
	}
}

func applyInstall(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	quietly(inv)
	if inv.Has("d", "directory") {
		inv.Inert("makes directories only")
		for _, w := range inv.Operands() {
			inv.Mkdir(w, true)
			if inv.Has("m", "mode", "o", "owner", "g", "group") {
				inv.Metadata(w, false)
			}
		}
		return
	}
	o := CopyOpts{Deref: true, Replace: true, Backup: backup(inv)}
	src, dst, ok := destination(inv, &o)
	if !ok {
		inv.Inert("names no destination")
		return
	}
	if inv.Has("D") && o.Into {
		inv.Mkdir(dst, true)
	}
	inv.CopyInto(src, dst, o)
}

func applyLn(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	quietly(inv)
	o := CopyOpts{
		Symlink: inv.Has("s", "symbolic"), Link: !inv.Has("s", "symbolic"), Recursive: true,
		Replace: inv.Has("f", "force", "i", "interactive", "b", "backup", "S", "suffix"), Backup: backup(inv),
	}
	o.NoClobber = !o.Replace
	if ws := inv.Operands(); len(ws) == 1 && !inv.Has("t", "target-directory") {
		o.Into = true
		inv.CopyInto(ws, inv.Lit("."), o)
		return
	}
	src, dst, ok := destination(inv, &o)
	if !ok {
		inv.Inert("names no destination")
		return
	}
	if inv.Has("n", "no-dereference", "h") && len(src) == 1 && areAll(dst, 'l', inv.Lstat) {
		o.NoTarget = true
	}
	inv.CopyInto(src, dst, o)
}

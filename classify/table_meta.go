package classify

// metadataModels change mode, owner, times, attributes; contents stay.
func metadataModels() []*Model {
	return []*Model{
		{
			Names: []string{"touch"}, Family: "metadata", Title: "Sets times, makes files that are not there",
			Undo: "restores the times, or removes the file that was made", Class: Invertible,
			Examples: []string{"touch F", "touch -d yesterday F"},
			Options: &Grammar{Short: "acd:fhmr:t:A:", Long: []string{
				"no-create", "date=", "no-dereference", "reference=", "time=", "help", "version",
			}},
			Apply: applyTouch,
		},
		{
			Names: []string{"chmod"}, Family: "metadata", Title: "Changes modes",
			Undo: "restores the modes", Class: Invertible, Examples: []string{"chmod 644 F", "chmod -R 000 D", "chmod -x F"},
			Options: &Grammar{Short: "RcfvhHLPEIN" + "r::w::x::X::s::t::u::g::o::a::", Long: []string{
				"recursive", "changes", "silent", "quiet", "verbose", "reference=", "preserve-root", "no-preserve-root",
				"dereference", "no-dereference", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				moded := inv.Has("reference", "r", "w", "x", "X", "s", "t", "u", "g", "o", "a")
				applyMetadata(inv, !moded)
			},
		},
		{
			Names: []string{"chown", "chgrp"}, Family: "metadata", Title: "Changes owners",
			Undo: "restores owner and group (as far as the person may)", Class: Invertible,
			Examples: []string{"chown u:g F", "chown -R u D", "chgrp g F"},
			Options: &Grammar{Short: "RcfvhHLPnx", Long: []string{
				"recursive", "changes", "silent", "quiet", "verbose", "reference=", "from=", "preserve-root",
				"no-preserve-root", "dereference", "no-dereference", "help", "version",
			}},
			Apply: func(inv *Invocation) { applyMetadata(inv, !inv.Has("reference")) },
		},
		{
			Names: []string{"setfacl"}, Family: "metadata", Title: "Changes access lists",
			Undo: "restores the access lists", Class: Invertible, Examples: []string{"setfacl -b -R D"},
			Options: &Grammar{Short: "m:x:M:X:bkndRLPv", Long: []string{
				"modify=", "remove=", "modify-file=", "remove-file=", "remove-all", "remove-default", "no-mask", "mask",
				"default", "recursive", "logical", "physical", "restore=", "set=", "set-file=", "test", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				switch {
				case inv.Has("restore"):
					inv.Opaque("setfacl --restore changes the paths that its file lists")
				case inv.Has("test"):
					inv.Inert("only tests")
				default:
					applyMetadata(inv, false)
				}
			},
		},
		{
			Names: []string{"setfattr"}, Family: "metadata", Title: "Changes extended attributes",
			Undo: "restores the attributes", Class: Invertible, Examples: []string{"setfattr -n user.a -v b F"},
			Options: &Grammar{Short: "n:v:x:h", Long: []string{"name=", "value=", "remove=", "no-dereference", "restore=", "raw", "help", "version"}},
			Apply: func(inv *Invocation) {
				if inv.Has("restore") {
					inv.Opaque("setfattr --restore changes the paths that its file lists")
					return
				}
				applyMetadata(inv, false)
			},
		},
		{
			Names: []string{"chattr"}, Family: "metadata", Title: "Changes inode flags",
			Undo: "none: inode flags are not captured; nothing is lost by them", Class: Bounded, Examples: []string{"chattr +i F"},
			Apply: func(inv *Invocation) { inv.Barrier("inode flags changed by chattr") },
		},
		{
			Names: []string{"xattr"}, Family: "metadata", Title: "Lists or changes extended attributes (macOS)",
			Undo: "restores the attributes", Class: Invertible, Examples: []string{"xattr -d com.apple.quarantine F"},
			Options: &Grammar{Short: "lrsvxpwdc"},
			Apply:   applyXattr,
		},
	}
}

func applyTouch(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	quietly(inv)
	inv.Inert("makes empty files only")
	for _, w := range inv.Operands() {
		switch {
		case w.Unknown():
			inv.Opaque("the times of a file that is not known may change")
			continue
		case inv.Has("h", "no-dereference"):
			inv.MetadataSelf(w, false)
		default:
			inv.Metadata(w, false)
		}
		if !inv.Has("c", "no-create", "h", "no-dereference") {
			inv.Create(w, false)
		}
	}
}

// applyMetadata changes every operand; skip says that the first is not a file.
func applyMetadata(inv *Invocation, skip bool) {
	if asksHelp(inv) {
		return
	}
	quietly(inv)
	ws := inv.Operands()
	if skip && len(ws) > 0 {
		ws = ws[1:]
	}
	inv.Inert("nothing named that is there")
	for _, w := range ws {
		if inv.Has("h", "no-dereference") {
			inv.MetadataSelf(w, inv.Has("R", "recursive"))
		} else {
			inv.Metadata(w, inv.Has("R", "recursive"))
		}
	}
}

func applyXattr(inv *Invocation) {
	ws := inv.Operands()
	skip := 0
	switch {
	case inv.Has("w"):
		skip = 2
	case inv.Has("d"):
		skip = 1
	case !inv.Has("c"):
		inv.Inert("only reads")
		return
	}
	inv.Inert("nothing named that is there")
	for _, w := range ws[min(skip, len(ws)):] {
		inv.Metadata(w, inv.Has("r"))
	}
}

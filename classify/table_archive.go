package classify

import (
	"slices"
	"strings"
)

// archiveModels pack and unpack.
func archiveModels() []*Model {
	return []*Model{
		{
			Names: []string{"tar", "gtar", "bsdtar", "star", "gnutar"}, Family: "archive", Title: "Packs and unpacks archives; some options run commands",
			Undo: "puts back what unpacking replaced, or the old archive", Class: Bounded,
			Examples: []string{"tar tf A.tar", "tar xf A.tar", "tar cf EXISTING.tar D", "tar --remove-files -cf A.tar D"},
			Apply:    applyTar,
		},
		{
			Names: []string{"unzip"}, Family: "archive", Title: "Unpacks a zip archive", Undo: "puts back what unpacking replaced",
			Class: Bounded, Examples: []string{"unzip -l A.zip", "unzip -o A.zip -d D"},
			Options: &Grammar{Short: "abCd:DfFI:jKlLMnNoO:pP:qSstTuUvVWxXzZ:/^12"},
			Apply: func(inv *Invocation) {
				switch {
				case inv.Has("l", "t", "p", "v", "z", "c"):
					inv.Inert("only reads the archive")
				case inv.Has("n"):
					inv.Inert("replaces nothing")
				default:
					dir := inv.Lit(".")
					if d, ok := inv.Value("d"); ok {
						dir = d
					}
					unpack(inv, dir)
				}
			},
		},
		{
			Names: []string{"zip"}, Family: "archive", Title: "Packs files; -m removes them afterwards", Undo: "puts the files and the old archive back",
			Class: Invertible, Examples: []string{"zip NEW.zip F", "zip -m A.zip F"},
			Options: &Grammar{Short: "AcdDeEfFghjJklLmMn:oqrRsS:tTt:uUvVwW:xiXyzZ:@0123456789b:P:O:Q", Long: []string{
				"move", "recurse-paths", "delete", "update", "freshen", "junk-paths", "password=", "out=", "encrypt", "quiet",
				"symlinks", "test", "unzip-command=", "temp-path=", "exclude", "include", "grow", "filesync", "help", "version",
			}},
			Apply: applyZip,
		},
		{
			Names: []string{"7z", "7za", "7zr", "7zz"}, Family: "archive", Title: "Packs and unpacks archives", Undo: "puts back what was replaced",
			Class: Bounded, Examples: []string{"7z l A.7z", "7z x A.7z"}, Apply: apply7z,
		},
		{
			Names: []string{"unrar", "rar", "unar", "cabextract", "jar", "cpio", "pax", "ar", "dpkg-deb", "rpm2archive"}, Family: "archive",
			Title: "Packs and unpacks archives", Undo: "puts back what was replaced", Class: Bounded, Examples: []string{"unrar x A.rar"},
			Apply: applyUnpackers,
		},
	}
}

func tarGrammar() *Grammar {
	return &Grammar{
		Short: "cxtruAdf:C:b:I:T:X:g:K:L:N:V:H:F:zjJZaApPvkhlmnoOsSwWMGBiRUEyq",
		Long: []string{
			"create", "extract", "get", "list", "append", "update", "catenate", "concatenate", "diff", "compare", "delete", "file=",
			"directory=", "gzip", "gunzip", "bzip2", "xz", "lzma", "lzip", "zstd", "compress", "auto-compress", "no-auto-compress",
			"use-compress-program=", "to-command=", "to-stdout", "remove-files", "checkpoint=?", "checkpoint-action=",
			"info-script=", "new-volume-script=", "rsh-command=", "rmt-command=", "verbose", "exclude=", "exclude-from=",
			"exclude-vcs", "exclude-vcs-ignores", "exclude-caches", "files-from=", "null", "strip-components=", "transform=",
			"xform=", "absolute-names", "keep-old-files", "keep-newer-files", "skip-old-files", "overwrite", "overwrite-dir",
			"no-overwrite-dir", "unlink-first", "recursive-unlink", "one-top-level=?", "owner=", "group=", "mode=", "mtime=",
			"numeric-owner", "same-owner", "no-same-owner", "preserve-permissions", "same-permissions", "no-same-permissions",
			"preserve-order", "dereference", "hard-dereference", "wildcards", "no-wildcards", "anchored", "no-anchored",
			"ignore-case", "no-ignore-case", "wildcards-match-slash", "no-recursion", "recursion", "one-file-system", "sparse",
			"format=", "label=", "sort=", "totals=?", "verify", "touch", "warning=", "xattrs", "no-xattrs", "acls", "no-acls",
			"selinux", "no-selinux", "listed-incremental=", "incremental", "level=", "newer=", "newer-mtime=", "after-date=",
			"blocking-factor=", "ignore-failed-read", "ignore-zeros", "ignore-command-error", "delay-directory-restore",
			"occurrence=?", "seek", "no-seek", "record-size=", "starting-file=", "suffix=", "backup=?", "index-file=",
			"interactive", "show-transformed-names", "quoting-style=", "utc", "full-time", "force-local", "posix", "old-archive",
			"help", "version", "usage", "clamp-mtime", "set-mtime-command=", "zstd", "no-delay-directory-restore",
		},
	}
}

// applyTar reads options in the old form ("tar xzf A") as well.
func applyTar(inv *Invocation) {
	args := inv.Args()
	if len(args) > 0 {
		if s, ok := args[0].One(); ok && s != "" && s[0] != '-' {
			args = oldStyle(inv, s, args[1:])
		}
	}
	l := takeApart(tarGrammar(), args)
	if l.problem != "" {
		inv.NotUnderstood(l.problem)
		return
	}
	if l.Has("help", "version", "usage") {
		inv.Inert("prints help")
		return
	}
	tarCommands(inv, &l)
	file, named := l.Value("f", "file")
	dir := inv.Lit(".")
	if d, ok := l.Value("C", "directory"); ok {
		dir = d
	}
	switch {
	case l.Has("t", "list", "d", "diff", "compare"):
		inv.Inert("only reads the archive")
	case l.Has("x", "extract", "get"):
		tarExtract(inv, &l, dir)
	case l.Has("c", "create", "r", "append", "u", "update", "A", "catenate", "concatenate", "delete"):
		inv.Inert("packs into a new archive")
		if named && !file.Is("-") {
			inv.Write(file)
		}
		if g, ok := l.Value("g", "listed-incremental"); ok {
			inv.Write(g)
		}
		if l.Has("remove-files") {
			for _, w := range l.Operands() {
				inv.Delete(under(dir, w), true)
			}
			if l.Has("T", "files-from") {
				inv.Unresolved("the files that tar removes are listed elsewhere")
			}
		}
	default:
		inv.NotUnderstood("tar is not told what to do")
	}
}

// oldStyle turns "xzf A" into "-x -z -f A": the values follow in order.
func oldStyle(inv *Invocation, letters string, rest []Word) []Word {
	g := tarGrammar()
	var out []Word
	for i := range len(letters) {
		out = append(out, inv.Lit("-"+letters[i:i+1]))
		if rule, _ := g.short(letters[i]); rule == needsValue && len(rest) > 0 {
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}

// tarCommands runs the commands that options of tar hold.
func tarCommands(inv *Invocation, l *line) {
	for _, w := range l.Values("checkpoint-action") {
		if beginsWith(w, "exec=") {
			inv.RunScript(w.cut(len("exec=")))
		} else if w.Unknown() && w.Prefix() == "" {
			inv.RunScript(w)
		}
	}
	for _, w := range l.Values("to-command", "I", "use-compress-program", "F", "info-script", "new-volume-script", "rsh-command", "set-mtime-command") {
		inv.RunScript(w)
	}
	if w, ok := l.Value("index-file"); ok {
		inv.Write(w)
	}
}

func tarExtract(inv *Invocation, l *line, dir Word) {
	if l.Has("O", "to-stdout", "to-command") {
		inv.Inert("only reads the archive")
		return
	}
	if w, ok := l.Value("one-top-level"); ok {
		dir = under(dir, w)
	}
	switch {
	case l.Has("P", "absolute-names"):
		inv.Opaque("the archive may hold absolute names")
		unpack(inv, dir)
	case l.Has("k", "keep-old-files", "skip-old-files"):
		inv.Inert("replaces nothing")
	default:
		unpack(inv, dir)
	}
}

// unpack says that files whose names are not known may appear or be replaced
// below dir.
func unpack(inv *Invocation, dir Word) {
	if inWorkspace(inv, dir) {
		inv.Opaque("what is unpacked is not known")
		return
	}
	inv.Inert("unpacks into a new directory")
	inv.Overwrite(dir, true)
}

// inWorkspace reports whether everything dir may be exists within the bound of
// opaque programs.
func inWorkspace(inv *Invocation, dir Word) bool {
	ws := inv.Context().Workspace
	values, known := dir.Known()
	for _, v := range values {
		got, ok := inv.ev.world.resolve(absolute(inv.dir, v), true)
		if !ok || ws == "" {
			return false
		}
		for _, t := range got {
			if t.path != ws && !strings.HasPrefix(t.path, ws+"/") || inv.ev.world.kinds(t.path) == "-" {
				return false
			}
		}
	}
	return known && len(values) > 0
}

func applyZip(inv *Invocation) {
	ws := inv.Operands()
	inv.Inert("packs into a new archive")
	if w, ok := inv.Value("unzip-command"); ok {
		inv.RunScript(w)
	}
	if args := inv.Args(); slices.ContainsFunc(args, func(w Word) bool { return strings.HasPrefix(w.Prefix(), "-TT") }) {
		inv.Opaque("-TT names a program that tests the archive")
	}
	if w, ok := inv.Value("O", "out"); ok {
		inv.Replace(w)
	}
	if len(ws) == 0 || inv.Has("help", "version") {
		return
	}
	if s, ok := ws[0].One(); ok && s != "-" {
		inv.Replace(inv.Lit(s))
		if !strings.Contains(s[strings.LastIndexByte(s, '/')+1:], ".") {
			inv.Replace(inv.Lit(s + ".zip"))
		}
	} else if !ok {
		inv.Replace(ws[0])
	}
	if inv.Has("m", "move") {
		for _, w := range ws[1:] {
			inv.Delete(w, true)
		}
		if inv.Has("@") {
			inv.Unresolved("the files that zip removes are listed elsewhere")
		}
	}
}

func apply7z(inv *Invocation) {
	ws := plainArgs(inv)
	dir, moves := inv.Lit("."), false
	for _, w := range inv.Args() {
		if s := w.Prefix(); strings.HasPrefix(s, "-o") {
			dir = w.cut(2)
		} else if s == "-sdel" {
			moves = true
		}
	}
	if len(ws) < 2 {
		inv.Inert("prints help")
		return
	}
	switch {
	case ws[0].Is("l", "t", "i", "h", "b"):
		inv.Inert("only reads the archive")
	case ws[0].Is("x", "e"):
		unpack(inv, dir)
	case ws[0].Is("a", "u", "d", "rn"):
		inv.Inert("packs into a new archive")
		inv.Replace(ws[1])
		if moves {
			deleteAll(inv, ws[2:], true)
		}
	default:
		inv.NotUnderstood("the command of 7z is not known")
	}
}

// applyUnpackers reads the few archivers whose command is their first word.
func applyUnpackers(inv *Invocation) {
	args := inv.Args()
	verb := ""
	if len(args) > 0 {
		verb = args[0].Prefix()
	}
	ws := plainArgs(inv)
	switch inv.Name() + " " + strings.TrimLeft(verb, "-") {
	case "unrar l", "unrar v", "unrar t", "unrar p", "rar l", "rar v", "rar t", "jar tf", "jar tvf", "ar t", "ar p",
		"dpkg-deb c", "dpkg-deb I", "dpkg-deb contents", "dpkg-deb info", "cpio t", "cpio it", "cpio itv", "cpio o", "cpio ov":
		inv.Inert("only reads")
	case "ar r", "ar rc", "ar rcs", "ar cr", "ar crs", "ar q", "ar d", "ar s":
		if len(ws) > 1 {
			writeAll(inv, ws[1:2])
		}
	case "jar cf", "jar cvf", "jar cfe", "jar cfm":
		if len(ws) > 1 {
			writeAll(inv, ws[1:2])
		}
	case "dpkg-deb x", "dpkg-deb extract":
		if len(ws) > 1 {
			unpack(inv, ws[len(ws)-1])
		}
	default:
		unpack(inv, inv.Lit("."))
	}
}

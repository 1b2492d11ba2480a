package classify

import (
	"path"
	"strings"
)

// writeModels are the small tools that write into the files they are given.
func writeModels() []*Model {
	return []*Model{
		{
			Names: []string{"tee", "sponge"}, Family: "write", Title: "Writes its input into files",
			Undo: "puts the old contents back, or removes the file that was made", Class: Invertible,
			Examples: []string{"tee F", "tee -a F"},
			Options:  &Grammar{Short: "aip", Long: []string{"append", "ignore-interrupts", "output-error=?", "help", "version"}},
			Apply: func(inv *Invocation) {
				if asksHelp(inv) {
					return
				}
				for _, w := range inv.Operands() {
					if inv.Has("a", "append") {
						inv.Append(w)
					} else {
						inv.Write(w)
					}
				}
			},
		},
		{
			Names: []string{"truncate"}, Family: "write", Title: "Cuts or extends files",
			Undo: "puts the old contents back", Class: Invertible, Examples: []string{"truncate -s 0 F"},
			Options: &Grammar{Short: "cor:s:", Long: []string{"no-create", "io-blocks", "reference=", "size=", "help", "version"}},
			Apply: func(inv *Invocation) {
				if !asksHelp(inv) {
					writeAll(inv, inv.Operands())
				}
			},
		},
		{
			Names: []string{"fallocate"}, Family: "write", Title: "Allocates or punches space in a file",
			Undo: "puts the old contents back", Class: Invertible, Examples: []string{"fallocate -l 1M F"},
			Options: &Grammar{Short: "cdil:no:pvxzw", Long: []string{
				"collapse-range", "dig-holes", "insert-range", "length=", "keep-size", "offset=", "punch-hole",
				"verbose", "posix", "zero-range", "write-zeroes", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				if !asksHelp(inv) {
					writeAll(inv, inv.Operands())
				}
			},
		},
		{
			Names: []string{"dd"}, Family: "write", Title: "Copies blocks into of=F",
			Undo: "puts the old contents back; a device is refused", Class: Invertible,
			Examples: []string{"dd if=/dev/zero of=F count=1"}, Apply: applyDd,
		},
		{
			Names: []string{"split"}, Family: "write", Title: "Writes pieces of a file beside a prefix",
			Undo: "puts back pieces that were there before", Class: Inert, Examples: []string{"split -l 100 F part."},
			Options: &Grammar{Short: "a:b:C:del:n:t:ux", Numeric: true, Long: []string{
				"suffix-length=", "additional-suffix=", "bytes=", "line-bytes=", "numeric-suffixes=?", "hex-suffixes=?",
				"elide-empty-files", "filter=", "lines=", "number=", "separator=", "unbuffered", "verbose", "help", "version",
			}},
			Apply: applySplit,
		},
		{
			Names: []string{"csplit"}, Family: "write", Title: "Writes pieces of a file beside a prefix",
			Undo: "puts back pieces that were there before", Class: Inert, Examples: []string{"csplit F /x/"},
			Options: &Grammar{Short: "b:f:kn:qsz", Long: []string{
				"suffix-format=", "prefix=", "keep-files", "suppress-matched", "digits=", "quiet", "silent",
				"elide-empty-files", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				prefix := inv.Lit("xx")
				if w, ok := inv.Value("f", "prefix"); ok {
					prefix = w
				}
				pieces(inv, prefix)
			},
		},
	}
}

func applyDd(inv *Invocation) {
	inv.Inert("writes to its output")
	for _, w := range inv.Args() {
		switch values, known := w.Known(); {
		case beginsWith(w, "of="):
			inv.Write(w.cut(len("of=")))
		case !known && !strings.Contains(w.Prefix(), "="):
			inv.Unresolved("an operand of dd is not known")
		case known && anyBegins(values, "of="):
			inv.Unresolved("whether dd writes a file is not known")
		}
	}
}

func anyBegins(values []string, prefix string) bool {
	for _, v := range values {
		if strings.HasPrefix(v, prefix) {
			return true
		}
	}
	return false
}

func applySplit(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	if filter, ok := inv.Value("filter"); ok {
		inv.RunScript(filter)
		return
	}
	prefix := inv.Lit("x")
	if ops := inv.Operands(); len(ops) > 1 {
		prefix = ops[1]
	}
	pieces(inv, prefix)
}

// pieces overwrites every file that is there and whose name is prefix and more.
func pieces(inv *Invocation, prefix Word) {
	inv.Inert("writes new files only")
	values, known := prefix.Known()
	if !known {
		if !prefix.Fresh() {
			inv.Unresolved("the names of the pieces are not known")
		}
		return
	}
	for _, v := range values {
		dir, base := path.Split(v)
		names, ok := inv.List(orDot(dir))
		if !ok {
			continue
		}
		for _, name := range names {
			if strings.HasPrefix(name, base) && len(name) > len(base) && !onlyDirs(inv, inv.Lit(dir+name)) {
				inv.Write(inv.Lit(dir + name))
			}
		}
	}
}

func orDot(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

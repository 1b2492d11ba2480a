package classify

import (
	"regexp"
	"sort"
	"strings"
)

// filterModels read files or their input and print what is left of it.
func filterModels() []*Model {
	return []*Model{
		{
			Names: []string{"cat", "gcat"}, Family: "text", Title: "Prints files", Undo: "nothing to undo", Class: Inert,
			Examples: []string{"cat F"},
			Options: &Grammar{Short: "AbeEnstTuvl", Lenient: true, Long: []string{
				"show-all", "number-nonblank", "show-ends", "number", "squeeze-blank", "show-tabs", "show-nonprinting", "help", "version",
			}},
			Apply: applyCat,
		},
		{
			Names: []string{"head", "tail", "ghead", "gtail"}, Family: "text", Title: "Prints the first or last lines",
			Undo: "nothing to undo", Class: Inert, Examples: []string{"head -n 5 F"},
			Options: &Grammar{Short: "c:n:qvzfFs:rb:", Numeric: true, Lenient: true, Plus: true, Long: []string{
				"bytes=", "lines=", "quiet", "silent", "verbose", "zero-terminated", "follow=?", "pid=", "retry", "sleep-interval=",
				"max-unchanged-stats=", "help", "version",
			}},
			Apply: applyHead,
		},
		{
			Names: []string{"sort", "gsort"}, Family: "text", Title: "Sorts lines; -o writes a file", Undo: "puts the old file back",
			Class: Inert, Examples: []string{"sort F", "sort -o EXISTING F"},
			Options: &Grammar{Short: "bcCdfgik:hmMno:rRsS:t:T:uVzy:", Long: []string{
				"ignore-leading-blanks", "dictionary-order", "ignore-case", "general-numeric-sort", "ignore-nonprinting",
				"month-sort", "human-numeric-sort", "numeric-sort", "random-sort", "random-source=", "reverse", "sort=",
				"version-sort", "batch-size=", "check=?", "compress-program=", "debug", "files0-from=", "key=", "merge", "output=",
				"stable", "buffer-size=", "field-separator=", "temporary-directory=", "parallel=", "unique", "zero-terminated",
				"mmap", "help", "version",
			}},
			Apply: applySort,
		},
		{
			Names: []string{"uniq", "guniq"}, Family: "text", Title: "Drops repeated lines; a second operand is written",
			Undo: "puts the old file back", Class: Inert, Examples: []string{"uniq F", "uniq F EXISTING"},
			Options: &Grammar{Short: "cdDf:is:uw:z", Numeric: true, Plus: true, Long: []string{
				"count", "repeated", "all-repeated=?", "skip-fields=", "group=?", "ignore-case", "skip-chars=", "unique",
				"zero-terminated", "check-chars=", "help", "version",
			}},
			Apply: applyUniq,
		},
		{
			Names: []string{"wc", "gwc"}, Family: "text", Title: "Counts", Undo: "nothing to undo", Class: Inert, Examples: []string{"wc -l F"},
			Options: &Grammar{Short: "clLmw", Lenient: true, Long: []string{
				"bytes", "chars", "lines", "files0-from=", "max-line-length", "words", "total=", "help", "version",
			}},
			Apply: func(inv *Invocation) {
				inv.Inert("only reads")
				if len(inv.Operands()) == 0 && len(inv.options) == 1 {
					inv.OutputWord(Word{val: known(digitsHole + "\n"), pos: inv.pos})
				}
			},
		},
		{
			Names: []string{"cut", "gcut"}, Family: "text", Title: "Prints parts of lines", Undo: "nothing to undo", Class: Inert,
			Examples: []string{"cut -d: -f1 F"},
			Options: &Grammar{Short: "b:c:d:f:nsz", Lenient: true, Long: []string{
				"bytes=", "characters=", "delimiter=", "fields=", "complement", "only-delimited", "output-delimiter=",
				"zero-terminated", "help", "version",
			}},
			Apply: applyCut,
		},
		{
			Names: []string{"tr", "gtr"}, Family: "text", Title: "Exchanges characters", Undo: "nothing to undo", Class: Inert,
			Examples: []string{"tr a b"},
			Options: &Grammar{Short: "cCdstu", Lenient: true, Stop: true, Long: []string{
				"complement", "delete", "squeeze-repeats", "truncate-set1", "help", "version",
			}},
			Apply: applyTr,
		},
		{
			Names: []string{"grep", "ggrep"}, Family: "text", Title: "Prints lines that match", Undo: "nothing to undo", Class: Inert,
			Examples: []string{`grep "rm -rf ~" F`},
			Options: &Grammar{Short: "EFGPe:f:iyvwxcLlm:oqsbHhnTuzaA:B:C:d:D:IrRUZ", Numeric: true, Lenient: true, Long: []string{
				"extended-regexp", "fixed-strings", "basic-regexp", "perl-regexp", "regexp=", "file=", "ignore-case",
				"no-ignore-case", "invert-match", "word-regexp", "line-regexp", "count", "color=?", "colour=?",
				"files-without-match", "files-with-matches", "max-count=", "only-matching", "quiet", "silent", "no-messages",
				"byte-offset", "with-filename", "no-filename", "label=", "line-number", "initial-tab", "null",
				"after-context=", "before-context=", "context=", "text", "binary-files=", "devices=", "directories=",
				"exclude=", "exclude-from=", "exclude-dir=", "include=", "recursive", "dereference-recursive",
				"line-buffered", "null-data", "binary", "help", "version",
			}},
			Apply: applyGrep,
		},
		{
			Names: []string{"readlink", "realpath", "grealpath", "greadlink"}, Family: "files", Title: "Prints where a path leads",
			Undo: "nothing to undo", Class: Inert, Examples: []string{"realpath F"},
			Options: &Grammar{Short: "femnqsvzELP", Lenient: true, Long: []string{
				"canonicalize", "canonicalize-existing", "canonicalize-missing", "no-newline", "quiet", "silent", "verbose",
				"zero", "logical", "physical", "relative-to=", "relative-base=", "strip", "no-symlinks", "help", "version",
			}},
			Apply: applyRealpath,
		},
		{
			Names: []string{"ls", "gls"}, Family: "files", Title: "Lists directories", Undo: "nothing to undo", Class: Inert,
			Examples: []string{"ls D"},
			Options: &Grammar{Short: "aAbBcCdDfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1@eOPW", Lenient: true, Long: []string{
				"all", "almost-all", "color=?", "directory", "recursive", "human-readable", "time=", "sort=", "hide=", "ignore=",
				"group-directories-first", "classify=?", "format=", "indicator-style=", "quoting-style=", "help", "version",
			}},
			Apply: applyLs,
		},
	}
}

func applyCat(inv *Invocation) {
	inv.Inert("only reads")
	switch ws := inv.Operands(); {
	case len(inv.options) > 0:
	case len(ws) == 0 || len(ws) == 1 && ws[0].Is("-"):
		inv.OutputWord(inv.StdinWord())
	default:
		emit(inv, inputOf(inv, ws))
	}
}

func applyHead(inv *Invocation) {
	inv.Inert("only reads")
	if inv.Has("c", "bytes", "z", "zero-terminated", "v", "verbose", "f", "F", "follow", "r", "b", "+") || len(inv.Operands()) > 1 {
		return
	}
	count := "10"
	if w, ok := inv.Value("n", "lines", "#"); ok {
		count, _ = w.One()
	}
	tail := strings.HasSuffix(inv.Name(), "tail")
	t := inputOf(inv, inv.Operands())
	from := tail && strings.HasPrefix(count, "+")
	if from {
		count = count[1:]
	}
	if !t.ok || !isDigits(count) || len(count) > 8 {
		return
	}
	if t.loose {
		emit(inv, t)
		return
	}
	all := t.lines()
	n := min(decimal(count), len(all))
	switch {
	case from:
		all = all[min(max(decimal(count)-1, 0), len(all)):]
	case tail:
		all = all[len(all)-n:]
	default:
		all = all[:n]
	}
	emit(inv, text{s: strings.Join(all, ""), ok: true})
}

func applySort(inv *Invocation) {
	inv.Inert("only reads")
	runStrings(inv, "compress-program")
	ws := inv.Values("o", "output")
	for _, w := range ws {
		inv.Write(w)
	}
	if inv.unsure {
		inv.Opaque("an argument of sort that is not known could name an output file")
	}
	if len(ws) > 0 || inv.Has("c", "C", "check", "files0-from") {
		return
	}
	t := inputOf(inv, inv.Operands())
	if t.ok && t.s != "" && !strings.HasSuffix(t.s, "\n") && !strings.Contains(t.s, "\x00") {
		t.s += "\n"
	}
	// The order depends on the locale.
	emit(inv, t.shuffled())
}

func applyUniq(inv *Invocation) {
	inv.Inert("only reads")
	ws := inv.Operands()
	if len(ws) > 1 {
		inv.Write(ws[1])
		return
	}
	if inv.unsure {
		inv.Opaque("an argument of uniq that is not known could name an output file")
	}
	if t := inputOf(inv, ws); len(inv.options) == 0 && t.ok {
		var out []string
		for i, l := range t.lines() {
			if all := t.lines(); t.loose || i == 0 || l != all[i-1] {
				out = append(out, l)
			}
		}
		t.s = strings.Join(out, "")
		emit(inv, t)
	}
}

func applyCut(inv *Invocation) {
	inv.Inert("only reads")
	if inv.Has("b", "bytes", "complement", "output-delimiter", "z", "zero-terminated", "s", "only-delimited") {
		return
	}
	t := inputOf(inv, inv.Operands())
	fields, byField := inv.Value("f", "fields")
	chars, byChar := inv.Value("c", "characters")
	if !t.ok || byField == byChar {
		return
	}
	sep := "\t"
	if w, ok := inv.Value("d", "delimiter"); ok {
		sep, _ = w.One()
	}
	spec, ok := fields.One()
	if byChar {
		spec, ok = chars.One()
		sep = ""
		if !isASCII(t.s) {
			return
		}
	}
	if !ok || byField && len(sep) != 1 {
		return
	}
	var out strings.Builder
	for _, l := range t.lines() {
		s, ok := cutLine(strings.TrimSuffix(l, "\n"), sep, spec)
		if !ok {
			return
		}
		out.WriteString(s + "\n")
	}
	t.s = out.String()
	emit(inv, t)
}

// cutLine keeps the fields that a list like "1,3-" names. An empty sep makes
// every character a field.
func cutLine(l, sep, spec string) (string, bool) {
	parts := strings.Split(l, sep)
	if sep != "" && len(parts) == 1 {
		return l, true
	}
	var out []string
	for i, p := range parts {
		keep := false
		for _, r := range strings.Split(spec, ",") {
			lo, hi, isRange := strings.Cut(r, "-")
			if lo == "" && isRange {
				lo = "1"
			}
			if !isRange {
				hi = lo
			}
			if hi == "" {
				hi = "99999999"
			}
			if !isDigits(lo) || !isDigits(hi) || len(lo) > 8 || len(hi) > 8 {
				return "", false
			}
			keep = keep || i+1 >= decimal(lo) && i+1 <= decimal(hi)
		}
		if keep {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep), true
}

func applyTr(inv *Invocation) {
	inv.Inert("only reads")
	t := textOf(inv.StdinWord())
	sets, ok := texts(inv.Operands())
	if !t.ok || !ok || len(sets) == 0 || inv.Has("c", "C", "complement", "t", "truncate-set1", "s", "squeeze-repeats") {
		return
	}
	from, ok := trSet(sets[0])
	if !ok || !isASCII(t.s) {
		return
	}
	if inv.Has("d", "delete") {
		if t.loose && strings.ContainsAny(from, "\n\x00") {
			return
		}
		t.s = strings.Map(func(r rune) rune {
			if strings.ContainsRune(from, r) {
				return -1
			}
			return r
		}, t.s)
		emit(inv, t)
		return
	}
	if len(sets) != 2 {
		return
	}
	to, ok := trSet(sets[1])
	if !ok || to == "" {
		return
	}
	for len(to) < len(from) {
		to += to[len(to)-1:]
	}
	if t.loose && strings.ContainsAny(from, "\n\x00") && !(from == "\n" && to == "\x00" || from == "\x00" && to == "\n") {
		return
	}
	t.s = strings.Map(func(r rune) rune {
		if i := strings.LastIndexByte(from, byte(r)); i >= 0 {
			return rune(to[i])
		}
		return r
	}, t.s)
	emit(inv, t)
}

// trSet expands a set of tr: escapes and ranges; classes are not followed.
func trSet(s string) (string, bool) {
	if strings.Contains(s, "[:") || strings.Contains(s, "[=") || strings.Contains(s, "*]") {
		switch s {
		case "[:upper:]":
			return "ABCDEFGHIJKLMNOPQRSTUVWXYZ", true
		case "[:lower:]":
			return "abcdefghijklmnopqrstuvwxyz", true
		}
		return "", false
	}
	s, _ = backslashes(s)
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) && s[i+1] == '-' {
			if s[i] > s[i+2] || s[i+2] >= 0x80 {
				return "", false
			}
			for c := int(s[i]); c <= int(s[i+2]); c++ {
				b.WriteByte(byte(c))
			}
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String(), isASCII(s)
}

func applyGrep(inv *Invocation) {
	inv.Inert("only searches")
	ws := inv.Operands()
	pattern, given := inv.Value("e", "regexp")
	if !given && !inv.Has("f", "file") && len(ws) > 0 {
		pattern, given, ws = ws[0], true, ws[1:]
	}
	p, ok := pattern.One()
	if !given || !ok {
		return
	}
	if inv.Has("q", "quiet", "silent") {
		inv.Output(nil)
		return
	}
	if inv.Has("l", "files-with-matches", "L", "files-without-match") {
		grepFiles(inv, p, ws)
		return
	}
	plainText := !strings.ContainsAny(p, `\.*[]^$+?(){}|`) && p != ""
	for _, o := range inv.options {
		if !isOneOf(o.name, []string{"v", "F", "invert-match", "fixed-strings", "E", "e", "a", "i", "extended-regexp"}) {
			return
		}
	}
	t := inputOf(inv, ws)
	if !t.ok || len(ws) > 1 || len(inv.Values("e", "regexp")) > 1 {
		return
	}
	fold, invert := inv.Has("i"), inv.Has("v", "invert-match")
	var re *regexp.Regexp
	if !plainText && !inv.Has("F", "fixed-strings") {
		if re = grepPattern(p, inv.Has("E", "extended-regexp") || inv.Name() == "egrep", fold); re == nil {
			// It keeps some of the lines.
			t.loose = t.loose || t.s != ""
			emit(inv, t)
			return
		}
	}
	var out []string
	for _, l := range t.lines() {
		hay, needle := l, p
		if fold {
			hay, needle = strings.ToLower(l), strings.ToLower(p)
		}
		hit := strings.Contains(hay, needle)
		if re != nil {
			hit = re.MatchString(strings.TrimSuffix(l, "\n"))
		}
		if hit != invert {
			out = append(out, strings.TrimSuffix(l, "\n")+"\n")
		}
	}
	t.s = strings.Join(out, "")
	emit(inv, t)
}

// grepPattern is a regular expression that matches what grep's does; nil when
// the two could differ.
func grepPattern(p string, extended, fold bool) *regexp.Regexp {
	if len(p) > 200 || strings.HasPrefix(p, "*") || !isASCII(p) {
		return nil
	}
	var b strings.Builder
	if fold {
		b.WriteString("(?i)")
	}
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '[' || c == '^' && i > 0 || c == '$' && i+1 < len(p) || c == '{' || c == '}':
			return nil
		case c == '\\' && i+1 < len(p):
			i++
			switch {
			case strings.IndexByte(".*[]^$/-\\", p[i]) >= 0:
				b.WriteString(regexp.QuoteMeta(p[i : i+1]))
			case strings.IndexByte("|()+?", p[i]) >= 0 && extended:
				b.WriteString(regexp.QuoteMeta(p[i : i+1]))
			case strings.IndexByte("|()+?", p[i]) >= 0:
				b.WriteByte(p[i])
			default:
				return nil
			}
		case strings.IndexByte("|()+?", c) >= 0 && !extended:
			b.WriteString(regexp.QuoteMeta(p[i : i+1]))
		default:
			b.WriteByte(c)
		}
	}
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil
	}
	return re
}

func applyRealpath(inv *Invocation) {
	inv.Inert("only reads")
	ws := inv.Operands()
	readlink := strings.HasSuffix(inv.Name(), "readlink")
	if len(ws) != 1 || inv.Has("z", "zero", "s", "strip", "no-symlinks", "L", "logical", "relative-to", "relative-base", "n", "no-newline") {
		return
	}
	name, ok := ws[0].One()
	if !ok || readlink && !inv.Has("f", "e", "m", "canonicalize", "canonicalize-existing", "canonicalize-missing") {
		return
	}
	got, ok := inv.ev.world.resolve(absolute(inv.dir, name), true)
	if ok && len(got) == 1 {
		inv.Output([]byte(got[0].path + "\n"))
	}
}

func applyLs(inv *Invocation) {
	inv.Inert("only reads")
	for _, o := range inv.options {
		if !isOneOf(o.name, []string{"1", "a", "A", "all", "almost-all", "r", "t", "S", "d", "directory", "color"}) {
			return
		}
	}
	names, ok := texts(inv.Operands())
	if !ok {
		return
	}
	switch {
	case len(names) == 0:
		names = []string{"."}
	case certain(inv.Operands()) == 0:
		return // without any of them it lists this directory
	}
	var files, listed []string
	for _, n := range names {
		if inv.Has("d", "directory") || !onlyDirs(inv, inv.Lit(n)) {
			files = append(files, n)
			continue
		}
		entries, ok := inv.List(n)
		if !ok || len(names) > 1 {
			return
		}
		for _, e := range entries {
			if e[0] != '.' || inv.Has("a", "A", "all", "almost-all") {
				listed = append(listed, e)
			}
		}
		if inv.Has("a", "all") {
			listed = append(listed, ".", "..")
		}
	}
	out := append(files, listed...)
	sort.Strings(out)
	if len(out) == 0 {
		inv.Output(nil)
		return
	}
	emit(inv, text{s: strings.Join(out, "\n") + "\n", ok: true}.shuffled())
}

package classify

import (
	"strings"
)

// awkModels run programs of their own language on text.
func awkModels() []*Model {
	return []*Model{{
		Names: []string{"awk", "gawk", "mawk", "nawk", "original-awk"}, Family: "edit", Title: "Processes text; system(), | and > act",
		Undo: "puts back what the program writes, when that is known", Class: Inert,
		Examples: []string{"awk '{print $1}' F", `awk 'BEGIN{system("rm F")}'`, `awk '{print > "EXISTING"}' F`},
		Options: &Grammar{Short: "F:v:f:e:i:l:o::d::p::D::bcCE:ghIkL::MnNOPrsStVW:", Stop: true, Long: []string{
			"field-separator=", "assign=", "file=", "source=", "include=", "load=", "pretty-print=?", "dump-variables=?",
			"profile=?", "debug=?", "characters-as-bytes", "traditional", "copyright", "csv", "exec=", "gen-pot", "lint=?",
			"bignum", "use-lc-numeric", "non-decimal-data", "optimize", "posix", "re-interval", "no-optimize", "sandbox",
			"lint-old", "help", "version",
		}},
		Apply: applyAwk,
	}}
}

func applyAwk(inv *Invocation) {
	if asksHelp(inv) {
		return
	}
	inv.Inert("only prints")
	for _, w := range inv.Values("o", "d", "p", "pretty-print", "dump-variables", "profile") {
		inv.Write(w)
	}
	ws := inv.Operands()
	programs := inv.Values("e", "source")
	for _, f := range append(inv.Values("f", "file"), inv.Values("E", "exec")...) {
		name, _ := f.One()
		data, ok := inv.Read(name)
		if !ok {
			inv.Opaque("an awk program that cannot be read")
			continue
		}
		programs = append(programs, inv.Lit(string(data)))
	}
	if len(programs) == 0 && !inv.Has("f", "file", "E", "exec") && len(ws) > 0 {
		programs, ws = ws[:1], ws[1:]
	}
	for _, w := range inv.Values("i", "include") {
		if w.Is("inplace") {
			replaceAll(inv, ws)
			continue
		}
		inv.Opaque("an awk library")
	}
	if inv.Has("l", "load") {
		inv.Opaque("an awk extension")
	}
	for _, p := range programs {
		awkProgram(inv, p)
	}
	if len(programs) == 1 && !inv.Has("v", "assign") {
		awkColumn(inv, programs[0], ws)
	}
}

// awkProgram adds what a program writes and runs.
func awkProgram(inv *Invocation, w Word) {
	s, ok := w.One()
	if !ok {
		inv.Opaque("an awk program that is not known")
		return
	}
	found := scanAwk(s)
	for _, f := range found.writes {
		inv.Write(inv.Lit(f))
	}
	for _, c := range found.runs {
		inv.RunScript(inv.Lit(c))
	}
	if found.evals {
		inv.RunScript(inv.UnknownWord("the command that awk puts together"))
	}
	if found.vague {
		inv.Opaque("awk writes files whose names it puts together")
	}
}

// awkColumn prints one column when that is all that the program does.
func awkColumn(inv *Invocation, program Word, files []Word) {
	s, _ := program.One()
	s = strings.ReplaceAll(s, " ", "")
	n, ok := strings.CutPrefix(s, "{print$")
	n, closed := strings.CutSuffix(strings.TrimSuffix(n, "}"), "")
	if !ok || !closed || n != "NF" && (!isDigits(n) || len(n) > 4) {
		return
	}
	sep := ""
	if w, ok := inv.Value("F", "field-separator"); ok {
		sep, ok = w.One()
		if !ok || len(sep) != 1 || strings.Contains(`\.[]()*+?^$|t `, sep) {
			return
		}
	}
	t := inputOf(inv, files)
	var b strings.Builder
	for _, l := range t.lines() {
		l = strings.TrimSuffix(l, "\n")
		fields := strings.Fields(l)
		if sep != "" {
			fields = strings.Split(l, sep)
		}
		i := len(fields)
		if n != "NF" {
			i = decimal(n)
		}
		switch {
		case i == 0:
			b.WriteString(l)
		case i <= len(fields):
			b.WriteString(fields[i-1])
		}
		b.WriteByte('\n')
	}
	t.s = b.String()
	emit(inv, t)
}

// awkFound is what an awk program does beside printing.
type awkFound struct {
	writes, runs []string
	// evals: it runs commands that it puts together; vague: it writes files
	// whose names it puts together.
	evals, vague bool
}

// scanAwk looks for system(), pipes and redirections outside strings, regular
// expressions and comments.
func scanAwk(program string) awkFound {
	s := awkScanner{toks: awkTokens(program)}
	for s.at < len(s.toks) {
		s.step()
	}
	return s.found
}

type awkScanner struct {
	toks  []string
	at    int
	print bool
	depth int
	start int
	found awkFound
}

func (s *awkScanner) tok(i int) string {
	if i >= 0 && i < len(s.toks) {
		return s.toks[i]
	}
	return ""
}

func (s *awkScanner) step() {
	t := s.toks[s.at]
	switch t {
	case "print", "printf":
		s.print, s.start = true, s.depth
	case "(", "[":
		s.depth++
	case ")", "]":
		s.depth--
	case ";", "\n", "{", "}":
		s.print = false
	case "system":
		s.call(s.at+2, ")")
	case "|", "|&":
		if s.tok(s.at+1) == "getline" {
			s.piped()
		} else {
			s.call(s.at+1, "")
		}
	case ">", ">>":
		if s.print && s.depth == s.start {
			s.file(s.at + 1)
		}
	}
	s.at++
}

// ends reports whether an expression ends at token i.
func (s *awkScanner) ends(i int) bool {
	t := s.tok(i)
	return t == "" || t == ";" || t == "\n" || t == "}" || t == ")"
}

// call is a command at token i: a single string is known.
func (s *awkScanner) call(i int, _ string) {
	if t := s.tok(i); strings.HasPrefix(t, `"`) && s.ends(i+1) {
		s.found.runs = append(s.found.runs, awkString(t))
		return
	}
	s.found.evals = true
}

// piped is "command" | getline.
func (s *awkScanner) piped() {
	t := s.tok(s.at - 1)
	if prev := s.tok(s.at - 2); strings.HasPrefix(t, `"`) && (prev == "" || strings.Contains("(;{}\n!&&||=", prev)) {
		s.found.runs = append(s.found.runs, awkString(t))
		return
	}
	s.found.evals = true
}

func (s *awkScanner) file(i int) {
	if t := s.tok(i); strings.HasPrefix(t, `"`) && s.ends(i+1) {
		s.found.writes = append(s.found.writes, awkString(t))
		return
	}
	s.found.vague = true
}

func awkString(t string) string {
	s, _ := backslashes(strings.Trim(t, `"`))
	return strings.ReplaceAll(s, `\"`, `"`)
}

// awkTokens splits a program; a string keeps its quotes, a regular expression
// becomes "/".
func awkTokens(p string) []string {
	var out []string
	for i := 0; i < len(p); {
		c := p[i]
		j := i + 1
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case c == '\\' && j < len(p) && p[j] == '\n':
			i += 2
			continue
		case c == '#':
			for j < len(p) && p[j] != '\n' {
				j++
			}
			i = j
			continue
		case c == '"':
			j = quotedEnd(p, i, '"')
		case c == '/' && regexMayStart(out):
			j = quotedEnd(p, i, '/')
			out = append(out, "/")
			i = j
			continue
		case isNameByte(c):
			for j < len(p) && isNameByte(p[j]) {
				j++
			}
		case strings.HasPrefix(p[i:], ">>"), strings.HasPrefix(p[i:], "|&"), strings.HasPrefix(p[i:], "||"),
			strings.HasPrefix(p[i:], "&&"), strings.HasPrefix(p[i:], ">="):
			j = i + 2
		}
		out = append(out, p[i:j])
		i = j
	}
	return out
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// quotedEnd is the place behind the end of what starts at i.
func quotedEnd(p string, i int, end byte) int {
	for j := i + 1; j < len(p); j++ {
		switch p[j] {
		case '\\':
			j++
		case end:
			return j + 1
		case '\n':
			if end == '/' {
				return i + 1
			}
		}
	}
	return len(p)
}

// regexMayStart reports whether a "/" behind these tokens begins a regular
// expression and is no division.
func regexMayStart(toks []string) bool {
	if len(toks) == 0 {
		return true
	}
	last := toks[len(toks)-1]
	return !(isNameByte(last[len(last)-1]) || last == ")" || last == "]" || last == "$") || isOneOf(last, []string{"print", "return", "in", "case"})
}

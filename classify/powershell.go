package classify

import (
	"strings"
)

// PowerShell says what a PowerShell command would do. Plain commands are read;
// blocks, functions and what is not a known cmdlet may change the workspace.
func PowerShell(ctx Context, src string) Verdict {
	if r := guardInput(src); r != nil {
		return refusedInput(src, *r)
	}
	ev := newEvaluator(&ctx)
	pos := Pos{Line: 1, Col: 1}
	part := ev.part(src, nil, pos)
	inv := &Invocation{ev: ev, name: "powershell", dir: ctx.Cwd, part: part, pos: pos}
	windowsLine(inv, src, false)
	return ev.verdict()
}

// psCommand is one command of a PowerShell or cmd line: its words, and the
// files that its redirections write.
type psCommand struct {
	words []psWord
	into  []psWord
}

// psWord is one word; vague says that it has parts that are not known.
type psWord struct {
	text  string
	vague bool
}

// windowsLine judges code of PowerShell, or of cmd. What it does not read may
// change the workspace.
func windowsLine(inv *Invocation, code string, cmd bool) {
	commands, ok := splitWindows(code, cmd)
	if !ok {
		inv.Opaque("the code is not read")
		return
	}
	inv.Inert("only reads")
	dir := inv.dir
	defer func() { inv.dir = dir }()
	for _, c := range commands {
		for _, w := range c.into {
			windowsWrite(inv, w)
		}
		if len(c.words) > 0 {
			windowsCommand(inv, c, cmd)
		}
	}
}

// splitWindows splits code into commands. Blocks, functions, casts and method
// calls are not read.
func splitWindows(code string, cmd bool) ([]psCommand, bool) {
	s := &psScanner{code: code, cmd: cmd}
	for s.at < len(s.code) {
		if !s.step() {
			return nil, false
		}
	}
	s.endWord()
	s.endCommand()
	return s.out, true
}

type psScanner struct {
	code  string
	at    int
	cmd   bool
	out   []psCommand
	cur   psCommand
	word  strings.Builder
	open  bool // a word has begun
	vague bool
	into  bool // the next word is the target of a redirection
}

func (s *psScanner) endWord() {
	if !s.open {
		return
	}
	w := psWord{s.word.String(), s.vague}
	if s.into {
		s.cur.into = append(s.cur.into, w)
	} else {
		s.cur.words = append(s.cur.words, w)
	}
	s.word.Reset()
	s.open, s.vague, s.into = false, false, false
}

func (s *psScanner) endCommand() {
	if len(s.cur.words)+len(s.cur.into) > 0 {
		s.out = append(s.out, s.cur)
	}
	s.cur = psCommand{}
}

// step reads one piece; false when it is something that is not read.
func (s *psScanner) step() bool {
	c := s.code[s.at]
	rest := s.code[s.at:]
	escape := byte('`')
	if s.cmd {
		escape = '^'
	}
	switch {
	case c == escape && s.at+1 < len(s.code):
		s.open = true
		s.word.WriteByte(s.code[s.at+1])
		s.at++
	case c == '"' || c == '\'' && !s.cmd:
		return s.quoted(c)
	case c == ' ' || c == '\t' || c == ',' && !s.cmd:
		s.endWord()
	case c == ';' && !s.cmd || c == '\n' || c == '\r' || c == '|' || c == '&':
		s.endWord()
		s.endCommand()
	case c == '#' && !s.open && !s.cmd:
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			s.at += end
		} else {
			s.at = len(s.code)
		}
		return true
	case c == '>':
		if w := s.word.String(); s.open && len(w) == 1 && strings.Contains("123456*", w) {
			s.word.Reset()
			s.open = false
		}
		s.endWord()
		if strings.HasPrefix(rest, ">>") {
			s.at++
		}
		if strings.HasPrefix(s.code[s.at+1:], "&") {
			s.at += 2
			break
		}
		s.into = true
	case c == '{' || c == '}' || c == '(' || c == ')' || c == '<':
		return s.cmd && c == '<'
	case c == '$' || c == '%' && s.cmd || c == '@' && !s.cmd || c == '!' && s.cmd:
		s.open, s.vague = true, true
	default:
		s.open = true
		s.word.WriteByte(c)
	}
	s.at++
	return true
}

// quoted reads a quoted piece; in double quotes a variable makes it vague.
func (s *psScanner) quoted(q byte) bool {
	end := strings.IndexByte(s.code[s.at+1:], q)
	if end < 0 {
		return false
	}
	body := s.code[s.at+1 : s.at+1+end]
	if q == '"' && strings.ContainsAny(body, "$`%") {
		s.vague = true
	}
	s.open = true
	s.word.WriteString(body)
	s.at += end + 2
	return true
}

// windowsPath makes a word of a path; ok is false for a path on a drive or a
// share, which is no path of this tree.
func windowsPath(inv *Invocation, w psWord) (Word, bool) {
	s := strings.ReplaceAll(w.text, `\`, "/")
	switch {
	case w.vague:
		return inv.UnknownWord(w.text), true
	case len(s) > 1 && s[1] == ':', strings.HasPrefix(s, "//"), strings.Contains(s, "::"):
		return Word{}, false
	case s == "~" || strings.HasPrefix(s, "~/"):
		return inv.Home(strings.TrimPrefix(s[1:], "/")), true
	default:
		return inv.Lit(s), true
	}
}

// onWindows applies f to a path that is known and without pattern; a pattern
// here may hit anything in the workspace, one elsewhere is refused.
func onWindows(inv *Invocation, w psWord, f func(Word)) {
	p, ok := windowsPath(inv, w)
	switch {
	case !ok:
		inv.Refuse(w.text+" lies on a drive that is not captured", "name it by a path below the workspace")
	case !w.vague && strings.ContainsAny(w.text, "*?["):
		if strings.HasPrefix(w.text, "/") || strings.HasPrefix(w.text, "~") || strings.Contains(w.text, "..") {
			inv.Unresolved("what " + w.text + " matches is not known")
			return
		}
		inv.Opaque("what " + w.text + " matches is not followed")
	default:
		f(p)
	}
}

func windowsWrite(inv *Invocation, w psWord) {
	if isOneOf(strings.ToLower(w.text), []string{"nul", "$null", "con"}) || w.text == "" && w.vague || w.vague && strings.EqualFold(w.text, "null") {
		return
	}
	onWindows(inv, w, inv.Write)
}

// psArgs takes the arguments of a command apart: switches, named values,
// operands. Names are lower case.
type psArgs struct {
	names  map[string]psWord
	values []psWord
}

func readPsArgs(words []psWord, cmd bool) psArgs {
	a := psArgs{names: map[string]psWord{}}
	for i := 0; i < len(words); i++ {
		t := strings.ToLower(words[i].text)
		switch {
		case cmd && strings.HasPrefix(t, "/") && len(t) > 1:
			a.names[t] = psWord{}
		case !cmd && len(t) > 1 && t[0] == '-' && !words[i].vague:
			name, joined, has := strings.Cut(t, ":")
			if has {
				a.names[name] = psWord{joined, false}
			} else if psTakesValue(name) && i+1 < len(words) {
				i++
				a.names[name] = words[i]
			} else {
				a.names[name] = psWord{}
			}
		default:
			a.values = append(a.values, words[i])
		}
	}
	return a
}

func psTakesValue(name string) bool {
	switch name {
	case "-path", "-literalpath", "-destination", "-filter", "-include", "-exclude", "-value", "-newname", "-name", "-itemtype", "-type", "-uri", "-outfile",
		"-method", "-body", "-filepath", "-encoding", "-headers", "-depth", "-erroraction", "-ea", "-credential", "-stream", "-width", "-inputobject", "-delimiter", "-contenttype", "-id", "-destinationpath":
		return true
	}
	return false
}

// named is the value of the first of names that was given.
func (a psArgs) named(names ...string) (psWord, bool) {
	for _, n := range names {
		if w, ok := a.names[n]; ok {
			return w, true
		}
	}
	return psWord{}, false
}

// flag reports a switch, by any beginning of its name that is long enough.
func (a psArgs) flag(short, full string) bool {
	for n := range a.names {
		if strings.HasPrefix(n, short) && strings.HasPrefix(full, n) {
			return true
		}
	}
	return false
}

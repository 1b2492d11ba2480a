package classify

// line is an argument list taken apart by a grammar.
type line struct {
	args     []Word
	options  []option
	operands []Word
	// unsure says that an operand which is not known could be an option.
	unsure bool
	// problem says why the line is not understood; empty when it is.
	problem string
}

// takeApart reads args by g.
func takeApart(g *Grammar, args []Word) line {
	tokens := make([]token, len(args))
	for i, w := range args {
		tokens[i] = w.token()
	}
	p := g.parse(tokens)
	l := line{args: args, options: p.options, unsure: p.unsure, problem: p.problem}
	for _, i := range p.operands {
		l.operands = append(l.operands, args[i])
	}
	return l
}

// Operands are the arguments that are not options or their values.
func (l *line) Operands() []Word { return l.operands }

// Has reports whether any of the named options was given. Names are without
// dashes and never abbreviated: "r", "recursive".
func (l *line) Has(names ...string) bool {
	for _, o := range l.options {
		if isOneOf(o.name, names) {
			return true
		}
	}
	return false
}

// Value is the value of the last of the named options, if one was given.
func (l *line) Value(names ...string) (Word, bool) {
	values := l.Values(names...)
	if len(values) == 0 {
		return Word{}, false
	}
	return values[len(values)-1], true
}

// Values are the values of the named options in the order they were given.
func (l *line) Values(names ...string) []Word {
	var out []Word
	for _, o := range l.options {
		if o.has && isOneOf(o.name, names) {
			out = append(out, l.args[o.word].cut(o.cut))
		}
	}
	return out
}

// behind are the arguments after the value of o, options and all.
func (l *line) behind(o option) []Word { return l.args[o.word+1:] }

func isOneOf(name string, names []string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// token is what option parsing may know of w. A word of several values is an
// operand when none of them can be an option, and not known otherwise.
func (w Word) token() token {
	if s, ok := w.One(); ok {
		return token{head: s, whole: true}
	}
	head := w.Prefix()
	if head == "" && !w.val.mayStart('-') {
		head = "x"
	}
	return token{head: head}
}

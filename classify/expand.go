package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// mode says what may still happen to a piece of an expanded word.
type mode byte

const (
	// quoted text stays as it is; literal text may be a pattern; the result of
	// an expansion outside of quotes is split into fields as well.
	quoted mode = iota
	literal
	splits
	// whole is the result of an expansion that is not split, as zsh has it.
	whole
)

// chunk is a piece of a word while it is expanded.
type chunk struct {
	text  string
	mode  mode
	loose bool
	// gone says that the element it comes from may not be in its list.
	gone bool
}

// draft is one way a word may come out: fields that are complete and the one
// that is still growing.
type draft struct {
	done [][]chunk
	cur  []chunk
	// open: the growing field exists even when it is empty.
	open bool
}

// expander expands one word in the evaluator's current state.
type expander struct {
	ev     *evaluator
	drafts []draft
	// assign: a tilde behind a colon counts and nothing is split.
	assign bool
	// doc: the text of a here document.
	doc bool
	// whole: what parameters come to is not split.
	whole bool
	// gone: the elements that are added may not be in their list.
	gone bool
}

// maxManyWays is how many words a command may have that can come out in several
// ways.
const maxManyWays = 256

// words expands the words of a command in every way they may come out.
func (ev *evaluator) words(list []*syntax.Word) [][]Word {
	out := [][]Word{nil}
	for _, w := range list {
		ways := ev.fields(w)
		if len(out)*len(ways) > maxValues || len(ways) > 1 && len(list) > maxManyWays {
			ways = [][]Word{{ev.unknownField(w)}}
		}
		if len(ways) == 1 {
			for i := range out {
				out[i] = append(out[i], ways[0]...)
			}
			continue
		}
		var next [][]Word
		for _, head := range out {
			for _, tail := range ways {
				next = append(next, append(head[:len(head):len(head)], tail...))
			}
		}
		out = next
	}
	return out
}

// fields expands one word into fields, in every way that may come out. Ways
// with the same number of fields are one way whose fields have several values.
// plainLit gives the text of a word that expansion does not change.
// fieldsOf expands a word without braces; whole is the word it came from.
// value expands a word that is neither split nor a pattern, as on the right of
// an assignment.
func (ev *evaluator) value(w *syntax.Word) value {
	if w == nil {
		return known("")
	}
	x := expander{ev: ev, drafts: []draft{{}}, assign: true}
	x.parts(w.Parts, false, true)
	return x.joined()
}

// docValue expands the body of a here document.
func (ev *evaluator) docValue(w *syntax.Word) value {
	if w == nil {
		return known("")
	}
	x := expander{ev: ev, drafts: []draft{{}}, doc: true}
	x.parts(w.Parts, true, false)
	return x.joined()
}

// joined is what the drafts are when nothing is split.
func (x *expander) joined() value {
	var out value
	for _, d := range x.drafts {
		var b strings.Builder
		loose := false
		for i, f := range append(d.done, d.cur) {
			if i > 0 {
				b.WriteByte(' ')
			}
			for _, c := range f {
				if b.Len() <= maxText {
					b.WriteString(c.text)
				}
				loose = loose || c.loose
			}
		}
		out = out.orNew(value{strs: []string{tidyText(b.String())}, loose: loose})
	}
	return out
}

// pattern expands a word of which unquoted characters are a pattern.
func (ev *evaluator) pattern(w *syntax.Word) value {
	if w == nil {
		return known("")
	}
	x := expander{ev: ev, drafts: []draft{{}}, assign: true}
	x.parts(w.Parts, false, true)
	var out value
	for _, d := range x.drafts {
		var b strings.Builder
		for _, c := range d.cur {
			b.WriteString(c.pattern())
		}
		out = out.orNew(known(b.String()))
	}
	return out
}

// pattern is the piece with everything quoted that is not active.
func (c chunk) pattern() string {
	if c.loose {
		if c.mode != splits {
			return anyHole
		}
	}
	if c.mode == quoted || c.mode == whole {
		return quotePattern(c.text)
	}
	return c.text
}

// add appends a value to every draft.
func (x *expander) add(v value, m mode) {
	if x.assign || x.doc {
		if m == splits || m == whole {
			m = literal
		}
	}
	if v.loose && m != splits {
		v = unknownValue()
	}
	strs := v.raw()
	if len(strs)*len(x.drafts) > maxValues {
		strs = []string{widen(strs)}
	}
	if len(strs)*len(x.drafts) > maxValues || len(strs) == 1 {
		for i := range x.drafts {
			x.drafts[i].append(chunk{strs[0], m, v.loose, x.gone})
		}
		return
	}
	next := make([]draft, 0, len(x.drafts)*len(strs))
	for _, d := range x.drafts {
		for _, s := range strs {
			// Clipped, so that what grows later is not shared.
			c := draft{done: d.done[:len(d.done):len(d.done)], cur: d.cur[:len(d.cur):len(d.cur)], open: d.open}
			c.append(chunk{s, m, v.loose, x.gone})
			next = append(next, c)
		}
	}
	x.drafts = next
}

func (d *draft) append(c chunk) {
	if c.mode == quoted || c.mode == literal && c.text != "" {
		d.open = true
	}
	if c.text != "" {
		d.cur = append(d.cur, c)
	}
}

// list appends the elements of "$@" or an array, each a field of its own.
func (x *expander) list(elems []value, m mode) {
	if x.assign || x.doc {
		for i, e := range elems {
			if i > 0 {
				x.add(known(" "), quoted)
			}
			x.add(e, quoted)
		}
		return
	}
	for i, e := range elems {
		if i > 0 {
			for j := range x.drafts {
				d := &x.drafts[j]
				d.done = append(d.done, d.cur)
				d.cur, d.open = nil, m == quoted
			}
		}
		x.add(e, m)
	}
}

// parts expands the parts of a word one after the other.
func (x *expander) parts(parts []syntax.WordPart, inQuotes, first bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			x.lit(p.Value, inQuotes, first && i == 0, i+1 < len(parts))
		case *syntax.SglQuoted:
			s := p.Value
			if p.Dollar {
				s = ansiC(s)
			}
			x.add(known(s), quoted)
		case *syntax.DblQuoted:
			if len(p.Parts) == 0 {
				x.add(known(""), quoted)
			}
			if len(p.Parts) == 1 && x.emptyList(p.Parts[0]) {
				continue
			}
			x.parts(p.Parts, true, false)
		default:
			x.expansion(p, inQuotes)
		}
	}
}

// emptyList reports whether p is "$@" or the like with no elements, which is
// no field at all.
func (x *expander) emptyList(p syntax.WordPart) bool {
	pe, ok := p.(*syntax.ParamExp)
	if !ok || !isListParam(pe) || pe.Exp != nil {
		return false
	}
	v := x.ev.lookup(paramName(pe))
	return v.array && len(v.list) == 0 && !v.open
}

// lit adds literal text.
func (x *expander) lit(s string, inQuotes, first, more bool) {
	if inQuotes {
		x.add(known(doubleEscapes(s, x.doc)), quoted)
		return
	}
	if !first && strings.HasPrefix(s, "~") && x.ev.ctx.Shell == "zsh" && x.mayBeFirst() {
		s = x.zshTilde(s)
	}
	if first || x.assign && strings.Contains(s, ":~") {
		s = x.tilde(s, first, more)
	}
	for s != "" {
		at := strings.IndexByte(s, '\\')
		if at < 0 || at+1 == len(s) {
			x.add(known(s), literal)
			return
		}
		if at > 0 {
			x.add(known(s[:at]), literal)
		}
		if s[at+1] != '\n' {
			x.add(known(s[at+1:at+2]), quoted)
		}
		s = s[at+2:]
	}
}

// tilde expands a tilde at the beginning, adds it as quoted text and gives what
// is left. In assignments one behind a colon counts as well.
func (x *expander) tilde(s string, first, more bool) string {
	if first && strings.HasPrefix(s, "~") {
		user, rest := s[1:], ""
		end := "/"
		if x.assign {
			end = "/:"
		}
		if at := strings.IndexAny(user, end); at >= 0 {
			user, rest = user[:at], user[at:]
		} else if more {
			if user == "" && x.ev.ctx.Shell == "zsh" {
				// zsh looks through quotes here, depending on what they hold.
				x.add(x.ev.homeOf("").or(known("~")), quoted)
				return ""
			}
			return s
		}
		if strings.IndexByte(user, '\\') < 0 {
			x.add(x.ev.homeOf(user), quoted)
			s = rest
		}
	}
	if !x.assign {
		return s
	}
	at := strings.Index(s, ":~")
	if at < 0 {
		return s
	}
	x.lit(s[:at+1], false, false, true)
	return x.tilde(s[at+1:], true, more)
}

// mayBeFirst reports whether nothing may stand in front of what comes next.
func (x *expander) mayBeFirst() bool {
	for _, d := range x.drafts {
		empty := true
		for _, c := range d.cur {
			empty = empty && isWildOnly(c.text)
		}
		if empty {
			return true
		}
	}
	return false
}

// zshTilde expands a tilde behind something that came to nothing, as zsh does.
func (x *expander) zshTilde(s string) string {
	user, rest := s[1:], ""
	if at := strings.IndexByte(user, '/'); at >= 0 {
		user, rest = user[:at], user[at:]
	}
	x.add(x.ev.homeOf(user).or(known("~"+user)), quoted)
	return rest
}

// homeOf is what ~user stands for.
func (ev *evaluator) homeOf(user string) value {
	switch user {
	case "":
		if v := ev.lookup("HOME"); !v.mayUnset {
			return v.val
		}
		return known(ev.ctx.Home)
	case "+":
		return ev.lookup("PWD").val
	case "-":
		return ev.lookup("OLDPWD").val
	}
	if dir, base := splitPath(ev.ctx.Home); base == user {
		return known(joinPath(dir, base))
	}
	if user == "root" {
		return known("/root")
	}
	return unknownValue()
}

// expansion adds what a part that is not plain text comes to.
func (x *expander) expansion(p syntax.WordPart, inQuotes bool) {
	m := splits
	if inQuotes {
		m = quoted
	}
	switch p := p.(type) {
	case *syntax.ParamExp:
		x.param(p, m)
	case *syntax.CmdSubst:
		x.add(x.ev.substitute(p), m)
	case *syntax.ArithmExp:
		x.add(x.ev.arithm(p.X), m)
	case *syntax.ProcSubst:
		x.add(x.ev.procSubst(p), quoted)
	case *syntax.ExtGlob:
		x.add(known(p.Op.String()+p.Pattern.Value+")"), literal)
	case *syntax.BraceExp:
		x.add(unknownValue(), m)
	default:
		x.ev.unknownNode(p)
		x.add(unknownValue(), m)
	}
}

// finish splits a draft into fields and expands patterns.
// ifs is what separates fields; false when it is not known.
// splitFields splits the results of expansions at ifs. A text that may not
// exist at all is no field unless open.
// paths makes words of one field; a pattern becomes what it matches.
// splitBracket reports whether a bracket expression or an extended group is
// spread over several pieces.

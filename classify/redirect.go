package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirected remembers what redirections replaced, and what they write to.
type redirected struct {
	stdin  *input
	sink   *sink
	file   *sink
	stdout []fileTarget
	mixed  bool
}

// fileTarget is a file that the standard output goes to.
type fileTarget struct {
	target target
	word   Word
	add    bool
	old    *value
}

// redirect applies the redirections of a statement and adds their effects. It
// returns what has to be put back.
func (ev *evaluator) redirect(s *syntax.Stmt) *redirected {
	r := &redirected{stdin: ev.stdin, sink: ev.sink}
	for _, rd := range s.Redirs {
		switch rd.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			ev.hereDoc(rd)
		case syntax.WordHdoc:
			ev.stdinFor(rd, newInput(ev.value(rd.Word).concat(known("\n"))))
		case syntax.RdrIn:
			ev.readFrom(rd)
		case syntax.DplIn:
			ev.duplicate(rd, r)
		case syntax.DplOut:
			if !ev.isDescriptor(rd.Word) {
				ev.writeTo(rd, r, false, true)
				continue
			}
			ev.duplicate(rd, r)
		case syntax.RdrInOut:
			ev.openBoth(rd, r)
		case syntax.RdrAll, syntax.RdrAllClob:
			ev.writeTo(rd, r, false, true)
		case syntax.AppAll, syntax.AppAllClob:
			ev.writeTo(rd, r, true, true)
		case syntax.AppOut, syntax.AppClob:
			ev.writeTo(rd, r, true, false)
		default:
			ev.writeTo(rd, r, false, false)
		}
	}
	return r
}

// number is the descriptor a redirection names, dflt when it names none.
func descriptor(rd *syntax.Redirect, dflt string) string {
	if rd.N != nil {
		return rd.N.Value
	}
	return dflt
}

func (ev *evaluator) stdinFor(rd *syntax.Redirect, in *input) {
	if descriptor(rd, "0") == "0" {
		ev.stdin = in
	}
}

func (ev *evaluator) hereDoc(rd *syntax.Redirect) {
	if hereQuoted(rd.Word) {
		v := known("")
		if rd.Hdoc != nil {
			var b strings.Builder
			for _, p := range rd.Hdoc.Parts {
				if lit, ok := p.(*syntax.Lit); ok {
					b.WriteString(lit.Value)
				}
			}
			v = known(b.String())
		}
		ev.stdinFor(rd, newInput(v))
		return
	}
	v := ev.docValue(rd.Hdoc)
	ev.stdinFor(rd, newInput(v))
}

// hereQuoted reports whether any part of a here-document's end mark is quoted.
func hereQuoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok || strings.Contains(lit.Value, "\\") {
			return true
		}
	}
	return false
}

// redirWords expands the word of a redirection.
func (ev *evaluator) redirWords(w *syntax.Word) []Word {
	var out []Word
	for _, way := range ev.fields(w) {
		out = append(out, way...)
	}
	if ev.ctx.Shell == "sh" && plainLit(w) == nil {
		// A plain sh takes the word as it is, neither split nor as a pattern.
		out = append(out, Word{val: ev.value(w), src: ev.text(w), pos: ev.pos(w.Pos())})
	}
	return out
}

func (ev *evaluator) readFrom(rd *syntax.Redirect) {
	var v value
	part := ev.part(ev.text(rd), nil, ev.pos(rd.Pos()))
	inv := ev.redirInvocation(part, rd)
	for _, w := range ev.redirWords(rd.Word) {
		ev.checkRead(part, ev.dir(), w)
		text, ok := inv.contentOf(w)
		if !ok {
			text = unknownValue()
		}
		v = v.orNew(text)
	}
	part.reasonOnce("reads a file")
	ev.stdinFor(rd, newInput(v))
}

// contentOf is what the files hold that w may name.
func (inv *Invocation) contentOf(w Word) (value, bool) {
	var out value
	for _, s := range w.val.all() {
		if s == "/dev/stdin" || s == "/dev/fd/0" || s == "/proc/self/fd/0" {
			out = out.orNew(inv.ev.stdin.rest())
			continue
		}
		if s == "/dev/null" {
			out = out.orNew(known(""))
			continue
		}
		places, ok := inv.ev.world.resolve(absolute(inv.dir, s), true)
		if !ok {
			return value{}, false
		}
		for _, p := range places {
			text, ok := inv.ev.world.content(p.path)
			if !ok {
				return value{}, false
			}
			out = out.orNew(text)
		}
	}
	return out, true
}

func (ev *evaluator) redirInvocation(part *partState, rd *syntax.Redirect) *Invocation {
	return &Invocation{ev: ev, name: rd.Op.String(), dir: ev.dir(), part: part, pos: ev.pos(rd.Pos())}
}

// isDescriptor reports whether the word of <& or >& certainly names a
// descriptor.
func (ev *evaluator) isDescriptor(w *syntax.Word) bool {
	lit := w.Lit()
	if lit == "-" || isDigits(lit) || strings.HasSuffix(lit, "-") && isDigits(strings.TrimSuffix(lit, "-")) {
		return true
	}
	if lit != "" {
		return false
	}
	for _, way := range ev.fields(w) {
		for _, f := range way {
			for _, s := range f.val.all() {
				if s != "-" && !isDigits(s) && s != digitsHole {
					return false
				}
			}
		}
	}
	return true
}

// duplicate is 2>&1 and its kin. What goes to a descriptor that is not followed
// makes the output unknown.
func (ev *evaluator) duplicate(rd *syntax.Redirect, r *redirected) {
	ev.redirWords(rd.Word)
	from, to := descriptor(rd, "1"), rd.Word.Lit()
	if rd.Op == syntax.DplIn {
		if descriptor(rd, "0") == "0" && to != "0" {
			ev.stdin = nil
		}
		return
	}
	switch {
	case from == "2" && to == "1":
		r.mixed = true
	case from == "1" && to == "2" || from == "1" && to == "-":
		ev.sink = nil
		r.stdout = nil
	case from == to, from == "2":
	default:
		if ev.sink != nil {
			ev.sink.val = unknownValue()
		}
		r.mixed = true
	}
}

// writeTo is every redirection that writes a file; all says that it takes the
// errors as well.
func (ev *evaluator) writeTo(rd *syntax.Redirect, r *redirected, add, all bool) {
	words := ev.redirWords(rd.Word)
	out := descriptor(rd, "1") == "1" || all
	if out {
		r.stdout, r.file = nil, &sink{}
		ev.sink = r.file
	}
	for _, w := range words {
		if s, ok := w.One(); ok && (isStream(s) || s == "") {
			continue
		}
		part := ev.part(ev.text(rd), nil, ev.pos(rd.Pos()))
		inv := ev.redirInvocation(part, rd)
		w.src = strings.TrimSpace(w.Source())
		ev.checkRead(part, inv.dir, w)
		for _, t := range inv.places(w, true, "overwrite") {
			ft := fileTarget{target: t, word: w, add: add}
			if add {
				if old, ok := ev.world.content(t.path); ok {
					ft.old = &old
				} else if ev.world.kinds(t.path) == "-" {
					none := known("")
					ft.old = &none
				}
			}
			inv.writeAt(t, w, add, nil)
			if out {
				r.stdout = append(r.stdout, ft)
			}
		}
	}
	if all || r.mixed && out {
		r.mixed = true
	}
}

func (ev *evaluator) openBoth(rd *syntax.Redirect, r *redirected) {
	if descriptor(rd, "0") == "0" {
		ev.stdin = nil
	}
	for _, w := range ev.redirWords(rd.Word) {
		part := ev.part(ev.text(rd), nil, ev.pos(rd.Pos()))
		ev.checkRead(part, ev.dir(), w)
		ev.redirInvocation(part, rd).write(w, true)
	}
}

// endRedirect puts the descriptors back and lets files hold what was written.
func (ev *evaluator) endRedirect(r *redirected, s *syntax.Stmt) {
	if len(r.stdout) > 0 && ev.sink == r.file && !r.mixed {
		text := r.file.val
		if len(text.strs) == 0 {
			text = known("")
		}
		for _, ft := range r.stdout {
			ev.fillFile(ft, text, len(r.stdout) > 1)
		}
	}
	if r.mixed && r.file == nil && r.sink != nil && !silent(s) {
		r.sink.val = r.sink.val.orNew(unknownValue())
	}
	ev.stdin = r.stdin
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == "exec" && len(c.Args) == 1 {
		ev.stdin = nil
		if r.file != nil && r.sink == nil {
			return // exec >file: nobody reads the output
		}
	}
	ev.sink = r.sink
}

// silent reports whether a statement has no command whose errors could show.
func silent(s *syntax.Stmt) bool { return s.Cmd == nil }

// fillFile says what a file holds that a command wrote.
func (ev *evaluator) fillFile(ft fileTarget, text value, may bool) {
	if isStream(ft.target.path) || text.loose {
		return
	}
	nodes := ev.world.nodes[ft.target.path]
	if len(nodes) == 0 {
		return
	}
	if ft.add {
		if ft.old == nil {
			return
		}
		text = ft.old.concat(text)
	}
	n := node{kind: 'f', content: &text}
	if may || len(nodes) > 1 || ev.cond > 0 {
		list := nodes[:0:0]
		for _, have := range nodes {
			if have.kind != 'f' || have.content != nil {
				list = append(list, have)
			}
		}
		ev.world.nodes[ft.target.path] = addNode(list, n)
		return
	}
	ev.world.nodes[ft.target.path] = []node{n}
}

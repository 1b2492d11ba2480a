package classify

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

func itoa(n int) string { return strconv.Itoa(n) }

// outcome is the state after a command, when it succeeds and when it fails.
// A state that is dead cannot come about.
type outcome struct {
	ok, fail state
}

// both is an outcome that may be either.
func (ev *evaluator) both() outcome {
	st := ev.st.fork()
	return outcome{st, st}
}

func (ev *evaluator) succeeds() outcome { return outcome{ok: ev.st.fork()} }
func (ev *evaluator) fails() outcome    { return outcome{fail: ev.st.fork()} }

// settle makes the state after o, whatever happened, the current one.
func (ev *evaluator) settle(o outcome) {
	ev.st = ev.join(o.ok, o.fail)
}

// stmts evaluates statements one after the other.
func (ev *evaluator) stmts(list []*syntax.Stmt) outcome {
	o := ev.succeeds()
	for i, s := range list {
		if i > 0 {
			ev.settle(o)
		}
		o = ev.stmt(s)
	}
	return o
}

// stmt evaluates a statement in each directory it may run in.
func (ev *evaluator) stmt(s *syntax.Stmt) outcome {
	if len(ev.st.cwds) <= 1 || ev.stopped {
		return ev.stmtHere(s)
	}
	start := ev.st.fork()
	var out outcome
	var sinks []value
	before := ev.sinkValue()
	ev.cond++
	for _, dir := range start.cwds {
		ev.st = state{vars: start.vars, cwds: []string{dir}}
		ev.setSink(before)
		o := ev.stmtHere(s)
		sinks = append(sinks, ev.sinkValue())
		out.ok, out.fail = ev.join(out.ok, o.ok), ev.join(out.fail, o.fail)
	}
	ev.cond--
	ev.joinSinks(sinks)
	return out
}

func (ev *evaluator) sinkValue() value {
	if ev.sink == nil {
		return value{}
	}
	return ev.sink.val
}

func (ev *evaluator) setSink(v value) {
	if ev.sink != nil {
		ev.sink.val = v
	}
}

func (ev *evaluator) joinSinks(list []value) {
	if ev.sink == nil || len(list) == 0 {
		return
	}
	out := list[0]
	for _, v := range list[1:] {
		out = out.or(v)
	}
	ev.sink.val = out
}

// stmtHere evaluates a statement in one directory.
func (ev *evaluator) stmtHere(s *syntax.Stmt) outcome {
	if s.Background || s.Coprocess || s.Disown {
		start := ev.st.fork()
		ev.late = append(ev.late, lateCode{stmt: withoutBackground(s), st: start, src: ev.src, outer: ev.outer})
		ev.cond++
		ev.command(s)
		ev.cond--
		ev.st = start
		return ev.succeeds()
	}
	o := ev.command(s)
	if s.Negated {
		o.ok, o.fail = o.fail, o.ok
	}
	return o
}

func withoutBackground(s *syntax.Stmt) *syntax.Stmt {
	c := *s
	c.Background, c.Coprocess, c.Disown = false, false, false
	return &c
}

// command evaluates a statement with its redirections.
func (ev *evaluator) command(s *syntax.Stmt) outcome {
	if !ev.step(s) {
		return ev.both()
	}
	if len(s.Redirs) == 0 {
		return ev.compound(s)
	}
	r := ev.redirect(s)
	var o outcome
	if s.Cmd == nil {
		o = ev.both()
	} else {
		o = ev.compound(s)
	}
	ev.endRedirect(r, s)
	return o
}

// compound evaluates the command of a statement.
func (ev *evaluator) compound(s *syntax.Stmt) outcome {
	switch c := s.Cmd.(type) {
	case nil:
		return ev.both()
	case *syntax.CallExpr:
		return ev.call(c)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return ev.pipeline(s)
		}
		return ev.chain(c)
	case *syntax.Subshell:
		return ev.subshell(func() outcome { return ev.stmts(c.Stmts) })
	case *syntax.Block:
		return ev.stmts(c.Stmts)
	case *syntax.IfClause:
		return ev.ifClause(c)
	case *syntax.WhileClause:
		return ev.while(c)
	case *syntax.ForClause:
		return ev.forClause(c)
	case *syntax.CaseClause:
		return ev.caseClause(c)
	case *syntax.FuncDecl:
		ev.declare(c)
		return ev.succeeds()
	case *syntax.ArithmCmd:
		return ev.truth(ev.arithm(c.X))
	case *syntax.LetClause:
		v := known("0")
		for _, x := range c.Exprs {
			v = ev.arithm(x)
		}
		return ev.truth(v)
	case *syntax.TestClause:
		return ev.testClause(c)
	case *syntax.DeclClause:
		return ev.declClause(c)
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return ev.succeeds()
		}
		return ev.stmt(c.Stmt)
	case *syntax.CoprocClause:
		return ev.stmtHere(&syntax.Stmt{Position: s.Position, Cmd: c.Stmt.Cmd, Redirs: c.Stmt.Redirs, Background: true})
	default:
		ev.unknownNode(c)
		return ev.both()
	}
}

// unknownNode widens a construct that is not modelled.
func (ev *evaluator) unknownNode(n syntax.Node) {
	ev.part(ev.text(n), nil, ev.pos(n.Pos())).unnamed("this construct is not understood")
}

// subshell evaluates f in a shell of its own: nothing it sets stays.
func (ev *evaluator) subshell(f func() outcome) outcome {
	start := ev.st.fork()
	o := f()
	ev.st = start
	out := outcome{ok: start, fail: start}
	if o.ok.dead() {
		out.ok = state{}
	}
	if o.fail.dead() {
		out.fail = state{}
	}
	return out
}

// chain evaluates a && b || c …, however long.
func (ev *evaluator) chain(c *syntax.BinaryCmd) outcome {
	var links []*syntax.BinaryCmd
	first := c.X
	links = append(links, c)
	for {
		b, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.AndStmt && b.Op != syntax.OrStmt || len(first.Redirs) > 0 || first.Negated || first.Background {
			break
		}
		links = append(links, b)
		first = b.X
	}
	cur := ev.stmt(first)
	for i := len(links) - 1; i >= 0; i-- {
		b := links[i]
		start, other := cur.ok, cur.fail
		if b.Op == syntax.OrStmt {
			start, other = other, start
		}
		o := ev.branch(start, other, func() outcome { return ev.stmt(b.Y) })
		if b.Op == syntax.AndStmt {
			cur = outcome{o.ok, ev.join(cur.fail, o.fail)}
		} else {
			cur = outcome{ev.join(cur.ok, o.ok), o.fail}
		}
	}
	return cur
}

// branch evaluates f from start, where other is the state in which f does not
// run. A branch that cannot run is looked at all the same, but what it leaves
// behind does not count.
func (ev *evaluator) branch(start, other state, f func() outcome) outcome {
	if start.dead() {
		if other.dead() {
			return outcome{}
		}
		ev.st = other.fork()
		before := ev.sinkValue()
		ev.cond++
		f()
		ev.cond--
		ev.setSink(before)
		return outcome{}
	}
	ev.st = start.fork()
	if other.dead() {
		return f()
	}
	before := ev.sinkValue()
	ev.cond++
	o := f()
	ev.cond--
	if ev.sink != nil {
		ev.sink.val = before.or(ev.sink.val)
	}
	return o
}

// pipeline evaluates a | b | c.
func (ev *evaluator) pipeline(s *syntax.Stmt) outcome {
	var list []*syntax.Stmt
	var all []bool
	flattenPipe(s, &list, &all)
	start := ev.st.fork()
	stdin, out := ev.stdin, ev.sink
	var o outcome
	for i, part := range list {
		ev.st = start
		last := i == len(list)-1
		if last {
			ev.sink = out
		} else {
			ev.sink = &sink{}
		}
		o = ev.stmt(part)
		if last {
			break
		}
		text := ev.sink.val
		if all[i] {
			text = unknownValue()
		}
		ev.stdin = newInput(text)
	}
	ev.stdin, ev.sink = stdin, out
	if ev.ctx.Shell == "zsh" {
		return o
	}
	if ev.optionMay("lastpipe") {
		return outcome{ev.join(start, o.ok), ev.join(start, o.fail)}
	}
	ev.st = start
	return ev.both()
}

// flattenPipe lists the members of a pipeline; all says which of them send
// their errors down as well.
func flattenPipe(s *syntax.Stmt, list *[]*syntax.Stmt, all *[]bool) {
	b, ok := s.Cmd.(*syntax.BinaryCmd)
	if !ok || b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
		*list = append(*list, s)
		*all = append(*all, false)
		return
	}
	if len(b.X.Redirs) > 0 || b.X.Negated {
		*list = append(*list, b.X)
		*all = append(*all, false)
	} else {
		flattenPipe(b.X, list, all)
	}
	(*all)[len(*all)-1] = b.Op == syntax.PipeAll
	if len(b.Y.Redirs) > 0 {
		*list = append(*list, b.Y)
		*all = append(*all, false)
		return
	}
	flattenPipe(b.Y, list, all)
}

func (ev *evaluator) ifClause(c *syntax.IfClause) outcome {
	if len(c.Cond) == 0 { // else
		return ev.stmts(c.Then)
	}
	o := ev.stmts(c.Cond)
	before := ev.sinkValue()
	then := ev.branch(o.ok, o.fail, func() outcome { return ev.stmts(c.Then) })
	mid := ev.sinkValue()
	ev.setSink(before)
	other := outcome{ok: o.fail}
	if c.Else != nil {
		other = ev.branch(o.fail, o.ok, func() outcome { return ev.ifClause(c.Else) })
	}
	ev.joinSinks([]value{mid, ev.sinkValue()})
	return outcome{ev.join(then.ok, other.ok), ev.join(then.fail, other.fail)}
}

// truth is the outcome of an arithmetic command.
func (ev *evaluator) truth(v value) outcome {
	if n, ok := number1(v); ok {
		if n != 0 {
			return ev.succeeds()
		}
		return ev.fails()
	}
	return ev.both()
}

// catchesAll reports whether one item of a case matches everything.
func catchesAll(c *syntax.CaseClause) bool {
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			if p.Lit() == "*" {
				return true
			}
		}
	}
	return false
}

func (ev *evaluator) caseClause(c *syntax.CaseClause) outcome {
	ev.value(c.Word)
	start := ev.st.fork()
	before := ev.sinkValue()
	out := outcome{}
	sinks := []value{before}
	if !catchesAll(c) {
		out.ok = start
	}
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			ev.st = start
			ev.pattern(p)
		}
		ev.st = ev.join(start, ev.st)
		if item.Op != syntax.Break { // the one before may fall into the next
			start = ev.st.fork()
		}
		ev.setSink(before)
		ev.cond++
		o := ev.stmts(item.Stmts)
		ev.cond--
		sinks = append(sinks, ev.sinkValue())
		out.ok, out.fail = ev.join(out.ok, o.ok), ev.join(out.fail, o.fail)
		if item.Op != syntax.Break {
			start = ev.join(start, ev.join(o.ok, o.fail))
		}
	}
	ev.joinSinks(sinks)
	return out
}

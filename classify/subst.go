package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// substitute evaluates $(…) and gives its output without trailing newlines.
func (ev *evaluator) substitute(c *syntax.CmdSubst) value {
	if len(c.Stmts) == 1 && c.Stmts[0].Cmd == nil && len(c.Stmts[0].Redirs) == 1 && c.Stmts[0].Redirs[0].Op == syntax.RdrIn {
		return ev.substituteFile(c.Stmts[0])
	}
	out := ev.capture(func() { ev.stmts(c.Stmts) })
	return trimOutput(out)
}

// capture evaluates f in a shell of its own and gives what it writes.
func (ev *evaluator) capture(f func()) value {
	start, saved := ev.st.fork(), ev.sink
	own := &sink{}
	ev.sink = own
	f()
	ev.sink, ev.st = saved, start
	if len(own.val.strs) == 0 {
		return known("")
	}
	return own.val
}

// substituteFile is $(< file).
func (ev *evaluator) substituteFile(s *syntax.Stmt) value {
	saved := ev.stdin
	ev.readFrom(s.Redirs[0])
	v := ev.stdin.rest()
	ev.stdin = saved
	return trimOutput(v)
}

// trimOutput is what $(…) makes of an output: NUL bytes go, and newlines at the
// end.
func trimOutput(v value) value {
	return v.each(func(s string) string {
		if strings.Contains(s, nulHole) {
			s = strings.ReplaceAll(s, nulHole, "")
		}
		return strings.TrimRight(s, "\n")
	})
}

// procSubst evaluates <(…) and >(…) and gives the name of the pipe.
func (ev *evaluator) procSubst(p *syntax.ProcSubst) value {
	if p.Op == syntax.CmdOut {
		saved := ev.stdin
		ev.stdin = nil
		ev.capture(func() { ev.stmts(p.Stmts) })
		ev.stdin = saved
		return known("/dev/fd/63")
	}
	out := ev.capture(func() { ev.stmts(p.Stmts) })
	ev.pipes++
	name := "/dev/fd/" + itoa(63+ev.pipes)
	n := node{kind: 'f'}
	if !out.loose {
		n.content = &out
	}
	ev.world.nodes[name] = []node{n}
	return known(name)
}

// script evaluates text that becomes shell code in the current shell.
func (ev *evaluator) script(v value, pos Pos) outcome {
	if ev.depth >= maxDepth {
		ev.note("nested code").unnamed("code is nested too deep to be followed")
		return ev.both()
	}
	start := ev.st.fork()
	before := ev.sinkValue()
	var out outcome
	var sinks []value
	strs := v.all()
	if len(strs) > 1 {
		ev.cond++
		defer func() { ev.cond-- }()
	}
	for _, s := range strs {
		ev.st = start.fork()
		ev.setSink(before)
		o := ev.scriptText(s, pos)
		sinks = append(sinks, ev.sinkValue())
		out.ok, out.fail = ev.join(out.ok, o.ok), ev.join(out.fail, o.fail)
	}
	ev.joinSinks(sinks)
	return out
}

// scriptText evaluates one text. What is not known of it may be anything.
func (ev *evaluator) scriptText(s string, pos Pos) outcome {
	if strings.TrimSpace(s) == "" {
		return ev.succeeds()
	}
	if hasHole(s) {
		if isWild(s) {
			ev.part(showHoles(s), nil, pos).unnamed("code that is run is not known before it runs")
		}
		if isWildOnly(s) {
			return ev.both()
		}
		s = fillHoles(s)
	}
	file, problem := ev.parseNested(s)
	if problem != "" {
		ev.part(s, nil, pos).unnamed(problem)
		return ev.both()
	}
	src, outer := ev.src, ev.outer
	ev.src, ev.outer = s, &pos
	ev.depth++
	o := ev.stmts(file.Stmts)
	ev.depth--
	ev.src, ev.outer = src, outer
	return o
}

// parseNested parses text from within the command; problem says why it cannot
// be read.
func (ev *evaluator) parseNested(s string) (*syntax.File, string) {
	if r := guardInput(s); r != nil {
		return nil, r.Reason
	}
	lang := syntax.LangBash
	if ev.ctx.Shell == "zsh" {
		lang = syntax.LangZsh
	}
	file, err := parse(s, lang)
	if err != nil && lang == syntax.LangZsh {
		file, err = parse(s, syntax.LangBash)
	}
	if err != nil {
		return nil, parseRefusal(err).Reason
	}
	if astDepth(file) > maxNesting {
		return nil, "the code is nested too deep"
	}
	return file, ""
}

// fillHoles writes parts that are not known as expansions that are not known.
func fillHoles(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == holeMark && i+holeLen <= len(s) {
			b.WriteString("${__not_known}")
			i += holeLen - 1
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// walkNested evaluates the code inside a construct that is not modelled.
func (ev *evaluator) walkNested(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CmdSubst); ok {
			ev.substitute(c)
			return false
		}
		return true
	})
}

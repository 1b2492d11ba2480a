package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxRounds is how often a loop of known length is followed round by round.
	maxRounds = 2000
	// openRounds is how often a loop of unknown length is followed before all
	// that still changes counts as unknown, maxOpenRounds how often at most.
	openRounds    = 4
	maxOpenRounds = 12
)

func (ev *evaluator) forClause(c *syntax.ForClause) outcome {
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		return ev.forWords(c, loop)
	case *syntax.CStyleLoop:
		if loop.Init != nil {
			ev.arithm(loop.Init)
		}
		return ev.rounds(func() outcome {
			if loop.Cond == nil {
				return ev.both()
			}
			return ev.truth(ev.arithm(loop.Cond))
		}, func() outcome {
			o := ev.stmts(c.Do)
			ev.settle(o)
			if loop.Post != nil {
				ev.arithm(loop.Post)
			}
			return ev.both()
		})
	default:
		ev.unknownNode(c)
		return ev.both()
	}
}

// forWords evaluates for x in words.
func (ev *evaluator) forWords(c *syntax.ForClause, loop *syntax.WordIter) outcome {
	var ways [][]Word
	if loop.InPos.IsValid() {
		ways = ev.words(loop.Items)
	} else {
		args := ev.lookup("@")
		var list []Word
		for _, v := range args.list {
			list = append(list, Word{val: v, pos: ev.pos(c.Pos())})
		}
		if args.open {
			list = append(list, Word{val: unknownValue(), pos: ev.pos(c.Pos())})
		}
		ways = [][]Word{list}
	}
	start := ev.st.fork()
	before := ev.sinkValue()
	var out state
	var sinks []value
	if len(ways) > 1 {
		ev.cond++
		defer func() { ev.cond-- }()
	}
	for _, items := range ways {
		ev.st = start
		ev.setSink(before)
		ev.eachItem(c, loop.Name.Value, items)
		out = ev.join(out, ev.st)
		sinks = append(sinks, ev.sinkValue())
	}
	ev.joinSinks(sinks)
	ev.st = out
	return ev.both()
}

func (ev *evaluator) eachItem(c *syntax.ForClause, name string, items []Word) {
	leaves := c.Select || mayLeave(c.Do)
	if len(items) > maxRounds {
		items = gather(items)
		leaves = true
	}
	for _, w := range items {
		round := func() {
			v := scalar(w.val)
			ev.assign(name, v)
			ev.settle(ev.stmts(c.Do))
		}
		if !leaves && !w.Unknown() && !w.may {
			round()
		} else {
			ev.perhaps(round)
		}
		if w.Unknown() {
			// It may be many words.
			base := ev.st.fork()
			ev.perhaps(round)
			ev.widenAssigned(base.vars)
		}
	}
}

// gather makes few words of many: what cannot be followed one by one.
func gather(items []Word) []Word {
	var v value
	for _, w := range items {
		for _, s := range w.val.all() {
			v = v.add(s)
		}
	}
	return []Word{{val: v, src: "one of many names", pos: items[0].pos}}
}

// perhaps evaluates what may run or not.
func (ev *evaluator) perhaps(f func()) {
	start := ev.st.fork()
	before := ev.sinkValue()
	ev.cond++
	f()
	ev.cond--
	ev.st = ev.join(start, ev.st)
	if ev.sink != nil {
		ev.sink.val = before.or(ev.sink.val)
	}
}

// mayLeave reports whether a loop may end early or skip the rest of a round.
func mayLeave(list []*syntax.Stmt) bool {
	found := false
	for _, s := range list {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				switch c.Args[0].Lit() {
				case "break", "continue", "return", "exit", "exec", "eval", "source", ".":
					found = true
				}
			}
			return !found
		})
	}
	return found
}

func (ev *evaluator) while(c *syntax.WhileClause) outcome {
	leaves := mayLeave(c.Do)
	return ev.rounds(func() outcome {
		o := ev.stmts(c.Cond)
		if c.Until {
			o.ok, o.fail = o.fail, o.ok
		}
		return o
	}, func() outcome {
		if !leaves {
			return ev.stmts(c.Do)
		}
		ev.perhaps(func() { ev.settle(ev.stmts(c.Do)) })
		return ev.both()
	})
}

// rounds follows a loop. As long as the condition certainly holds, a round is
// like any other command. Otherwise rounds are followed until they change
// nothing more; what keeps changing becomes unknown on the way.
func (ev *evaluator) rounds(cond, body func() outcome) outcome {
	var out state
	before := ev.sinkValue()
	open := 0
	for round := 0; ; round++ {
		head := ev.st.fork()
		o := cond()
		out = ev.join(out, o.fail)
		if o.ok.dead() {
			if round == 0 { // the body is looked at even so
				ev.branch(o.ok, o.fail, body)
			}
			break
		}
		if o.fail.dead() && round < maxRounds && !ev.stopped {
			ev.st = o.ok.fork()
			ev.settle(body())
			continue
		}
		ev.settle(ev.branch(o.ok, o.fail, body))
		next := ev.join(head, ev.st)
		out = ev.join(out, ev.st)
		if open++; open > 1 {
			if !ev.widenChanged(&next, &head, open) || ev.stopped || open > maxOpenRounds {
				ev.setSink(before.or(before.concat(unknownValue())))
				break
			}
		}
		ev.st = next
	}
	if out.dead() {
		out = ev.st
	}
	ev.st = out
	return ev.both()
}

// widenChanged widens what differs between the state at the beginning of a
// round and the one behind it. It reports whether anything did.
func (ev *evaluator) widenChanged(next, head *state, round int) bool {
	if len(next.cwds) > len(head.cwds) {
		if round > openRounds {
			next.cwds = []string{anyHole}
		}
		return true
	}
	if next.vars == head.vars {
		return false
	}
	any := false
	for _, name := range next.changed(commonLayer(next.vars, head.vars)) {
		v := ev.lookupIn(next, name)
		if v.equal(ev.lookupIn(head, name)) {
			continue
		}
		any = true
		if strings.IndexByte(name, ':') >= 0 && !v.val.wild() {
			continue
		}
		v.val = value{strs: []string{widen(v.val.raw())}, loose: v.val.loose}
		v.open = v.open || v.array
		if round > openRounds {
			v.val = unknownValue()
		}
		next.set(name, v)
	}
	return any
}

// widenAssigned makes everything that was set above base unknown: a loop over
// words that are not known may set it again and again.
func (ev *evaluator) widenAssigned(base *layer) {
	for _, name := range ev.st.changed(base) {
		if strings.IndexByte(name, ':') >= 0 {
			continue
		}
		v := ev.lookup(name)
		if len(v.val.strs) > 1 || v.array {
			v.val, v.open = unknownValue(), v.array
			ev.st.set(name, v)
		}
	}
}

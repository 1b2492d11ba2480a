package classify

import (
	"slices"
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
		return ev.rounds(ev.mayLeave(c.Do), func() outcome {
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
	leaves := c.Select || ev.mayLeave(c.Do)
	for i, w := range items {
		round := func() {
			ev.assign(name, scalar(w.val))
			ev.settle(ev.stmts(c.Do))
		}
		switch {
		case len(items) > maxRounds || i > 0 && !ev.room():
			w = gather(items[i:])
			ev.manyRounds(round)
			return
		case w.Unknown(): // it may be many words
			ev.manyRounds(round)
		case leaves || w.may:
			ev.perhaps(round)
		default:
			round()
		}
	}
}

// manyRounds evaluates what may run any number of times.
func (ev *evaluator) manyRounds(round func()) {
	base := ev.st.fork()
	ev.perhaps(round)
	ev.widenAssigned(base.vars)
	ev.perhaps(round)
	ev.widenAssigned(base.vars)
}

// gather makes one word of many: what cannot be followed one by one.
func gather(items []Word) Word {
	var v value
	for _, w := range items {
		for _, s := range w.val.all() {
			v = v.add(s)
		}
		if v.wild() {
			break
		}
	}
	return Word{val: v, src: "one of many names", pos: items[0].pos}
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
func (ev *evaluator) mayLeave(list []*syntax.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	if known, ok := ev.leaves[list[0]]; ok {
		return known
	}
	found := false
	defer func() { ev.leaves[list[0]] = found }()
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
	leaves := ev.mayLeave(c.Do)
	return ev.rounds(leaves, func() outcome {
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
// nothing more; what keeps changing becomes unknown on the way. leaves says that
// the body may end the loop.
func (ev *evaluator) rounds(leaves bool, cond, body func() outcome) outcome {
	var out state
	before := ev.sinkValue()
	open := 0
	for round := 0; ; round++ {
		head, mark := ev.st.fork(), ev.mark()
		o := cond()
		out = ev.join(out, o.fail)
		if o.ok.dead() {
			if round == 0 { // the body is looked at even so
				ev.branch(o.ok, o.fail, body)
			}
			break
		}
		if o.fail.dead() && !leaves && round < maxRounds && ev.room() {
			ev.st = o.ok.fork()
			ev.settle(body())
			if ev.mark() == mark && ev.sameState(&ev.st, &head) {
				out = ev.join(out, ev.st)
				break // it would go on like this for ever
			}
			continue
		}
		ev.settle(ev.branch(o.ok, o.fail, body))
		next := ev.join(head, ev.st)
		out = ev.join(out, ev.st)
		more := ev.mark()[1] != mark[1] && ev.unread()
		if more && round < maxRounds && ev.room() {
			ev.st = next // what is read ends the loop
			continue
		}
		if open++; open > 1 || more {
			changed := ev.widenChanged(&next, &head, open)
			if more || changed && open > maxOpenRounds {
				ev.st = next
				out = ev.join(out, ev.lastRounds(&head, cond, body))
			}
			if more || !changed || ev.stopped || open > maxOpenRounds {
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

// unread reports whether the standard input has more to read.
func (ev *evaluator) unread() bool {
	return ev.stdin != nil && ev.stdin.next > 0 && ev.stdin.next < len(ev.stdin.text)
}

// lastRounds stands for all rounds that are not followed: nothing is known of
// what they read and of what changes on the way.
func (ev *evaluator) lastRounds(head *state, cond, body func() outcome) state {
	if ev.stdin != nil {
		*ev.stdin = input{val: unknownValue()}
	}
	ev.widenChanged(&ev.st, head, maxRounds)
	for range 2 {
		base := ev.st.fork()
		ev.perhaps(func() { ev.settle(cond()); ev.settle(body()) })
		ev.widenAssigned(base.vars)
	}
	return ev.st
}

// room reports whether the evaluation may still follow loops round by round.
func (ev *evaluator) room() bool { return !ev.stopped && ev.steps < maxSteps/2 }

// mark changes when a round did something that the state does not show.
func (ev *evaluator) mark() [2]int {
	read := 0
	if ev.stdin != nil {
		read = ev.stdin.next
	}
	return [2]int{len(ev.world.nodes), read}
}

// sameState reports whether a is what b was.
func (ev *evaluator) sameState(a, b *state) bool {
	if !slices.Equal(a.cwds, b.cwds) {
		return false
	}
	if a.vars == b.vars {
		return true
	}
	for _, name := range a.changed(commonLayer(a.vars, b.vars)) {
		if !ev.lookupIn(a, name).equal(ev.lookupIn(b, name)) {
			return false
		}
	}
	return true
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

package classify

import "mvdan.cc/sh/v3/syntax"

// testClause evaluates [[ … ]]. Only comparisons of known numbers and strings
// have a certain outcome; what files are there when the line runs is not.
func (ev *evaluator) testClause(c *syntax.TestClause) outcome {
	ev.at = fromPos(c.Pos())
	ev.part(ev.text(c), nil, ev.pos(c.Pos())).reasonOnce("only tests")
	switch ev.test(c.X) {
	case 'y':
		return ev.succeeds()
	case 'n':
		return ev.fails()
	default:
		return ev.both()
	}
}

func (ev *evaluator) test(x syntax.TestExpr) byte {
	switch x := x.(type) {
	case *syntax.Word:
		return truthByte(ev.value(x), func(s string) bool { return s != "" })
	case *syntax.ParenTest:
		return ev.test(x.X)
	case *syntax.UnaryTest:
		return ev.testUnary(x)
	case *syntax.BinaryTest:
		return ev.testBinary(x)
	default:
		return '?'
	}
}

// truthByte is whether f holds for every string v may be.
func truthByte(v value, f func(string) bool) byte {
	out := byte(0)
	for _, s := range v.all() {
		if hasHole(s) {
			return '?'
		}
		b := byte('n')
		if f(s) {
			b = 'y'
		}
		if out != 0 && out != b {
			return '?'
		}
		out = b
	}
	return out
}

func (ev *evaluator) testUnary(x *syntax.UnaryTest) byte {
	if x.Op == syntax.TsNot {
		switch ev.test(x.X) {
		case 'y':
			return 'n'
		case 'n':
			return 'y'
		}
		return '?'
	}
	w, ok := x.X.(*syntax.Word)
	if !ok {
		ev.test(x.X)
		return '?'
	}
	v := ev.value(w)
	switch x.Op {
	case syntax.TsVarSet:
		for _, s := range v.all() {
			ev.arithmText(s)
		}
	case syntax.TsEmpStr:
		return truthByte(v, func(s string) bool { return s == "" })
	case syntax.TsNempStr:
		return truthByte(v, func(s string) bool { return s != "" })
	}
	return '?'
}

func (ev *evaluator) testBinary(x *syntax.BinaryTest) byte {
	switch x.Op {
	case syntax.AndTest, syntax.OrTest:
		a, b := ev.test(x.X), ev.test(x.Y)
		end := byte('n')
		if x.Op == syntax.OrTest {
			end = 'y'
		}
		switch {
		case a == end || b == end:
			return end
		case a == b:
			return a
		}
		return '?'
	}
	l, ok1 := x.X.(*syntax.Word)
	r, ok2 := x.Y.(*syntax.Word)
	if !ok1 || !ok2 {
		return '?'
	}
	switch x.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		a, ok1 := number1(ev.arithmWord(l))
		b, ok2 := number1(ev.arithmWord(r))
		if !ok1 || !ok2 {
			return '?'
		}
		return compareInts(x.Op, a, b)
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		a, p := ev.value(l), ev.pattern(r).all()
		if len(p) != 1 || hasHole(p[0]) {
			return '?'
		}
		out := truthByte(a, func(s string) bool { return matchPattern(p[0], s) })
		if x.Op == syntax.TsNoMatch && out != '?' {
			return 'y' + 'n' - out
		}
		return out
	default:
		ev.value(l)
		ev.value(r)
		return '?'
	}
}

func compareInts(op syntax.BinTestOperator, a, b int) byte {
	var out bool
	switch op {
	case syntax.TsEql:
		out = a == b
	case syntax.TsNeq:
		out = a != b
	case syntax.TsLeq:
		out = a <= b
	case syntax.TsGeq:
		out = a >= b
	case syntax.TsLss:
		out = a < b
	default:
		out = a > b
	}
	if out {
		return 'y'
	}
	return 'n'
}

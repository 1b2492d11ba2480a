package classify

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithm evaluates an arithmetic expression. The result is one number, or a
// number that is not known.
func (ev *evaluator) arithm(x syntax.ArithmExpr) value {
	switch x := x.(type) {
	case nil:
		return known("0")
	case *syntax.Word:
		return ev.arithmWord(x)
	case *syntax.ParenArithm:
		return ev.arithm(x.X)
	case *syntax.UnaryArithm:
		return ev.arithmUnary(x)
	case *syntax.BinaryArithm:
		return ev.arithmBinary(x)
	case *syntax.FlagsArithm:
		ev.arithm(x.X)
		return known(digitsHole)
	default:
		ev.unknownNode(x)
		return known(digitsHole)
	}
}

// arithmWord is a number, a variable's name or an expansion.
func (ev *evaluator) arithmWord(w *syntax.Word) value {
	if lit := w.Lit(); isName(lit) {
		v := ev.lookup(lit)
		if v.array {
			v = ev.first(v)
		}
		return ev.arithmValue(v.orEmpty(), 0)
	}
	return ev.arithmValue(ev.value(w), 0)
}

// arithmValue reads text as an expression: a number, or the name of a variable
// that holds one. Anything else could run code in a subscript.
func (ev *evaluator) arithmValue(v value, depth int) value {
	strs := v.all()
	if len(strs) != 1 || depth > 8 {
		for _, s := range strs {
			ev.arithmText(s)
		}
		return known(digitsHole)
	}
	s := strings.TrimSpace(strs[0])
	if s == "" {
		return known("0")
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil && !strings.Contains(s, "_") {
		return known(strconv.FormatInt(n, 10))
	}
	if base, digits, ok := strings.Cut(s, "#"); ok {
		if b, err := strconv.Atoi(base); err == nil && b >= 2 && b <= 36 {
			if n, err := strconv.ParseInt(digits, b, 64); err == nil {
				return known(strconv.FormatInt(n, 10))
			}
		}
	}
	if isName(s) {
		return ev.arithmValue(ev.lookup(s).orEmpty(), depth+1)
	}
	ev.arithmText(s)
	return known(digitsHole)
}

// arithmText looks at text that the shell evaluates as an expression: a
// substitution in a subscript runs.
func (ev *evaluator) arithmText(s string) {
	if strings.Contains(s, "[") && (strings.Contains(s, "$(") || strings.Contains(s, "`") || isWild(s)) {
		ev.note("arithmetic on " + showHoles(cutText(s, 60))).unnamed("a subscript in this text runs a command")
	}
}

func (ev *evaluator) arithmUnary(x *syntax.UnaryArithm) value {
	v := ev.arithm(x.X)
	n, ok := number1(v)
	if x.Op == syntax.Inc || x.Op == syntax.Dec {
		after := known(digitsHole)
		if ok {
			step := 1
			if x.Op == syntax.Dec {
				step = -1
			}
			after = known(itoa(n + step))
		}
		ev.arithmAssign(x.X, after)
		if x.Post {
			return v
		}
		return after
	}
	if !ok {
		return known(digitsHole)
	}
	switch x.Op {
	case syntax.Not:
		return truthOf(n == 0)
	case syntax.BitNegation:
		return known(itoa(^n))
	case syntax.Minus:
		return known(itoa(-n))
	default:
		return v
	}
}

func truthOf(b bool) value {
	if b {
		return known("1")
	}
	return known("0")
}

func (ev *evaluator) arithmAssign(x syntax.ArithmExpr, v value) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return
	}
	if name := w.Lit(); isName(name) {
		ev.assign(name, scalar(v))
		return
	}
	for _, p := range w.Parts {
		if pe, ok := p.(*syntax.ParamExp); ok && pe.Param != nil {
			old := ev.lookup(pe.Param.Value)
			old.open, old.array = true, true
			ev.st.set(pe.Param.Value, old)
		}
	}
}

func (ev *evaluator) arithmBinary(x *syntax.BinaryArithm) value {
	switch x.Op {
	case syntax.TernQuest:
		return ev.ternary(x)
	case syntax.Comma:
		ev.arithm(x.X)
		return ev.arithm(x.Y)
	case syntax.Assgn:
		v := ev.arithm(x.Y)
		ev.arithmAssign(x.X, v)
		return v
	}
	a, b := ev.arithm(x.X), ev.arithm(x.Y)
	op, assigns := assignOp(x.Op)
	n, ok1 := number1(a)
	m, ok2 := number1(b)
	out := known(digitsHole)
	if ok1 && ok2 {
		if r, ok := compute(op, n, m); ok {
			out = known(itoa(r))
		}
	}
	if assigns {
		ev.arithmAssign(x.X, out)
	}
	return out
}

func (ev *evaluator) ternary(x *syntax.BinaryArithm) value {
	c := ev.arithm(x.X)
	arms, ok := x.Y.(*syntax.BinaryArithm)
	if !ok {
		return known(digitsHole)
	}
	a, b := ev.arithm(arms.X), ev.arithm(arms.Y)
	if n, ok := number1(c); ok {
		if n != 0 {
			return a
		}
		return b
	}
	return a.or(b)
}

func assignOp(op syntax.BinAritOperator) (syntax.BinAritOperator, bool) {
	switch op {
	case syntax.AddAssgn:
		return syntax.Add, true
	case syntax.SubAssgn:
		return syntax.Sub, true
	case syntax.MulAssgn:
		return syntax.Mul, true
	case syntax.QuoAssgn:
		return syntax.Quo, true
	case syntax.RemAssgn:
		return syntax.Rem, true
	case syntax.AndAssgn:
		return syntax.And, true
	case syntax.OrAssgn:
		return syntax.Or, true
	case syntax.XorAssgn:
		return syntax.Xor, true
	case syntax.ShlAssgn:
		return syntax.Shl, true
	case syntax.ShrAssgn:
		return syntax.Shr, true
	case syntax.PowAssgn, syntax.AndBoolAssgn, syntax.OrBoolAssgn, syntax.XorBoolAssgn:
		return syntax.XorBool, true
	}
	return op, false
}

// compute gives the result of one operation; false when it has none.
func compute(op syntax.BinAritOperator, a, b int) (int, bool) {
	flag := func(v bool) (int, bool) {
		if v {
			return 1, true
		}
		return 0, true
	}
	switch op {
	case syntax.Add:
		return a + b, true
	case syntax.Sub:
		return a - b, true
	case syntax.Mul:
		return a * b, true
	case syntax.Quo, syntax.Rem:
		if b == 0 || b == -1 {
			return 0, false
		}
		if op == syntax.Quo {
			return a / b, true
		}
		return a % b, true
	case syntax.Pow:
		if b < 0 || b > 62 {
			return 0, false
		}
		r := 1
		for range b {
			r *= a
		}
		return r, true
	case syntax.Shl, syntax.Shr:
		if b < 0 || b > 62 {
			return 0, false
		}
		if op == syntax.Shl {
			return a << b, true
		}
		return a >> b, true
	case syntax.And:
		return a & b, true
	case syntax.Or:
		return a | b, true
	case syntax.Xor:
		return a ^ b, true
	case syntax.Eql:
		return flag(a == b)
	case syntax.Neq:
		return flag(a != b)
	case syntax.Lss:
		return flag(a < b)
	case syntax.Leq:
		return flag(a <= b)
	case syntax.Gtr:
		return flag(a > b)
	case syntax.Geq:
		return flag(a >= b)
	case syntax.AndArit:
		return flag(a != 0 && b != 0)
	case syntax.OrArit:
		return flag(a != 0 || b != 0)
	}
	return 0, false
}

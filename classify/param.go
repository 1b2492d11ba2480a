package classify

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// paramName is the name of a parameter, "" when it has none.
func paramName(p *syntax.ParamExp) string {
	if p.Param == nil {
		return ""
	}
	if p.Param.Value == "*" {
		return "@"
	}
	return p.Param.Value
}

// isListParam reports whether p is $@, $* or all of an array.
func isListParam(p *syntax.ParamExp) bool {
	switch paramName(p) {
	case "@":
		return !p.Length
	}
	if w, ok := p.Index.(*syntax.Word); ok && !p.Length {
		return w.Lit() == "@" || w.Lit() == "*"
	}
	return false
}

// param adds what a parameter expansion comes to.
func (x *expander) param(p *syntax.ParamExp, m mode) {
	ev := x.ev
	if ev.ctx.Shell == "zsh" && x.whole && m == splits {
		m = whole
	}
	if p.Flags != nil || p.NestedParam != nil || p.IsSet || p.Width || len(p.Modifiers) > 0 || p.Param == nil {
		ev.walkNested(p)
		if p.Flags != nil && strings.ContainsAny(p.Flags.Value, "e%") {
			ev.note(ev.text(p)).unnamed("this expansion runs the code in its text")
		}
		x.add(unknownValue(), m)
		return
	}
	name := paramName(p)
	v := ev.lookup(name)
	if p.Names != 0 {
		x.add(unknownValue(), m)
		return
	}
	if p.Excl {
		if isListParam(p) {
			x.listOp(p, keysOf(v), v.open, m)
			return
		}
		if v = ev.indirect(v, p.Index != nil); v.array && len(v.list) > 0 && name == "@" {
			v = scalar(v.list[0])
		}
	}
	if isListParam(p) && !(p.Excl && name == "@") {
		if !v.array {
			if v.unset {
				x.listOp(p, nil, false, m)
				return
			}
			x.listOp(p, []value{v.val}, v.mayUnset, m)
			return
		}
		x.listOp(p, v.list, v.open, m)
		return
	}
	if p.Index != nil {
		v = ev.element(v, p.Index)
	} else if v.array && name != "@" && ev.ctx.Shell == "zsh" && !p.Length {
		x.listOp(p, v.list, v.open, m)
		return
	} else if v.array && name != "@" {
		v = ev.first(v)
	}
	if p.Length {
		x.add(ev.lengthOf(p, v), m)
		return
	}
	x.operate(p, v, m)
}

func keysOf(v variable) []value {
	var out []value
	for i := range v.list {
		if i < len(v.keys) {
			out = append(out, known(v.keys[i]))
			continue
		}
		out = append(out, known(strconv.Itoa(i)))
	}
	return out
}

// first is what $array means: its element 0.
func (ev *evaluator) first(v variable) variable {
	switch {
	case len(v.keys) > 0 || v.open:
		return unknownVariable()
	case v.shaky && len(v.list) > 0:
		return anyOf(v)
	case len(v.list) == 0:
		return noVariable()
	default:
		return variable{val: v.list[0], mayUnset: v.mayUnset}
	}
}

// element is one element of an array.
func (ev *evaluator) element(v variable, index syntax.ArithmExpr) variable {
	if !v.array {
		ev.arithm(index)
		return v
	}
	if len(v.keys) > 0 {
		key := value{}
		if w, ok := index.(*syntax.Word); ok {
			key = ev.value(w)
		}
		for i, k := range v.keys {
			if s := key.all(); len(s) == 1 && s[0] == k && i < len(v.list) {
				return scalar(v.list[i])
			}
		}
	} else if n, ok := number1(ev.arithm(index)); ok {
		if n < 0 {
			n += len(v.list)
		}
		if out, ok := ev.nth(v, n); ok {
			return out
		}
	}
	return anyOf(v)
}

// nth is element n of an array; zsh counts from one unless told otherwise.
func (ev *evaluator) nth(v variable, n int) (variable, bool) {
	if v.open || v.shaky {
		return variable{}, false
	}
	at := func(n int) variable {
		if n >= 0 && n < len(v.list) {
			return variable{val: v.list[n], mayUnset: v.mayUnset}
		}
		return noVariable()
	}
	if ev.ctx.Shell == "zsh" {
		return joinVariables(at(n), at(n-1)), true
	}
	return at(n), true
}

// anyOf is some element of an array.
func anyOf(v variable) variable {
	out := variable{mayUnset: true}
	for _, e := range v.list {
		out.val = out.val.orNew(e)
	}
	if v.open || len(v.list) == 0 {
		out.val = unknownValue()
	}
	return out
}

func number1(v value) (int, bool) {
	s := v.all()
	if len(s) != 1 {
		return 0, false
	}
	n, err := strconv.Atoi(s[0])
	return n, err == nil
}

// indirect is the variable that v names.
func (ev *evaluator) indirect(v variable, indexed bool) variable {
	if indexed || v.array || v.mayUnset || !v.val.known() {
		return unknownVariable()
	}
	var out variable
	for i, name := range v.val.all() {
		if !isName(name) {
			return unknownVariable()
		}
		got := ev.lookup(name)
		if i == 0 {
			out = got
			continue
		}
		out = joinVariables(out, got)
	}
	return out
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func (ev *evaluator) lengthOf(p *syntax.ParamExp, v variable) value {
	w, _ := p.Index.(*syntax.Word)
	if paramName(p) == "@" || w != nil && (w.Lit() == "@" || w.Lit() == "*") {
		full := ev.lookup(paramName(p))
		if full.array && !full.open && !full.shaky && !full.mayUnset {
			return known(strconv.Itoa(len(full.list)))
		}
		return known(digitsHole)
	}
	if v.mayUnset || v.val.loose {
		return known(digitsHole)
	}
	return v.val.each(func(s string) string {
		if hasHole(s) {
			return digitsHole
		}
		return strconv.Itoa(len([]rune(s)))
	})
}

// sliceList is ${a[@]:from:length}. Where the place of an element is not
// certain, every element may be meant.
func (ev *evaluator) sliceList(p *syntax.ParamExp, list []value, open bool) ([]value, bool) {
	from, ok := number1(ev.arithm(p.Slice.Offset))
	length, ok2 := len(list), true
	if p.Slice.Length != nil {
		length, ok2 = number1(ev.arithm(p.Slice.Length))
	}
	if paramName(p) == "@" {
		from--
	}
	switch {
	case ev.lookup(paramName(p)).shaky:
		return list, open
	case !ok || !ok2 || open || from < -1 || length < 0:
		return list, true
	}
	from = min(max(from, 0), len(list))
	return list[from:min(len(list), from+length)], false
}

// listOp applies the operator of p to each element of a list.
func (x *expander) listOp(p *syntax.ParamExp, list []value, open bool, m mode) {
	ev := x.ev
	shaky := ev.lookup(paramName(p)).shaky
	if p.Slice != nil {
		list, open = ev.sliceList(p, list, open)
	}
	out := make([]value, 0, len(list)+1)
	for _, e := range list {
		out = append(out, ev.transform(p, e))
	}
	if open {
		out = append(out, unknownValue())
	}
	if len(out) == 0 && p.Exp != nil {
		x.operate(p, noVariable(), m)
		return
	}
	if shaky && dependsOnSet(p) {
		x.add(unknownValue(), m)
		return
	}
	if p.Exp != nil && (p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull) && len(out) > 0 && !open {
		x.parts(p.Exp.Word.Parts, m == quoted, false)
		return
	}
	if star := p.Param.Value == "*" || indexStar(p); star && m == quoted {
		sep, sure := ev.ifs()
		if !sure || shaky {
			x.add(unknownValue(), m)
			return
		}
		for i, e := range out {
			if i > 0 {
				x.add(known(sep[:min(1, len(sep))]), m)
			}
			x.add(e, m)
		}
		return
	}
	x.gone = shaky
	x.list(out, m)
	x.gone = false
}

// dependsOnSet reports whether p comes to something else when the list has no
// elements.
func dependsOnSet(p *syntax.ParamExp) bool {
	if p.Exp == nil {
		return false
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return true
	}
	return false
}

func indexStar(p *syntax.ParamExp) bool {
	w, ok := p.Index.(*syntax.Word)
	return ok && w.Lit() == "*"
}

// operate adds a variable with the operator of p applied.
// orEmpty is the value of a variable that may not be set.
// states reports whether v can be set (and, with null, not empty), and whether
// it can be the opposite.
// isWildOnly reports whether s can be the empty string.
// fallback is ${x:-word} and its kin.
// without takes a string out of the set unless it is the only one.
// nested expands the word of an operator with its own quoting.
// wordIn is the value of the word of an operator.
// transform applies cutting, replacing and slicing operators to a value.
// cutPattern cuts the shortest or longest match off one end of s.
// isPlainCut reports whether a plain text is cut off a known end of s.
// replaced is ${x/pattern/with}.
// sliced is ${x:from:length}.

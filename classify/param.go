package classify

import (
	"strconv"
	"strings"
	"unicode"

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
	if p.Flags != nil || p.NestedParam != nil || p.IsSet || p.Width || len(p.Modifiers) > 0 || p.Param == nil {
		ev.walkNested(p)
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
		if n >= 0 && n < len(v.list) && !v.open {
			return variable{val: v.list[n], mayUnset: v.mayUnset}
		}
		if !v.open {
			return noVariable()
		}
	}
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
		if full.array && !full.open && !full.mayUnset {
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

// listOp applies the operator of p to each element of a list.
func (x *expander) listOp(p *syntax.ParamExp, list []value, open bool, m mode) {
	ev := x.ev
	if p.Slice != nil {
		from, ok1 := number1(ev.arithm(p.Slice.Offset))
		length, ok2 := len(list), true
		if p.Slice.Length != nil {
			length, ok2 = number1(ev.arithm(p.Slice.Length))
		}
		if paramName(p) == "@" {
			from--
		}
		if !ok1 || !ok2 || open || from < -1 || length < 0 {
			open = true
		} else {
			from = min(max(from, 0), len(list))
			list = list[from:min(len(list), from+length)]
		}
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
	if p.Exp != nil && (p.Exp.Op == syntax.AlternateUnset || p.Exp.Op == syntax.AlternateUnsetOrNull) && len(out) > 0 && !open {
		x.parts(p.Exp.Word.Parts, m == quoted, false)
		return
	}
	if star := p.Param.Value == "*" || indexStar(p); star && m == quoted {
		sep, sure := ev.ifs()
		if !sure {
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
	x.list(out, m)
}

func indexStar(p *syntax.ParamExp) bool {
	w, ok := p.Index.(*syntax.Word)
	return ok && w.Lit() == "*"
}

// operate adds a variable with the operator of p applied.
func (x *expander) operate(p *syntax.ParamExp, v variable, m mode) {
	if p.Exp == nil {
		x.add(x.ev.transform(p, v.orEmpty()), m)
		return
	}
	null := false
	switch p.Exp.Op {
	case syntax.AlternateUnsetOrNull, syntax.DefaultUnsetOrNull, syntax.ErrorUnsetOrNull, syntax.AssignUnsetOrNull:
		null = true
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		x.fallback(p, v, null, m)
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		full, empty := v.states(null)
		other := x.ev.wordIn(p.Exp.Word, m)
		switch {
		case full && empty:
			x.add(other.or(known("")), m)
		case full:
			x.nested(p.Exp.Word, m)
		default:
			x.add(known(""), m)
		}
	default:
		x.add(x.ev.transform(p, v.orEmpty()), m)
	}
}

// orEmpty is the value of a variable that may not be set.
func (v variable) orEmpty() value {
	switch {
	case v.unset:
		return known("")
	case v.mayUnset && !v.val.wild():
		return v.val.or(known(""))
	default:
		return v.val
	}
}

// states reports whether v can be set (and, with null, not empty), and whether
// it can be the opposite.
func (v variable) states(null bool) (full, empty bool) {
	if v.unset {
		return false, true
	}
	empty = v.mayUnset
	for _, s := range v.val.all() {
		switch {
		case null && s == "":
			empty = true
		case null && isWildOnly(s):
			empty, full = true, true
		default:
			full = true
		}
	}
	return full, empty
}

// isWildOnly reports whether s can be the empty string.
func isWildOnly(s string) bool {
	for len(s) >= holeLen && s[0] == holeMark && s[1] == holeAny {
		s = s[holeLen:]
	}
	return s == ""
}

// fallback is ${x:-word} and its kin.
func (x *expander) fallback(p *syntax.ParamExp, v variable, null bool, m mode) {
	full, empty := v.states(null)
	op := p.Exp.Op
	failing := op == syntax.ErrorUnset || op == syntax.ErrorUnsetOrNull
	have := v
	have.mayUnset = false
	val := have.val
	if null {
		val = val.without("")
	}
	if !empty || failing && full {
		x.ev.value(p.Exp.Word)
		x.add(val, m)
		return
	}
	if failing {
		x.ev.value(p.Exp.Word)
		x.add(unknownValue(), m)
		return
	}
	if !full && op != syntax.AssignUnset && op != syntax.AssignUnsetOrNull {
		x.nested(p.Exp.Word, m)
		return
	}
	other := x.ev.wordIn(p.Exp.Word, m)
	result := other
	if full {
		result = val.or(other)
	}
	if (op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull) && p.Index == nil {
		x.ev.assign(p.Param.Value, scalar(result))
	}
	x.add(result, m)
}

// without takes a string out of the set unless it is the only one.
func (v value) without(s string) value {
	var out value
	for _, t := range v.raw() {
		if t != s {
			out.strs = append(out.strs, t)
		}
	}
	if len(out.strs) == 0 {
		return v
	}
	out.loose = v.loose
	return out
}

// nested expands the word of an operator with its own quoting.
func (x *expander) nested(w *syntax.Word, m mode) {
	if w == nil {
		x.add(known(""), m)
		return
	}
	x.parts(w.Parts, m == quoted, m != quoted)
}

// wordIn is the value of the word of an operator.
func (ev *evaluator) wordIn(w *syntax.Word, m mode) value {
	if w == nil {
		return known("")
	}
	x := expander{ev: ev, drafts: []draft{{}}, assign: true}
	x.parts(w.Parts, m == quoted, m != quoted)
	return x.joined()
}

// transform applies cutting, replacing and slicing operators to a value.
func (ev *evaluator) transform(p *syntax.ParamExp, v value) value {
	switch {
	case p.Repl != nil:
		return ev.replaced(p.Repl, v)
	case p.Slice != nil:
		return ev.sliced(p.Slice, v)
	case p.Exp == nil:
		return v
	}
	op := p.Exp.Op
	pattern := ev.pattern(p.Exp.Word)
	strs := pattern.all()
	switch op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		if len(strs) != 1 || isWild(strs[0]) || v.loose {
			return unknownValue()
		}
		return v.each(func(s string) string { return cutPattern(s, strs[0], op) })
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		if p.Exp.Word != nil && len(p.Exp.Word.Parts) > 0 {
			return unknownValue()
		}
		return v.each(func(s string) string { return changeCase(s, op) })
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull,
		syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return v
	default:
		return unknownValue()
	}
}

// cutPattern cuts the shortest or longest match off one end of s.
func cutPattern(s, pattern string, op syntax.ParExpOperator) string {
	if isWild(s) && !isPlainCut(s, pattern, op) {
		return anyHole
	}
	n := len(s)
	for i := 0; i <= n; i++ {
		at := i
		switch op {
		case syntax.RemSmallSuffix, syntax.RemLargePrefix:
			at = n - i
		}
		if insideHole(s, at) {
			continue
		}
		switch op {
		case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
			if matchPattern(pattern, s[at:]) {
				return s[:at]
			}
		default:
			if matchPattern(pattern, s[:at]) {
				return s[at:]
			}
		}
	}
	return s
}

// isPlainCut reports whether a plain text is cut off a known end of s.
func isPlainCut(s, pattern string, op syntax.ParExpOperator) bool {
	if isPattern(pattern) {
		return false
	}
	p := unquotePattern(pattern)
	if op == syntax.RemSmallPrefix || op == syntax.RemLargePrefix {
		return strings.IndexByte(s, holeMark) >= len(p)
	}
	return len(s)-strings.LastIndexByte(s, holeMark)-holeLen >= len(p)
}

func insideHole(s string, at int) bool {
	for i := max(0, at-holeLen+1); i < at && i < len(s); i++ {
		if s[i] == holeMark {
			return true
		}
	}
	return false
}

func changeCase(s string, op syntax.ParExpOperator) string {
	if hasHole(s) {
		return anyHole
	}
	switch op {
	case syntax.UpperAll:
		return strings.ToUpper(s)
	case syntax.LowerAll:
		return strings.ToLower(s)
	}
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	if op == syntax.UpperFirst {
		r[0] = unicode.ToUpper(r[0])
	} else {
		r[0] = unicode.ToLower(r[0])
	}
	return string(r)
}

// replaced is ${x/pattern/with}.
func (ev *evaluator) replaced(r *syntax.Replace, v value) value {
	pattern, with := ev.pattern(r.Orig), ev.value(r.With)
	ps, ws := pattern.all(), with.all()
	if len(ps) != 1 || len(ws) != 1 || isWild(ps[0]) || isWild(ws[0]) || v.loose || strings.ContainsAny(ws[0], `&\`) {
		return unknownValue()
	}
	p, anchor := ps[0], byte(0)
	if strings.HasPrefix(p, "#") || strings.HasPrefix(p, "%") {
		anchor, p = p[0], p[1:]
	}
	return v.each(func(s string) string {
		if hasHole(s) {
			return anyHole
		}
		return replacePattern(s, p, ws[0], anchor, r.All)
	})
}

func replacePattern(s, p, with string, anchor byte, all bool) string {
	if p == "" {
		return s
	}
	var b strings.Builder
	for i := 0; i <= len(s); {
		end := -1
		for j := len(s); j >= i; j-- {
			if anchor == '%' && j != len(s) {
				break
			}
			if matchPattern(p, s[i:j]) {
				end = j
				break
			}
		}
		if end > i {
			b.WriteString(with)
			i = end
			if !all || anchor != 0 {
				return b.String() + s[i:]
			}
			continue
		}
		if anchor == '#' {
			return s
		}
		if i < len(s) {
			b.WriteByte(s[i])
		}
		i++
	}
	return b.String()
}

// sliced is ${x:from:length}.
func (ev *evaluator) sliced(sl *syntax.Slice, v value) value {
	from, ok := number1(ev.arithm(sl.Offset))
	length, ok2, given := 0, true, sl.Length != nil
	if given {
		length, ok2 = number1(ev.arithm(sl.Length))
	}
	if !ok || !ok2 || v.loose {
		return unknownValue()
	}
	return v.each(func(s string) string {
		if hasHole(s) {
			return anyHole
		}
		r := []rune(s)
		at := from
		if at < 0 {
			at += len(r)
		}
		if at < 0 || at > len(r) {
			return ""
		}
		end := len(r)
		if given {
			if end = at + length; length < 0 {
				end = len(r) + length
			}
		}
		end = min(end, len(r))
		if end < at {
			return ""
		}
		return string(r[at:end])
	})
}

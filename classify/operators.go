package classify

import (
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

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

func isWildOnly(s string) bool {
	for len(s) >= holeLen && s[0] == holeMark && s[1] == holeAny {
		s = s[holeLen:]
	}
	return s == ""
}

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

func (x *expander) nested(w *syntax.Word, m mode) {
	if w == nil {
		x.add(known(""), m)
		return
	}
	x.parts(w.Parts, m == quoted, m != quoted)
}

func (ev *evaluator) wordIn(w *syntax.Word, m mode) value {
	if w == nil {
		return known("")
	}
	x := expander{ev: ev, drafts: []draft{{}}, assign: true}
	x.parts(w.Parts, m == quoted, m != quoted)
	return x.joined()
}

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
	if op == syntax.OtherParamOps && p.Exp.Word.Lit() == "P" && (!v.known() || strings.ContainsAny(v.raw()[0], "$`") || len(v.raw()) > 1) {
		ev.note(ev.text(p)).unnamed("this expansion runs the code in its text")
	}
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

package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (ev *evaluator) unknownField(w *syntax.Word) Word {
	return Word{val: unknownValue(), src: ev.text(w), pos: ev.pos(w.Pos())}
}

func (ev *evaluator) fields(w *syntax.Word) [][]Word {
	if lit := plainLit(w); lit != nil {
		return [][]Word{{{val: known(lit.Value), pos: ev.pos(w.Pos())}}}
	}
	variants, ok := ev.braces(w)
	if !ok {
		return [][]Word{{ev.unknownField(w)}}
	}
	if len(variants) > 1 && ev.ctx.Shell == "sh" {
		// A plain sh has no braces; what is named with them is named as well.
		out := ev.fieldsAll(variants, w)
		return append(out, ev.fieldsOf(w, w)...)
	}
	return ev.fieldsAll(variants, w)
}

// fieldsAll expands what braces made of one word, one after the other.
func (ev *evaluator) fieldsAll(variants []*syntax.Word, w *syntax.Word) [][]Word {
	out := [][]Word{nil}
	for _, v := range variants {
		ways := ev.fieldsOf(v, w)
		if len(ways) == 1 {
			for i := range out {
				out[i] = append(out[i], ways[0]...)
			}
			continue
		}
		var next [][]Word
		for _, head := range out {
			for _, tail := range ways {
				next = append(next, append(head[:len(head):len(head)], tail...))
			}
		}
		if len(next) > maxValues {
			return [][]Word{{ev.unknownField(w)}}
		}
		out = next
	}
	return out
}

func plainLit(w *syntax.Word) *syntax.Lit {
	if len(w.Parts) != 1 {
		return nil
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsAny(lit.Value, "\\~*?[{=+@!^#<(") {
		return nil
	}
	return lit
}

func (ev *evaluator) fieldsOf(w, whole *syntax.Word) [][]Word {
	start := ev.st.fork()
	x := expander{ev: ev, drafts: []draft{{}}}
	x.parts(w.Parts, false, true)
	drafts := x.drafts
	if ev.ctx.Shell == "zsh" && anySplit(drafts) {
		// zsh takes what a parameter comes to as one word.
		ev.st = start
		one := expander{ev: ev, drafts: []draft{{}}, whole: true}
		one.parts(w.Parts, false, true)
		drafts = append(drafts, one.drafts...)
	}
	var ways [][]Word
	for _, d := range drafts {
		got := ev.finish(d, whole)
		merged := false
		for i, have := range ways {
			if len(have) == len(got) && len(got) > 0 {
				ways[i] = mergeFields(have, got)
				merged = true
				break
			}
			merged = merged || len(have) == 0 && len(got) == 0
		}
		if !merged {
			ways = append(ways, got)
		}
	}
	return ways
}

// anySplit reports whether a draft has a text that splitting or a pattern could
// make something else of.
func anySplit(drafts []draft) bool {
	for _, d := range drafts {
		for _, f := range append(d.done[:len(d.done):len(d.done)], d.cur) {
			for _, c := range f {
				if c.mode == splits && strings.ContainsAny(c.text, " \t\n*?[:,;") {
					return true
				}
			}
		}
	}
	return false
}

func mergeFields(a, b []Word) []Word {
	out := make([]Word, len(a))
	for i := range a {
		out[i] = a[i]
		out[i].val = a[i].val.or(b[i].val)
		out[i].may, out[i].shaky = a[i].may && b[i].may, a[i].shaky || b[i].shaky
	}
	return out
}

func (ev *evaluator) finish(d draft, w *syntax.Word) []Word {
	ifs, sure := ev.ifs()
	var out []Word
	for i, f := range append(d.done[:len(d.done):len(d.done)], d.cur) {
		open := d.open
		if i < len(d.done) {
			open = true
		}
		for _, part := range splitFields(f, open, ifs, sure) {
			out = append(out, ev.paths(part, w)...)
		}
	}
	return out
}

func (ev *evaluator) ifs() (string, bool) {
	v := ev.lookup("IFS")
	if v.unset {
		return " \t\n", true
	}
	strs := v.val.all()
	return strs[0], len(strs) == 1 && v.val.known() && !v.mayUnset
}

func splitFields(f []chunk, open bool, ifs string, sure bool) [][]chunk {
	var out [][]chunk
	var cur []chunk
	have := false
	for _, c := range f {
		if c.mode != splits {
			cur, have = append(cur, c), true
			continue
		}
		if !sure && c.text != "" {
			cur, have = append(cur, chunk{text: anyHole, mode: quoted}), true
			continue
		}
		rest := c.text
		for {
			at := strings.IndexAny(rest, ifs)
			if ifs == "" || at < 0 {
				break
			}
			if at > 0 {
				cur, have = append(cur, chunk{text: rest[:at], mode: splits, loose: c.loose, gone: c.gone}), true
			}
			if have || strings.IndexByte(" \t\n", rest[at]) < 0 {
				out = append(out, cur)
			}
			cur, have = nil, false
			rest = rest[at+1:]
		}
		if rest != "" {
			cur, have = append(cur, chunk{text: rest, mode: splits, loose: c.loose, gone: c.gone}), true
		}
	}
	if have || open && len(out) == 0 {
		out = append(out, cur)
	}
	return out
}

func (ev *evaluator) paths(f []chunk, w *syntax.Word) []Word {
	if ev.ctx.Shell == "zsh" {
		f = ev.zshPattern(f)
	}
	active, shaky, plain := false, false, strings.Builder{}
	for _, c := range f {
		if plain.Len() <= maxText {
			plain.WriteString(c.text)
		}
		active = active || c.active() && strings.ContainsAny(c.text, "*?[+@!(") && isPattern(c.text)
		shaky = shaky || c.loose || c.gone
	}
	word := Word{val: known(tidyText(plain.String())), pos: ev.pos(w.Pos()), shaky: shaky}
	if hasHole(plain.String()) {
		word.src = ev.text(w)
	}
	if !active && !splitBracket(f) || ev.optionOn("noglob") {
		return []Word{word}
	}
	var b strings.Builder
	for _, c := range f {
		b.WriteString(c.pattern())
	}
	pattern := b.String()
	if !isPattern(pattern) {
		return []Word{word}
	}
	word.src = ev.text(w)
	if isWild(pattern) {
		word.val = known(anyHole)
		return []Word{word}
	}
	found, ok := ev.glob(ev.dir(), pattern)
	if !ok {
		word.val = unknownValue()
		return []Word{word}
	}
	out := make([]Word, 0, len(found)+1)
	for _, m := range found {
		out = append(out, Word{val: known(m.path), src: "", pos: word.pos, may: m.may, shaky: m.shaky || shaky})
	}
	if len(found) == 0 && ev.ctx.Shell == "zsh" {
		ev.nomatch = true
	}
	if ev.ctx.Shell != "zsh" && len(found) > 0 && certain(out) == 0 {
		// All of them may be gone by then, and the pattern stays what it is.
		left := word
		left.may, left.shaky = true, true
		out = append(out, left)
	} else if len(found) == 0 || onlyMay(found) || ev.optionMay("noglob") {
		if holeKind(pattern, holeFresh) {
			// What a new directory holds is new as well.
			word.val = known(strings.ReplaceAll(plain.String(), "*", nameHole))
		}
		out = append(out, word)
	}
	return out
}

// active reports whether the piece may be a pattern.
func (c chunk) active() bool { return c.mode == literal || c.mode == splits }

func onlyMay(found []match) bool {
	for _, m := range found {
		if !m.may {
			return false
		}
	}
	return true
}

func splitBracket(f []chunk) bool {
	if len(f) < 2 {
		return false
	}
	for _, c := range f {
		if c.active() && strings.ContainsAny(c.text, "[(") {
			return true
		}
	}
	return false
}

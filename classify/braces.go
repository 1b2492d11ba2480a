package classify

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces is how many words one brace expansion may give.
const maxBraces = 4096

// braces expands the braces of a word into words without any. ok is false when
// there would be too many.
func (ev *evaluator) braces(w *syntax.Word) (out []*syntax.Word, ok bool) {
	if !hasBrace(w) {
		return []*syntax.Word{w}, true
	}
	split := &syntax.Word{Parts: w.Parts}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{w}, true
	}
	lists, ok := braceParts(split.Parts)
	if !ok {
		return nil, false
	}
	for _, parts := range lists {
		out = append(out, &syntax.Word{Parts: mergeLits(parts)})
	}
	return out, true
}

// mergeLits makes one literal of those that stand side by side: braces are
// expanded before the text is looked at in any other way.
func mergeLits(parts []syntax.WordPart) []syntax.WordPart {
	out := make([]syntax.WordPart, 0, len(parts))
	for _, p := range parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			out = append(out, p)
			continue
		}
		if n := len(out); n > 0 {
			if have, ok := out[n-1].(*syntax.Lit); ok {
				out[n-1] = &syntax.Lit{ValuePos: have.ValuePos, ValueEnd: lit.ValueEnd, Value: have.Value + lit.Value}
				continue
			}
		}
		if lit.Value != "" {
			out = append(out, p)
		}
	}
	return out
}

func hasBrace(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			for i := range len(lit.Value) {
				if lit.Value[i] == '{' {
					return true
				}
			}
		}
	}
	return false
}

func braceParts(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	out := [][]syntax.WordPart{nil}
	for _, p := range parts {
		choices := [][]syntax.WordPart{{p}}
		if b, isBrace := p.(*syntax.BraceExp); isBrace {
			var ok bool
			if choices, ok = braceChoices(b); !ok {
				return nil, false
			}
		}
		if len(out)*len(choices) > maxBraces {
			return nil, false
		}
		next := make([][]syntax.WordPart, 0, len(out)*len(choices))
		for _, head := range out {
			for _, c := range choices {
				next = append(next, append(head[:len(head):len(head)], c...))
			}
		}
		out = next
	}
	return out, true
}

func braceChoices(b *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	if b.Sequence {
		return braceSequence(b)
	}
	var out [][]syntax.WordPart
	for _, e := range b.Elems {
		lists, ok := braceParts(e.Parts)
		if !ok {
			return nil, false
		}
		out = append(out, lists...)
	}
	return out, len(out) <= maxBraces
}

// braceSequence is {1..9}, {09..1..2} or {a..e}.
func braceSequence(b *syntax.BraceExp) ([][]syntax.WordPart, bool) {
	from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
	step := 1
	if len(b.Elems) > 2 {
		n, err := strconv.Atoi(b.Elems[2].Lit())
		if err != nil {
			return nil, false
		}
		step = max(n, -n, 1)
	}
	lo, err1 := strconv.Atoi(from)
	hi, err2 := strconv.Atoi(to)
	chars := err1 != nil || err2 != nil
	if chars {
		if len(from) != 1 || len(to) != 1 {
			return nil, false
		}
		lo, hi = int(from[0]), int(to[0])
	}
	if max(hi-lo, lo-hi)/step > maxBraces || lo > 1<<40 || hi > 1<<40 || lo < -1<<40 || hi < -1<<40 {
		return nil, false
	}
	width := 0
	if zeroLed(from) || zeroLed(to) {
		width = max(len(from), len(to))
	}
	var out [][]syntax.WordPart
	for n := lo; ; {
		s := string(rune(n))
		if !chars {
			s = padNumber(n, width)
		}
		out = append(out, []syntax.WordPart{&syntax.Lit{ValuePos: b.Pos(), ValueEnd: b.End(), Value: s}})
		if lo <= hi {
			n += step
		} else {
			n -= step
		}
		if lo <= hi && n > hi || lo > hi && n < hi {
			return out, true
		}
	}
}

func zeroLed(s string) bool {
	if len(s) > 0 && s[0] == '-' {
		s = s[1:]
	}
	return len(s) > 1 && s[0] == '0'
}

func padNumber(n, width int) string {
	s := strconv.Itoa(n)
	for len(s) < width {
		if s[0] == '-' {
			s = "-0" + s[1:]
			continue
		}
		s = "0" + s
	}
	return s
}

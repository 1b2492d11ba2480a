package classify

import "strings"

// nulHole stands for one NUL byte in a text, since NUL itself marks a hole.
const nulHole = "\x00Z\x01"

// encodeNUL writes text so that it can be a value.
func encodeNUL(text string) string { return strings.ReplaceAll(text, "\x00", nulHole) }

// text is what a filter reads. ok is false when it is not known; loose says
// that it is a set of lines of which the real text has some, in any order.
type text struct {
	s     string
	loose bool
	ok    bool
}

// textOf is the text of a word.
func textOf(w Word) text {
	if s, ok := w.Loose(); ok {
		return text{s: strings.ReplaceAll(s, nulHole, "\x00"), loose: true, ok: true}
	}
	if s, ok := w.One(); ok {
		return text{s: s, ok: true}
	}
	if all := w.val.all(); len(all) == 1 {
		s := strings.ReplaceAll(all[0], nulHole, "\n")
		if !hasHole(s) {
			return text{s: strings.ReplaceAll(all[0], nulHole, "\x00"), ok: true}
		}
	}
	return text{}
}

// inputOf is what a filter reads: its files in order, or its input.
func inputOf(inv *Invocation, files []Word) text {
	if len(files) == 0 {
		return textOf(inv.StdinWord())
	}
	out := text{ok: true}
	for _, f := range files {
		var t text
		if f.Is("-") {
			t = textOf(inv.StdinWord())
		} else if name, ok := f.One(); ok {
			data, ok := inv.Read(name)
			t = text{s: string(data), ok: ok}
		}
		if !t.ok {
			return text{}
		}
		out.s += t.s
		out.loose = out.loose || t.loose
	}
	return out
}

// emit writes a text; one that is not known needs no word.
func emit(inv *Invocation, t text) {
	switch {
	case !t.ok:
	case t.loose:
		inv.OutputLoose(encodeNUL(t.s))
	default:
		inv.Output([]byte(encodeNUL(t.s)))
	}
}

// lines splits a text at newlines, keeping them.
func (t text) lines() []string {
	if t.s == "" {
		return nil
	}
	out := strings.SplitAfter(t.s, "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// shuffled is t when only its order is not known any more.
func (t text) shuffled() text {
	if len(t.lines()) > 1 || strings.Count(t.s, "\x00") > 1 {
		t.loose = true
	}
	return t
}

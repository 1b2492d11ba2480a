package classify

import "strings"

// input is a standard input that is read piece by piece. A nil input is one
// that nothing is known of.
type input struct {
	val  value
	text string
	next int
	made bool
}

func newInput(v value) *input {
	if len(v.strs) == 0 {
		v = known("")
	}
	return &input{val: v}
}

// rest is what has not been read yet.
func (in *input) rest() value {
	switch {
	case in == nil:
		return unknownValue()
	case in.next == 0:
		return in.val
	default:
		return value{strs: []string{in.text[min(in.next, len(in.text)):]}, loose: in.val.loose}
	}
}

// lines makes one text of all that the input may be, a superset of its lines.
func (in *input) lines(delim string) {
	if in.made {
		return
	}
	in.made = true
	var b strings.Builder
	for i, s := range in.val.raw() {
		if i > 0 && b.Len() > 0 && !strings.HasSuffix(b.String(), delim) {
			b.WriteString(delim)
		}
		b.WriteString(s)
	}
	in.text = b.String()
}

// line reads up to a delimiter. more is 'y' when there certainly was a line,
// 'n' when the input was at its end, '?' when that is not known.
func (in *input) line(delim string) (v value, more byte) {
	if in == nil {
		return unknownValue(), '?'
	}
	in.lines(delim)
	if in.next >= len(in.text) {
		return known(""), 'n'
	}
	rest := in.text[in.next:]
	got, _, found := strings.Cut(rest, delim)
	in.next += len(got)
	more = 'y'
	if found {
		in.next += len(delim)
	}
	// A last line without its newline is read, and read fails; a line that is
	// not known may be several.
	if !found || isWild(got) || in.val.loose || len(in.val.strs) > 1 {
		more = '?'
	}
	return known(got), more
}

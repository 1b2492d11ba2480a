package classify

import "strings"

// zshPattern writes what only zsh reads in a pattern as something that matches
// at least as much: groups, ranges of numbers, and qualifiers at the end, of
// which those that run code are reported.
func (ev *evaluator) zshPattern(f []chunk) []chunk {
	var out []chunk
	for i, c := range f {
		if !c.active() || !strings.ContainsAny(c.text, "(<^~#") {
			out = append(out, c)
			continue
		}
		if ev.optionMay("extendedglob") && strings.ContainsAny(c.text, "^~#") {
			c.text = anyHole
		}
		c.text = zshRanges(c.text)
		if strings.HasPrefix(c.text, "(") && strings.HasSuffix(c.text, ")") {
			inner := c.text[1 : len(c.text)-1]
			switch {
			case i == len(f)-1 && i > 0 && !strings.Contains(inner, "|"):
				if strings.ContainsAny(inner, "e+") {
					ev.note("(" + inner + ")").unnamed("a qualifier of this pattern may run code")
				}
				// Only a pattern has qualifiers, so it is one.
				c.text = "@()"
			default:
				c.text = "@" + c.text
			}
		}
		out = append(out, c)
	}
	return out
}

// zshRanges writes <1-9> as a number that is not known.
func zshRanges(s string) string {
	for from := 0; ; {
		at := strings.IndexByte(s[from:], '<')
		if at < 0 {
			return s
		}
		at += from
		end := strings.IndexByte(s[at:], '>')
		if end < 0 {
			return s
		}
		lo, hi, ok := strings.Cut(s[at+1:at+end], "-")
		if ok && (lo == "" || isDigits(lo)) && (hi == "" || isDigits(hi)) {
			s = s[:at] + digitsHole + s[at+end+1:]
		}
		from = at + 1
	}
}

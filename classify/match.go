package classify

import (
	"strings"
	"unicode/utf8"
)

// matcher matches names against shell patterns: * ? [...] and, as bash has them
// with extglob, ?(…) *(…) +(…) @(…) !(…). A backslash makes the next character
// plain. steps bounds the work; a match that runs out of it counts as one.
type matcher struct {
	steps int
}

const matchSteps = 20_000

// matchPattern reports whether the whole of s matches pattern.
func matchPattern(pattern, s string) bool {
	m := matcher{steps: matchSteps}
	return m.match(pattern, s, func(rest string) bool { return rest == "" })
}

// match reports whether some beginning of s matches pattern such that then
// accepts what is left.
func (m *matcher) match(pattern, s string, then func(string) bool) bool {
	if m.steps--; m.steps < 0 {
		return true
	}
	if pattern == "" {
		return then(s)
	}
	c := pattern[0]
	if op, alts, rest, ok := extGlob(pattern); ok {
		return m.ext(op, alts, rest, s, then)
	}
	switch c {
	case '*':
		rest := strings.TrimLeft(pattern, "*")
		for i := 0; i <= len(s); i++ {
			if m.match(rest, s[i:], then) {
				return true
			}
		}
		return false
	case '?':
		if s == "" {
			return false
		}
		_, n := utf8.DecodeRuneInString(s)
		return m.match(pattern[1:], s[n:], then)
	case '[':
		ok, hit, n, size := bracket(pattern, s)
		if !ok {
			break
		}
		return hit && m.match(pattern[n:], s[size:], then)
	case holeMark:
		return m.hole(pattern, s, then)
	case '\\':
		if len(pattern) > 1 {
			pattern = pattern[1:]
			c = pattern[0]
		}
	}
	return s != "" && s[0] == c && m.match(pattern[1:], s[1:], then)
}

// hole matches a part that is not known.
func (m *matcher) hole(pattern, s string, then func(string) bool) bool {
	if len(pattern) < holeLen {
		return false
	}
	kind, rest := pattern[1], pattern[holeLen:]
	if strings.HasPrefix(s, pattern[:holeLen]) && m.match(rest, s[holeLen:], then) {
		return true
	}
	start := 1
	if kind == holeAny {
		start = 0
	}
	for i := start; i <= len(s); i++ {
		if kind == holeDigits && i > 0 && (s[i-1] < '0' || s[i-1] > '9') && s[i-1] != '-' {
			return false
		}
		if m.match(rest, s[i:], then) {
			return true
		}
	}
	return false
}

// ext matches one extended group and then rest.
func (m *matcher) ext(op byte, alts []string, rest, s string, then func(string) bool) bool {
	after := func(left string) bool { return m.match(rest, left, then) }
	once := func(from string, next func(string) bool) bool {
		for _, a := range alts {
			if m.match(a, from, next) {
				return true
			}
		}
		return false
	}
	switch op {
	case '@':
		return once(s, after)
	case '?':
		return after(s) || once(s, after)
	case '!':
		for i := 0; i <= len(s); i++ {
			if !once(s[:i], func(left string) bool { return left == "" }) && after(s[i:]) {
				return true
			}
		}
		return false
	default:
		var more func(string) bool
		more = func(left string) bool {
			if after(left) {
				return true
			}
			return once(left, func(next string) bool { return len(next) < len(left) && more(next) })
		}
		if op == '*' && after(s) {
			return true
		}
		return once(s, more)
	}
}

// extGlob splits an extended group off the beginning of pattern.
func extGlob(pattern string) (op byte, alts []string, rest string, ok bool) {
	if len(pattern) < 3 || pattern[1] != '(' || !strings.ContainsRune("?*+@!", rune(pattern[0])) {
		return 0, nil, "", false
	}
	depth, start := 0, 2
	for i := 1; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '(':
			depth++
		case '|':
			if depth == 1 {
				alts = append(alts, pattern[start:i])
				start = i + 1
			}
		case ')':
			if depth--; depth == 0 {
				return pattern[0], append(alts, pattern[start:i]), pattern[i+1:], true
			}
		}
	}
	return 0, nil, "", false
}

// bracket matches a [...] at the beginning of pattern against the first
// character of s. n is its length, size that of the character; ok is false when
// it is not a bracket expression after all.
func bracket(pattern, s string) (ok, hit bool, n, size int) {
	r, size := utf8.DecodeRuneInString(s)
	i := 1
	negate := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negate {
		i++
	}
	first := true
	for i < len(pattern) {
		if pattern[i] == ']' && !first {
			return true, s != "" && hit != negate, i + 1, size
		}
		first = false
		if strings.HasPrefix(pattern[i:], "[:") {
			if end := strings.Index(pattern[i:], ":]"); end > 0 {
				hit = hit || inClass(pattern[i+2:i+end], r)
				i += end + 2
				continue
			}
		}
		lo, w := bracketChar(pattern[i:])
		i += w
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			hi, w := bracketChar(pattern[i+1:])
			i += 1 + w
			hit = hit || lo <= r && r <= hi
			continue
		}
		hit = hit || lo == r
	}
	return false, false, 0, 0
}

func bracketChar(s string) (rune, int) {
	if s[0] == '\\' && len(s) > 1 {
		r, n := utf8.DecodeRuneInString(s[1:])
		return r, n + 1
	}
	return utf8.DecodeRuneInString(s)
}

func inClass(name string, r rune) bool {
	lower, upper := r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z'
	digit := r >= '0' && r <= '9'
	switch name {
	case "lower":
		return lower
	case "upper":
		return upper
	case "digit":
		return digit
	case "alpha":
		return lower || upper || r > 127
	case "alnum":
		return lower || upper || digit || r > 127
	case "space", "blank":
		return strings.ContainsRune(" \t\n\r\v\f", r)
	case "xdigit":
		return digit || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F'
	case "punct":
		return r > ' ' && r < 127 && !lower && !upper && !digit
	default:
		return true
	}
}

// isPattern reports whether s, with quoted characters behind backslashes, is
// more than plain text.
func isPattern(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*', '?':
			return true
		case '[':
			if strings.IndexByte(s[i:], ']') > 0 {
				return true
			}
		case '+', '@', '!':
			if i+1 < len(s) && s[i+1] == '(' {
				return true
			}
		}
	}
	return false
}

// quotePattern makes s match only itself.
func quotePattern(s string) string {
	if !strings.ContainsAny(s, `*?[]\+@!()|-^`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(`*?[]\+@!()|-^`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unquotePattern is the text of a pattern that matched nothing.
func unquotePattern(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

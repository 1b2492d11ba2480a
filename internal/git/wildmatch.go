package git

import "strings"

// wildmatch reports whether text matches pattern as git compares paths: "*",
// "?" and "[…]" stop at "/", a "**" that fills a path element does not. fold
// ignores the case of ASCII letters. ok is false when the comparison takes too
// long; nothing is known then.
func wildmatch(pattern, text string, fold bool) (match, ok bool) {
	if fold {
		pattern, text = strings.ToLower(pattern), strings.ToLower(text)
	}
	w := wild{p: pattern, t: text, steps: 100_000}
	match = w.match(0, 0)
	return match, w.steps > 0
}

type wild struct {
	p, t  string
	steps int
}

// match compares the rest of the pattern from i with the rest of the text
// from j.
func (w *wild) match(i, j int) bool {
	for ; i < len(w.p); j++ {
		if w.steps--; w.steps <= 0 {
			return false
		}
		if w.p[i] == '*' {
			return w.star(i, j)
		}
		if j >= len(w.t) {
			return false
		}
		c := w.t[j]
		switch w.p[i] {
		case '?':
			if c == '/' {
				return false
			}
			i++
		case '[':
			in, next := w.class(i+1, c)
			if !in || c == '/' {
				return false
			}
			i = next
		default:
			if w.p[i] == '\\' && i+1 < len(w.p) {
				i++
			}
			if w.p[i] != c {
				return false
			}
			i++
		}
	}
	return j == len(w.t)
}

// star matches a run of "*" that begins at i.
func (w *wild) star(i, j int) bool {
	end := i
	for end < len(w.p) && w.p[end] == '*' {
		end++
	}
	deep := end-i > 1 && (i == 0 || w.p[i-1] == '/') && (end == len(w.p) || w.p[end] == '/')
	if deep && end < len(w.p) && w.match(end+1, j) {
		return true
	}
	for ; ; j++ {
		if w.match(end, j) {
			return true
		}
		if j >= len(w.t) || w.steps <= 0 || !deep && w.t[j] == '/' {
			return false
		}
	}
}

// class compares c with the bracket expression that begins at i, and returns
// where the pattern goes on. A named class matches nothing.
func (w *wild) class(i int, c byte) (in bool, next int) {
	negate := i < len(w.p) && (w.p[i] == '!' || w.p[i] == '^')
	if negate {
		i++
	}
	for first := true; i < len(w.p) && (first || w.p[i] != ']'); first = false {
		lo := w.p[i]
		if lo == '\\' && i+1 < len(w.p) {
			i++
			lo = w.p[i]
		}
		hi := lo
		if i+2 < len(w.p) && w.p[i+1] == '-' && w.p[i+2] != ']' {
			hi = w.p[i+2]
			i += 2
		}
		in = in || lo <= c && c <= hi
		i++
	}
	return in != negate && i < len(w.p), i + 1
}

package classify

import "strings"

// Word is one argument after every expansion: up to 16 strings that it may be,
// each of them known, or known in part only. The zero Word is the empty string.
type Word struct {
	val value
	// src is the text it came from.
	src string
	pos Pos
	// may says that only a shell with other options would give this word.
	may bool
	// shaky says that the word may be missing, or others before it.
	shaky bool
}

// certain counts the words that are certainly there.
func certain(words []Word) int {
	n := 0
	for _, w := range words {
		if !w.shaky && !w.may {
			n++
		}
	}
	return n
}

// Known gives the strings the word may be; false when any of them has a part
// that is not known.
func (w Word) Known() ([]string, bool) {
	if !w.val.known() {
		return nil, false
	}
	return w.val.all(), true
}

// One gives the only string the word can be.
func (w Word) One() (string, bool) {
	if v := w.val.all(); len(v) == 1 && w.val.known() {
		return v[0], true
	}
	return "", false
}

// Is reports whether the word is certainly one of the strings given.
func (w Word) Is(any ...string) bool {
	s, ok := w.One()
	if !ok {
		return false
	}
	for _, a := range any {
		if s == a {
			return true
		}
	}
	return false
}

// Unknown reports whether a part of the word can be anything, so that no path
// can be made of it.
func (w Word) Unknown() bool { return w.val.wild() }

// Fresh reports whether the word is a path that did not exist before the call,
// or lies below one.
func (w Word) Fresh() bool { return w.val.fresh() }

// Prefix is what every string the word may be begins with.
func (w Word) Prefix() string { return w.val.prefix() }

// Suffix is what every string the word may be ends with.
func (w Word) Suffix() string { return w.val.suffix() }

// Source is the text the word came from, for people.
func (w Word) Source() string {
	if w.src == "" {
		return w.val.String()
	}
	return w.src
}

// Pos is where the word stands in the command.
func (w Word) Pos() Pos { return w.pos }

// cut takes n bytes off the beginning of every string the word may be.
func (w Word) cut(n int) Word {
	w.val = w.val.each(func(s string) string { return dropBytes(s, n) })
	w.src = ""
	return w
}

// Map applies f to every string the word may be. A string with an unknown part
// stays unknown as a whole.
func (w Word) Map(f func(string) string) Word {
	w.val = w.val.each(func(s string) string {
		if hasHole(s) {
			return anyHole
		}
		return f(s)
	})
	return w
}

// dropBytes takes n bytes off s; what lies behind an unknown part is not
// known.
func dropBytes(s string, n int) string {
	if at := strings.IndexByte(s, holeMark); at >= 0 && at < n {
		return anyHole
	}
	if n > len(s) {
		n = len(s)
	}
	return s[n:]
}

// Loose gives the text of a word that is lines of which the real text has some,
// in any order; false for any other word.
func (w Word) Loose() (string, bool) {
	if !w.val.loose || len(w.val.strs) != 1 {
		return "", false
	}
	return w.val.strs[0], true
}

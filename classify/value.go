package classify

import (
	"slices"
	"strings"
)

// A hole is a part of a string that is not known. It is written into the
// string as three bytes that begin with NUL, which no shell string can hold,
// so that joining, cutting and comparing strings need no second form.
const (
	holeMark = '\x00'
	// holeAny can be any string, with slashes and spaces.
	holeAny = 'A'
	// holeDigits is a number, holeName a piece of one file name: not empty, no
	// slash, no space and not a dot at its end or beginning.
	holeDigits = 'D'
	holeName   = 'N'
	// holeFresh is a piece of a path that makes the path one that did not
	// exist before the call. The third byte tells apart what was made twice.
	holeFresh = 'F'

	holeLen = 3

	anyHole    = "\x00A\x01"
	digitsHole = "\x00D\x01"
	nameHole   = "\x00N\x01"
	// pathHole is PATH as it was before the call.
	pathHole = "\x00A\x02"

	// maxValues is how many strings one value may be before it is widened.
	maxValues = 16
)

// value is what a string may be. No strings at all is the empty string.
type value struct {
	strs []string
	// loose says that the strings are lines of which the real text has some,
	// in any order. Seen as a whole such a text is not known.
	loose bool
}

func known(s string) value  { return value{strs: []string{s}} }
func unknownValue() value   { return value{strs: []string{anyHole}} }
func hasHole(s string) bool { return strings.IndexByte(s, holeMark) >= 0 }
func isWild(s string) bool  { return holeKind(s, holeAny) }

// all are the strings v may be.
func (v value) all() []string {
	if v.loose {
		return []string{anyHole}
	}
	return v.raw()
}

// raw is all, with the lines of a loose text as they are.
func (v value) raw() []string {
	if len(v.strs) == 0 {
		return []string{""}
	}
	return v.strs
}

// known reports whether no string of v has a hole.
func (v value) known() bool { return !v.loose && !slices.ContainsFunc(v.strs, hasHole) }

// wild reports whether a string of v has a hole that can be anything.
func (v value) wild() bool {
	return v.loose || slices.ContainsFunc(v.strs, isWild)
}

// holeKind reports whether s has a hole of that kind.
func holeKind(s string, kind byte) bool {
	for at := strings.IndexByte(s, holeMark); at >= 0; {
		if at+1 < len(s) && s[at+1] == kind {
			return true
		}
		next := strings.IndexByte(s[at+1:], holeMark)
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// fresh reports whether every string of v is a path that is new.
func (v value) fresh() bool {
	return len(v.strs) > 0 && !v.loose && !slices.ContainsFunc(v.strs, func(s string) bool {
		return !holeKind(s, holeFresh) || isWild(s)
	})
}

// each applies f to every string.
func (v value) each(f func(string) string) value {
	var out value
	for _, s := range v.raw() {
		out = out.add(f(s))
	}
	out.loose = v.loose
	return out
}

// add is v or also s.
func (v value) add(s string) value {
	if slices.Contains(v.strs, s) {
		return v
	}
	if len(v.strs) < maxValues {
		return value{strs: append(v.strs[:len(v.strs):len(v.strs)], s), loose: v.loose}
	}
	return value{strs: []string{widen(append(v.strs[:len(v.strs):len(v.strs)], s))}}
}

// or is a value that may be what v or w may be.
func (v value) or(w value) value {
	out := v
	if len(v.strs) == 0 {
		out = known("")
	}
	for _, s := range w.raw() {
		out = out.add(s)
	}
	out.loose = v.loose || w.loose
	return out
}

// concat joins every string of v with every one of w.
func (v value) concat(w value) value {
	a, b := v.raw(), w.raw()
	if len(a) == 1 && len(b) == 1 {
		return value{strs: []string{joinText(a[0], b[0])}, loose: v.loose || w.loose}
	}
	if len(a)*len(b) > maxValues {
		a, b = []string{widen(a)}, []string{widen(b)}
	}
	var out value
	for _, x := range a {
		for _, y := range b {
			out = out.add(joinText(x, y))
		}
	}
	out.loose = v.loose || w.loose
	return out
}

const (
	// maxText is how long one string may get, maxHoled how long with a part
	// that is not known.
	maxText  = 1 << 20
	maxHoled = 16 << 10
)

// joinText joins two strings; two parts side by side that can be anything are
// one such part.
func joinText(x, y string) string {
	if strings.HasSuffix(x, anyHole) && strings.HasPrefix(y, anyHole) {
		y = y[holeLen:]
	}
	return tidyText(x + y)
}

// tidyText widens a string that has grown too long to be followed.
func tidyText(s string) string {
	for strings.Contains(s, anyHole+anyHole) {
		s = strings.ReplaceAll(s, anyHole+anyHole, anyHole)
	}
	switch {
	case len(s) > maxText:
		return anyHole
	case len(s) > maxHoled && hasHole(s):
		return commonPrefix([]string{s}) + anyHole
	}
	return s
}

// widen is one string with a hole that covers all of strs.
func widen(strs []string) string {
	if len(strs) == 1 {
		return strs[0]
	}
	p, s := commonPrefix(strs), commonSuffix(strs)
	shortest := len(strs[0])
	for _, x := range strs {
		shortest = min(shortest, len(x))
	}
	if len(p)+len(s) > shortest {
		s = s[len(p)+len(s)-shortest:]
		if hasHole(s) {
			s = ""
		}
	}
	if numbersBetween(strs, len(p), len(s)) {
		return p + digitsHole + s
	}
	return p + anyHole + s
}

// numbersBetween reports whether strs differ in numbers only.
func numbersBetween(strs []string, head, tail int) bool {
	for _, s := range strs {
		mid := s[head : len(s)-tail]
		for strings.HasPrefix(mid, digitsHole) {
			mid = mid[holeLen:]
			if mid == "" {
				mid = "0"
			}
		}
		if !isDigits(mid) {
			return false
		}
	}
	return true
}

func commonPrefix(strs []string) string {
	p := strs[0]
	for _, s := range strs {
		n := 0
		for n < len(p) && n < len(s) && p[n] == s[n] {
			n++
		}
		p = p[:n]
	}
	if at := strings.IndexByte(p, holeMark); at >= 0 {
		p = p[:at]
	}
	return p
}

func commonSuffix(strs []string) string {
	p := strs[0]
	for _, s := range strs {
		n := 0
		for n < len(p) && n < len(s) && p[len(p)-1-n] == s[len(s)-1-n] {
			n++
		}
		p = p[len(p)-n:]
	}
	if at := strings.LastIndexByte(p, holeMark); at >= 0 {
		p = p[min(at+holeLen, len(p)):]
	}
	// A tail that starts in the middle of a hole would be read as text.
	for _, s := range strs {
		if at := strings.LastIndexByte(s, holeMark); at >= 0 && len(s)-len(p) < at+holeLen {
			p = s[min(at+holeLen, len(s)):]
		}
	}
	return p
}

func (v value) prefix() string { return commonPrefix(v.all()) }
func (v value) suffix() string { return commonSuffix(v.all()) }

// mayStart reports whether v can begin with c.
func (v value) mayStart(c byte) bool {
	for _, s := range v.all() {
		switch {
		case s == "":
		case s[0] == c:
			return true
		case s[0] == holeMark && len(s) > 1 && s[1] == holeAny:
			return true
		}
	}
	return false
}

// String shows v to people, holes as ….
func (v value) String() string {
	var parts []string
	for _, s := range v.all() {
		parts = append(parts, showHoles(s))
	}
	return strings.Join(parts, "|")
}

func showHoles(s string) string {
	if !hasHole(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == holeMark {
			b.WriteString("…")
			i += holeLen - 1
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

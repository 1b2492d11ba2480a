package hint

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns s fit for a terminal or a model: control characters, invalid
// UTF-8 and characters that reorder or hide text are written as Go escapes.
// Line breaks are escaped too, so one message stays one line.
func Clean(s string) string { return clean(s, false) }

// CleanText is Clean for text of several lines: line breaks and tabs stay.
func CleanText(s string) string { return clean(s, true) }

func clean(s string, lines bool) string {
	ok := true
	for _, r := range s {
		if unsafe(r, lines) {
			ok = false
			break
		}
	}
	if ok && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i])+0x100, 16)[1:])
		case unsafe(r, lines):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// unsafe reports whether r must not reach a terminal or a model as it is.
func unsafe(r rune, lines bool) bool {
	if lines && (r == '\n' || r == '\t') {
		return false
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}

package classify

import (
	"strings"
	"unicode/utf8"
)

// ansiC reads the inside of $'…' as bash does. What stands behind a NUL is
// dropped, as a shell string cannot hold one.
func ansiC(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		n, ok := ansiEscape(&b, s[i:])
		if !ok {
			return b.String()
		}
		i += n - 1
	}
	return b.String()
}

// ansiEscape writes what the escape at the beginning of s (without backslash)
// stands for and gives its length; false for a NUL.
func ansiEscape(b *strings.Builder, s string) (int, bool) {
	const names, bytes = `abeEfnrtv\'"?`, "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	if at := strings.IndexByte(names, s[0]); at >= 0 {
		b.WriteByte(bytes[at])
		return 1, true
	}
	switch c := s[0]; {
	case c >= '0' && c <= '7':
		return number(b, s, 0, 3, 8, false)
	case c == 'x':
		return number(b, s, 1, 2, 16, false)
	case c == 'u':
		return number(b, s, 1, 4, 16, true)
	case c == 'U':
		return number(b, s, 1, 8, 16, true)
	case c == 'c' && len(s) > 1:
		b.WriteByte(s[1] & 0x1f)
		return 2, s[1]&0x1f != 0
	}
	b.WriteByte('\\')
	b.WriteByte(s[0])
	return 1, true
}

// number reads up to digits digits behind skip bytes.
func number(b *strings.Builder, s string, skip, digits, base int, char bool) (int, bool) {
	n, value := skip, 0
	for n < len(s) && n < skip+digits {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] < 'A' {
			d = strings.IndexByte("0123456789", s[n])
		}
		if d < 0 || d >= base {
			break
		}
		value = value*base + d
		n++
	}
	switch {
	case n == skip:
		b.WriteByte('\\')
		b.WriteByte(s[0])
		return 1, true
	case value == 0:
		return n, false
	case char:
		b.Write(utf8.AppendRune(nil, rune(value)))
	default:
		b.WriteByte(byte(value))
	}
	return n, true
}

// doubleEscapes takes the backslashes off text within double quotes or a here
// document, where only few characters can be escaped.
func doubleEscapes(s string, doc bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '"':
				if doc {
					b.WriteByte('\\')
				}
				i++
			case '$', '`', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

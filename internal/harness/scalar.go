package harness

import (
	"unicode/utf16"
	"unicode/utf8"
)

func (p *parser) number() (string, error) {
	start := p.at
	if p.peek() == '-' {
		p.at++
	}
	switch c := p.peek(); {
	case c == '0':
		p.at++
	case c >= '1' && c <= '9':
		p.digits()
	default:
		return "", p.fail(start, "no number")
	}
	if p.peek() == '.' {
		if p.at++; !p.digits() {
			return "", p.fail(start, "no number")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.digits() {
			return "", p.fail(start, "no number")
		}
	}
	return string(p.data[start:p.at]), nil
}

// digits passes one digit or more and reports whether there was one.
func (p *parser) digits() bool {
	start := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at > start
}

func (p *parser) str() (string, error) {
	p.at++
	start := p.at
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case c == '"':
			s := string(p.data[start:p.at])
			p.at++
			return s, nil
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			return "", p.fail(p.at, "a control character in a string")
		}
		p.at++
	}
	return "", p.fail(p.at, "the end inside a string")
}

// escaped reads on in a string that began at start and has an escape at p.at.
func (p *parser) escaped(start int) (string, error) {
	b := append(make([]byte, 0, p.at-start+64), p.data[start:p.at]...)
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case c == '"':
			p.at++
			return string(b), nil
		case c < 0x20:
			return "", p.fail(p.at, "a control character in a string")
		case c != '\\':
			b = append(b, c)
			p.at++
		default:
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b = utf8.AppendRune(b, r)
		}
	}
	return "", p.fail(p.at, "the end inside a string")
}

// escape reads one escape, or two that make up one character.
func (p *parser) escape() (rune, error) {
	at := p.at
	p.at += 2
	if at+1 >= len(p.data) {
		return 0, p.fail(at, "the end inside a string")
	}
	switch c := p.data[at+1]; c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
	default:
		return 0, p.fail(at, "an unknown escape in a string")
	}
	r, ok := p.hex()
	if !ok {
		return 0, p.fail(at, "an unknown escape in a string")
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	next := p.at
	if p.peek() == '\\' && next+1 < len(p.data) && p.data[next+1] == 'u' {
		p.at += 2
		if low, ok := p.hex(); ok {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				return full, nil
			}
		}
		p.at = next
	}
	if p.lax {
		return utf8.RuneError, nil
	}
	return 0, p.fail(at, "half of a surrogate pair in a string")
}

// hex reads four hexadecimal digits.
func (p *parser) hex() (rune, bool) {
	if len(p.data)-p.at < 4 {
		return 0, false
	}
	var r rune
	for _, c := range p.data[p.at : p.at+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	p.at += 4
	return r, true
}

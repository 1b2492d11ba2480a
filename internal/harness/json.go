package harness

import (
	"fmt"
	"unicode/utf8"
)

// Limits of a payload, checked before any work.
const (
	// MaxPayload is the most bytes that an event which can be refused may have.
	MaxPayload = 1 << 20
	// MaxReport is the most bytes that any other event may have: those carry
	// the output of a call, which nothing is decided by.
	MaxReport = 16 << 20
	// MaxDepth is the deepest nesting of objects and arrays.
	MaxDepth = 200
)

// SyntaxError is why a payload was not taken as JSON.
type SyntaxError struct {
	Offset int    // bytes before the place
	What   string // what is wrong there
}

// Error names the place and what is wrong with it.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("payload: %s at byte %d", e.What, e.Offset)
}

// Parse reads data as exactly one JSON value. It is stricter than most
// readers: field names count with their case, a name may occur once in an
// object, strings are UTF-8 without lone surrogates, nesting ends at MaxDepth,
// and nothing but space follows. Size is the caller's to check.
func Parse(data []byte) (Value, error) { return parse(data, false) }

// ParseReport is Parse for events that nothing is decided by: a lone surrogate
// (programs cut text in the middle of a character) becomes U+FFFD.
func ParseReport(data []byte) (Value, error) { return parse(data, true) }

func parse(data []byte, lax bool) (Value, error) {
	p := parser{data: data, lax: lax}
	if !utf8.Valid(data) {
		return Value{}, p.fail(badUTF8(data), "bytes that are not UTF-8")
	}
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	if p.space(); p.at < len(data) {
		return Value{}, p.fail(p.at, "data after the end of the value")
	}
	return v, nil
}

// badUTF8 is the offset of the first byte that is not UTF-8.
func badUTF8(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}

// parser walks data once. A failed parse leaves it at an unspecified place.
type parser struct {
	data []byte
	at   int
	lax  bool
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &SyntaxError{Offset: at, What: fmt.Sprintf(format, args...)}
}

func (p *parser) space() {
	for p.at < len(p.data) {
		switch p.data[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// peek is the next byte, or 0 at the end. A NUL byte is never valid JSON
// outside of a string, so the two need no telling apart.
func (p *parser) peek() byte {
	if p.at < len(p.data) {
		return p.data[p.at]
	}
	return 0
}

func (p *parser) value(depth int) (Value, error) {
	p.space()
	v := Value{Start: p.at}
	var err error
	switch c := p.peek(); {
	case p.at == len(p.data):
		return v, p.fail(p.at, "the end instead of a value")
	case c == '{' || c == '[':
		if depth == MaxDepth {
			return v, p.fail(p.at, "more than %d levels of nesting", MaxDepth)
		}
		if c == '{' {
			v.Kind = Object
			err = p.object(&v, depth+1)
		} else {
			v.Kind = Array
			err = p.array(&v, depth+1)
		}
	case c == '"':
		v.Kind = String
		v.Text, err = p.str()
	case c == '-' || c >= '0' && c <= '9':
		v.Kind = Number
		v.Text, err = p.number()
	default:
		v.Kind, v.Text, err = p.word()
	}
	v.End = p.at
	return v, err
}

func (p *parser) word() (Kind, string, error) {
	for _, w := range [...]string{"true", "false", "null"} {
		if len(p.data)-p.at >= len(w) && string(p.data[p.at:p.at+len(w)]) == w {
			p.at += len(w)
			if w == "null" {
				return Null, w, nil
			}
			return Bool, w, nil
		}
	}
	return 0, "", p.fail(p.at, "no JSON value")
}

func (p *parser) array(v *Value, depth int) error {
	p.at++
	if p.space(); p.peek() == ']' {
		p.at++
		return nil
	}
	for {
		item, err := p.value(depth)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, item)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case ']':
			p.at++
			return nil
		default:
			return p.fail(p.at, "neither , nor ] in an array")
		}
	}
}

func (p *parser) object(v *Value, depth int) error {
	p.at++
	if p.space(); p.peek() == '}' {
		p.at++
		return nil
	}
	var seen map[string]bool
	for {
		m, err := p.member(depth)
		if err != nil {
			return err
		}
		if v.has(m.Name, &seen) {
			return p.fail(m.NameStart, "field %q for the second time", m.Name)
		}
		v.Members = append(v.Members, m)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
		case '}':
			p.at++
			return nil
		default:
			return p.fail(p.at, "neither , nor } in an object")
		}
	}
}

func (p *parser) member(depth int) (Member, error) {
	p.space()
	m := Member{NameStart: p.at}
	if p.peek() != '"' {
		return m, p.fail(p.at, "no field name")
	}
	var err error
	if m.Name, err = p.str(); err != nil {
		return m, err
	}
	if p.space(); p.peek() != ':' {
		return m, p.fail(p.at, "no : after a field name")
	}
	p.at++
	m.Value, err = p.value(depth)
	return m, err
}

// has reports whether a member name was read before, and notes it. Small
// objects are searched; larger ones get an index.
func (v *Value) has(name string, seen *map[string]bool) bool {
	const small = 24
	if len(v.Members) < small {
		for i := range v.Members {
			if v.Members[i].Name == name {
				return true
			}
		}
		return false
	}
	if *seen == nil {
		*seen = make(map[string]bool, 2*small)
		for i := range v.Members {
			(*seen)[v.Members[i].Name] = true
		}
	}
	if (*seen)[name] {
		return true
	}
	(*seen)[name] = true
	return false
}

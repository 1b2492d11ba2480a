package store

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
)

var errSyntax = errors.New("not a manifest line")

// parser reads the one way in which lines are written. After an error it
// stands still and every value is zero.
type parser struct {
	s   string
	err error
}

func (p *parser) fail() {
	if p.err == nil {
		p.err = errSyntax
	}
	p.s = ""
}

// take passes over text and reports whether it was there.
func (p *parser) take(text string) bool {
	rest, ok := strings.CutPrefix(p.s, text)
	if ok {
		p.s = rest
	}
	return ok
}

func (p *parser) must(text string) {
	if !p.take(text) {
		p.fail()
	}
}

// text reads "key":"…" or "key_b64":"…".
func (p *parser) text(key string) string {
	p.must(`"`)
	p.must(key)
	if p.take(`":`) {
		s := p.str()
		if !clean(s) {
			p.fail()
		}
		return s
	}
	p.must(`_b64":"`)
	raw := p.until('"')
	b, err := base64.StdEncoding.Strict().DecodeString(raw)
	if err != nil || clean(string(b)) || strings.ContainsAny(raw, "\r\n") {
		p.fail()
		return ""
	}
	return string(b)
}

// str reads a string in which only quotes and backslashes are escaped.
func (p *parser) str() string {
	p.must(`"`)
	end := strings.IndexAny(p.s, `"\`)
	if end >= 0 && p.s[end] == '"' {
		s := p.s[:end]
		p.s = p.s[end+1:]
		return s
	}
	var b strings.Builder
	for i := 0; i < len(p.s); i++ {
		switch c := p.s[i]; {
		case c == '"':
			p.s = p.s[i+1:]
			return b.String()
		case c == '\\' && i+1 < len(p.s) && (p.s[i+1] == '"' || p.s[i+1] == '\\'):
			i++
			b.WriteByte(p.s[i])
		case c == '\\':
			p.fail()
			return ""
		default:
			b.WriteByte(c)
		}
	}
	p.fail()
	return ""
}

// until returns what comes before c and passes over both.
func (p *parser) until(c byte) string {
	i := strings.IndexByte(p.s, c)
	if i < 0 {
		p.fail()
		return ""
	}
	s := p.s[:i]
	p.s = p.s[i+1:]
	return s
}

// int reads an optional field; 0 is never written.
func (p *parser) int(key string) int64 {
	if !p.field(key) {
		return 0
	}
	n := p.number()
	if n == 0 {
		p.fail()
	}
	return n
}

// uint reads an optional field of at most bits bits; 0 is never written.
func (p *parser) uint(key string, bits int) uint64 {
	if !p.field(key) {
		return 0
	}
	d := p.digits()
	n, err := strconv.ParseUint(d, 10, bits)
	if err != nil || n == 0 || d[0] == '0' {
		p.fail()
	}
	return n
}

// field passes over ,"key": and reports whether it was there.
func (p *parser) field(key string) bool {
	head, ok := strings.CutPrefix(p.s, `,"`)
	if !ok {
		return false
	}
	if head, ok = strings.CutPrefix(head, key); !ok {
		return false
	}
	if head, ok = strings.CutPrefix(head, `":`); ok {
		p.s = head
	}
	return ok
}

// number reads a decimal number as it is written.
func (p *parser) number() int64 {
	sign := ""
	if p.take("-") {
		sign = "-"
	}
	d := p.digits()
	n, err := strconv.ParseInt(sign+d, 10, 64)
	if err != nil || d[0] == '0' && sign+d != "0" {
		p.fail()
		return 0
	}
	return n
}

func (p *parser) digits() string {
	i := 0
	for i < len(p.s) && p.s[i] >= '0' && p.s[i] <= '9' {
		i++
	}
	if i == 0 {
		p.fail()
		return "0"
	}
	d := p.s[:i]
	p.s = p.s[i:]
	return d
}

// hex reads len(to) bytes in hex and a quote.
func (p *parser) hex(to []byte) {
	s := p.until('"')
	if len(s) != 2*len(to) || strings.ToLower(s) != s {
		p.fail()
		return
	}
	if _, err := hex.Decode(to, []byte(s)); err != nil {
		p.fail()
	}
}

func (p *parser) crc() uint32 {
	var b [4]byte
	p.hex(b[:])
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

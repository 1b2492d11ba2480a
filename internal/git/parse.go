package git

import (
	"errors"
	"fmt"
	"strings"
)

// setting is one line of a configuration.
type setting struct {
	// key has its section and its name in lower case, and its subsection as it
	// is written.
	key, value string
	// bare says that there is no "=": the setting is true.
	bare  bool
	scope scope
	// conditional says that an includeIf brought it in.
	conditional bool
}

// parseConfig reads the text of one configuration file as git does. Includes
// are settings like any other here. A text that git refuses is an error that
// names the line.
func parseConfig(text string) ([]setting, error) {
	p := configParser{text: strings.TrimPrefix(text, "\ufeff"), line: 1}
	var out []setting
	for {
		c, ok := p.next()
		switch {
		case !ok:
			return out, nil
		case isSpace(c):
		case c == '#' || c == ';':
			for ok && c != '\n' {
				c, ok = p.next()
			}
		case c == '[':
			if err := p.header(); err != nil {
				return nil, fmt.Errorf("line %d: %w", p.line, err)
			}
		case isAlpha(c):
			p.back()
			s, err := p.setting()
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", p.line, err)
			}
			out = append(out, s)
		default:
			return nil, fmt.Errorf("line %d: stray character %q", p.line, c)
		}
	}
}

type configParser struct {
	text    string
	pos     int
	line    int
	section string
}

// next returns the next byte. CR LF reads as LF, as does the end when it is
// read for the first time, see end.
func (p *configParser) next() (byte, bool) {
	if p.pos >= len(p.text) {
		return '\n', false
	}
	c := p.text[p.pos]
	p.pos++
	if c == '\r' && p.pos < len(p.text) && p.text[p.pos] == '\n' {
		c = '\n'
		p.pos++
	}
	if c == '\n' {
		p.line++
	}
	return c, true
}

// back undoes next for a byte that is no line break.
func (p *configParser) back() { p.pos-- }

// header reads a section header behind its "[".
func (p *configParser) header() error {
	var name strings.Builder
	for {
		c, ok := p.next()
		switch {
		case !ok:
			return errors.New("section header has no end")
		case c == ']' && name.Len() > 0:
			p.section = name.String()
			return nil
		case isSpace(c):
			return p.subsection(name.String(), c)
		case !isKeyChar(c) && c != '.':
			return fmt.Errorf("section name has %q", c)
		}
		name.WriteByte(lower(c))
	}
}

// subsection reads the quoted part of a section header.
func (p *configParser) subsection(base string, c byte) error {
	ok := true
	for ok && isSpace(c) && c != '\n' {
		c, ok = p.next()
	}
	if c != '"' {
		return errors.New("subsection has no opening quote")
	}
	var name strings.Builder
	for {
		c, ok = p.next()
		if ok && c == '\\' {
			c, ok = p.next()
		} else if c == '"' {
			break
		}
		if !ok || c == '\n' {
			return errors.New("subsection has no closing quote")
		}
		name.WriteByte(c)
	}
	if c, _ = p.next(); c != ']' {
		return errors.New("section header has no end")
	}
	p.section = base + "." + name.String()
	return nil
}

// setting reads a name and its value.
func (p *configParser) setting() (setting, error) {
	var name strings.Builder
	c, ok := p.next()
	for ok && isKeyChar(c) {
		name.WriteByte(lower(c))
		c, ok = p.next()
	}
	for ok && (c == ' ' || c == '\t') {
		c, ok = p.next()
	}
	s := setting{key: name.String()}
	if p.section != "" {
		s.key = p.section + "." + s.key
	}
	if c == '\n' {
		s.bare = true
		return s, nil
	}
	if c != '=' {
		return s, fmt.Errorf("setting has %q before its value", c)
	}
	value, err := p.value()
	s.value = value
	return s, err
}

// value reads what stands behind "=".
func (p *configParser) value() (string, error) {
	var out strings.Builder
	quoted, comment, spaces := false, false, 0
	for {
		c, _ := p.next()
		switch {
		case c == '\n' && quoted:
			return "", errors.New("value has no closing quote")
		case c == '\n':
			return out.String(), nil
		case comment:
			continue
		case isSpace(c) && !quoted:
			if out.Len() > 0 {
				spaces++
			}
			continue
		case !quoted && (c == ';' || c == '#'):
			comment = true
			continue
		}
		for ; spaces > 0; spaces-- {
			out.WriteByte(' ')
		}
		switch c {
		case '\\':
			e, err := p.escape()
			if err != nil {
				return "", err
			}
			out.WriteString(e)
		case '"':
			quoted = !quoted
		default:
			out.WriteByte(c)
		}
	}
}

// escape reads what stands behind a backslash in a value.
func (p *configParser) escape() (string, error) {
	c, _ := p.next()
	switch c {
	case '\n':
		return "", nil
	case 't':
		return "\t", nil
	case 'b':
		return "\b", nil
	case 'n':
		return "\n", nil
	case '\\', '"':
		return string(c), nil
	default:
		return "", fmt.Errorf("value has the escape \\%c", c)
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isAlpha(c byte) bool { return 'a' <= lower(c) && lower(c) <= 'z' }
func isKeyChar(c byte) bool {
	return isAlpha(c) || '0' <= c && c <= '9' || c == '-'
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

package classify

import "strings"

// sedFound is what a sed script does beside printing.
type sedFound struct {
	writes, runs []string
	// evals says that text which is not in the script is run as a command.
	evals bool
	ok    bool
}

// scanSed reads a sed script as far as is needed to find what it writes and
// runs.
func scanSed(script string) sedFound {
	s := sedScanner{s: script}
	for s.at < len(s.s) && !s.bad {
		s.command()
	}
	s.found.ok = !s.bad
	return s.found
}

type sedScanner struct {
	s     string
	at    int
	bad   bool
	found sedFound
}

func (s *sedScanner) peek() byte {
	if s.at < len(s.s) {
		return s.s[s.at]
	}
	return 0
}

func (s *sedScanner) skip(set string) {
	for s.at < len(s.s) && strings.IndexByte(set, s.s[s.at]) >= 0 {
		s.at++
	}
}

// rest takes the text up to the end of the line.
func (s *sedScanner) rest() string {
	end := strings.IndexByte(s.s[s.at:], '\n')
	if end < 0 {
		end = len(s.s) - s.at
	}
	out := s.s[s.at : s.at+end]
	s.at += end
	return strings.TrimSpace(out)
}

// upTo skips text to an unescaped end, classes in brackets included when it is
// a regular expression.
func (s *sedScanner) upTo(end byte, regex bool) {
	class := false
	for ; s.at < len(s.s); s.at++ {
		c := s.s[s.at]
		switch {
		case c == '\\':
			s.at++
		case c == end && !class:
			s.at++
			return
		case regex && c == '[' && !class && strings.IndexByte(s.s[s.at+1:], ']') >= 0:
			class = true
			for s.at+1 < len(s.s) && (s.s[s.at+1] == '^' || s.s[s.at+1] == ']') {
				s.at++
			}
		case c == ']':
			class = false
		}
	}
	s.bad = true
}

// address skips one address and reports whether there was one.
func (s *sedScanner) address() bool {
	switch c := s.peek(); {
	case c >= '0' && c <= '9', c == '$', c == '+' || c == '~':
		s.at++
		s.skip("0123456789~")
		return true
	case c == '/':
		s.at++
		s.upTo('/', true)
	case c == '\\':
		s.at++
		end := s.peek()
		s.at++
		s.upTo(end, true)
	default:
		return false
	}
	s.skip("IM")
	return true
}

func (s *sedScanner) command() {
	s.skip(" \t\n;")
	if s.at == len(s.s) {
		return
	}
	if s.address() {
		s.skip(" \t")
		if s.peek() == ',' {
			s.at++
			s.skip(" \t")
			s.address()
		}
	}
	s.skip(" \t!")
	c := s.peek()
	s.at++
	switch c {
	case '{', '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
	case '#':
		s.rest()
	case ':', 'b', 't', 'T', 'q', 'Q', 'l', 'L':
		s.label()
	case 'r', 'R':
		s.rest()
	case 'a', 'i', 'c':
		s.text()
	case 'w', 'W':
		s.found.writes = append(s.found.writes, s.rest())
	case 'e':
		if code := s.rest(); code != "" {
			s.found.runs = append(s.found.runs, code)
		} else {
			s.found.evals = true
		}
	case 's':
		s.substitute()
	case 'y':
		end := s.peek()
		s.at++
		s.upTo(end, false)
		s.upTo(end, false)
	default:
		s.bad = true
	}
}

func (s *sedScanner) label() {
	for s.at < len(s.s) && strings.IndexByte("\n;}", s.s[s.at]) < 0 {
		s.at++
	}
}

// text skips the text of a, i and c, which goes on behind a backslash.
func (s *sedScanner) text() {
	for ; s.at < len(s.s) && s.s[s.at] != '\n'; s.at++ {
		if s.s[s.at] == '\\' {
			s.at++
		}
	}
	s.at = min(s.at, len(s.s))
}

func (s *sedScanner) substitute() {
	end := s.peek()
	if end == 0 || end == '\n' || end == '\\' {
		s.bad = true
		return
	}
	s.at++
	s.upTo(end, true)
	s.upTo(end, false)
	for s.at < len(s.s) {
		switch c := s.s[s.at]; {
		case strings.IndexByte("gpiImM0123456789", c) >= 0:
			s.at++
		case c == 'e':
			s.found.evals = true
			s.at++
		case c == 'w':
			s.at++
			s.found.writes = append(s.found.writes, s.rest())
			return
		default:
			return
		}
	}
}

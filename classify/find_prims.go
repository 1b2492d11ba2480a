package classify

import (
	"path"
	"strings"
)

// test gives the truth of a test that does nothing.
func (r *findRun) test(n *findNode, e *findEntry) truth {
	switch n.name {
	case "-true", "-depth", "-d", "-xdev", "-mount", "-x", "-follow", "-daystart", "-noleaf", "-nowarn", "-warn",
		"-ignore_readdir_race", "-noignore_readdir_race", "-maxdepth", "-mindepth", "-regextype":
		return yes
	case "-false":
		return no
	case "-empty":
		return r.empty(e)
	}
	if len(n.args) == 0 {
		return maybe
	}
	arg, ok := n.args[0].One()
	if !ok {
		return maybe
	}
	switch n.name {
	case "-name":
		return nameTest(arg, path.Base(e.path), false)
	case "-iname":
		return nameTest(arg, path.Base(e.path), true)
	case "-path", "-wholename":
		return nameTest(arg, e.path, false)
	case "-ipath", "-iwholename":
		return nameTest(arg, e.path, true)
	case "-type":
		return truthIf(strings.IndexByte(","+arg, e.info.Type) > 0 && e.info.Type != ',')
	case "-size":
		return sizeTest(arg, e.info)
	default:
		return maybe
	}
}

func truthIf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func (r *findRun) empty(e *findEntry) truth {
	switch e.info.Type {
	case 'f':
		return truthIf(e.info.Size == 0)
	case 'd':
		if r.line.depth {
			return maybe // what is below may be removed by then
		}
		return r.inv.emptyDir(e.path)
	default:
		return no
	}
}

// sizeTest compares a file's size, rounded up to the unit.
func sizeTest(arg string, info Info) truth {
	if info.Type != 'f' || arg == "" {
		return maybe
	}
	sign := byte('=')
	if arg[0] == '+' || arg[0] == '-' {
		sign, arg = arg[0], arg[1:]
	}
	unit := int64(512)
	if arg != "" && !isDigits(arg) {
		switch arg[len(arg)-1] {
		case 'c':
			unit = 1
		case 'w':
			unit = 2
		case 'b':
		case 'k':
			unit = 1 << 10
		case 'M':
			unit = 1 << 20
		case 'G':
			unit = 1 << 30
		default:
			return maybe
		}
		arg = arg[:len(arg)-1]
	}
	if !isDigits(arg) || len(arg) > 15 {
		return maybe
	}
	n, have := int64(decimal(arg)), (info.Size+unit-1)/unit
	switch sign {
	case '+':
		return truthIf(have > n)
	case '-':
		return truthIf(have < n)
	default:
		return truthIf(have == n)
	}
}

// nameTest matches byte by byte and character by character; which one find
// does depends on the locale.
func nameTest(pattern, s string, fold bool) truth {
	t := truthIf(fnmatch(pattern, s, fold))
	if !isASCII(s) && truthIf(fnmatch(squash(pattern), squash(s), fold)) != t {
		return maybe
	}
	return t
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// squash makes one byte of every character.
func squash(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= 0x80 {
			r = 0x80 + r%0x80
			b.WriteByte(byte(r))
			continue
		}
		b.WriteByte(byte(r))
	}
	return b.String()
}

// fnmatch matches as find does: "*" and "?" match any byte, "/" and a leading
// "." too.
func fnmatch(pattern, s string, fold bool) bool {
	if fold {
		pattern, s = strings.ToLower(pattern), strings.ToLower(s)
	}
	star, back := -1, 0
	p, i := 0, 0
	for i < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			star, back = p, i
			p++
			continue
		}
		if next, ok := matchOne(pattern, p, s[i]); ok {
			p, i = next, i+1
			continue
		}
		if star < 0 {
			return false
		}
		back++
		p, i = star+1, back
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches the pattern element at p with c and gives where the next
// one starts.
func matchOne(pattern string, p int, c byte) (int, bool) {
	if p >= len(pattern) {
		return p, false
	}
	switch pattern[p] {
	case '?':
		return p + 1, true
	case '\\':
		if p+1 < len(pattern) {
			return p + 2, pattern[p+1] == c
		}
		return p + 1, c == '\\'
	case '[':
		if next, in, ok := matchSet(pattern, p+1, c); ok {
			return next, in
		}
	}
	return p + 1, pattern[p] == c
}

// matchSet matches a bracket expression whose content starts at p.
func matchSet(pattern string, p int, c byte) (next int, in, ok bool) {
	negated := p < len(pattern) && (pattern[p] == '!' || pattern[p] == '^')
	if negated {
		p++
	}
	for first := true; p < len(pattern); first = false {
		lo := pattern[p]
		switch {
		case lo == ']' && !first:
			return p + 1, in != negated, true
		case lo == '[' && p+1 < len(pattern) && pattern[p+1] == ':':
			end := strings.Index(pattern[p:], ":]")
			if end < 0 {
				return p, false, false
			}
			in = in || inClass(pattern[p+2:p+end], rune(c))
			p += end + 2
			continue
		case lo == '\\' && p+1 < len(pattern):
			p++
			lo = pattern[p]
		}
		hi := lo
		if p+2 < len(pattern) && pattern[p+1] == '-' && pattern[p+2] != ']' {
			hi = pattern[p+2]
			p += 2
		}
		in = in || lo <= c && c <= hi
		p++
	}
	return p, false, false
}

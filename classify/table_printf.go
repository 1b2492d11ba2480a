package classify

import "strings"

// applyPrintf prints by a format of %s, %d, %b, %c, %q and %%; what it cannot
// follow makes the output unknown.
func applyPrintf(inv *Invocation) {
	inv.Inert("only prints")
	args := inv.Args()
	if len(args) > 0 && args[0].Is("--") {
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	format, ok := args[0].One()
	if !ok {
		return
	}
	args = args[1:]
	out, width := known(""), 0
	for {
		piece, used, ok := printfOnce(format, args)
		if !ok {
			return
		}
		out = out.concat(piece)
		width++
		args = args[min(used, len(args)):]
		if used == 0 || len(args) == 0 || width > 4096 {
			break
		}
	}
	if len(args) > 0 && width > 4096 {
		return
	}
	inv.OutputWord(Word{val: out, pos: inv.pos})
}

// printfOnce goes through the format once and gives how many arguments it
// took.
func printfOnce(format string, args []Word) (out value, used int, ok bool) {
	out = known("")
	text := 0
	flush := func(end int) {
		s, _ := backslashes(format[text:end])
		out = out.concat(known(encodeNUL(s)))
	}
	for i := 0; i < len(format); i++ {
		if format[i] == '\\' {
			i++
			continue
		}
		if format[i] != '%' {
			continue
		}
		flush(i)
		i++
		if i == len(format) {
			return out, used, false
		}
		arg := known("")
		if format[i] != '%' {
			if used < len(args) {
				arg = args[used].val
			}
			used++
		}
		piece, known := directiveOf(format[i], arg)
		if !known {
			return out, used, false
		}
		out = out.concat(piece)
		text = i + 1
	}
	flush(len(format))
	return out, used, true
}

// directiveOf is what one directive prints; widths and flags are not followed.
func directiveOf(c byte, arg value) (value, bool) {
	switch c {
	case '%':
		return known("%"), true
	case 's':
		return arg, true
	case 'b':
		return arg.each(escaped), true
	case 'q':
		return arg.each(func(s string) string {
			if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" && s != "" {
				return s
			}
			return quoteUnlessHole(s)
		}), true
	case 'c':
		return arg.each(func(s string) string {
			if s == "" || hasHole(s) {
				return s
			}
			return s[:1]
		}), true
	case 'd', 'i', 'u':
		return arg.each(func(s string) string {
			switch {
			case s == "":
				return "0"
			case isDigits(s):
				return strings.TrimLeft(s[:len(s)-1], "0") + s[len(s)-1:]
			default:
				return digitsHole
			}
		}), true
	default:
		return value{}, false
	}
}

package classify

import (
	"strings"
)

// printModels write text whose value is known.
func printModels() []*Model {
	return []*Model{
		{
			Names: []string{"echo"}, Family: "print", Title: "Prints its arguments", Undo: "nothing to undo", Class: Inert,
			Examples: []string{`echo "rm -rf ~"`}, Apply: applyEcho,
		},
		{
			Names: []string{"printf"}, Family: "print", Title: "Prints its arguments by a format", Undo: "nothing to undo",
			Class: Inert, Examples: []string{`printf '%s\n' A`}, Apply: applyPrintf,
		},
		{
			Names: []string{"print"}, Family: "print", Title: "Prints its arguments (zsh, ksh)", Undo: "nothing to undo",
			Class: Inert, Examples: []string{"print A"}, Apply: readsOnly,
		},
		{
			Names: []string{"pwd"}, Family: "print", Title: "Prints the directory", Undo: "nothing to undo", Class: Inert,
			Examples: []string{"pwd"},
			Apply: func(inv *Invocation) {
				inv.Inert("only reads")
				dir, ok := inv.Dir().One()
				if len(inv.Args()) > 0 && inv.Args()[0].Is("-P") && ok {
					if got, ok := inv.ev.world.resolve(dir, true); ok && len(got) == 1 {
						inv.Output([]byte(got[0].path + "\n"))
					}
					return
				}
				inv.OutputWord(lineOf(inv.Dir()))
			},
		},
		{
			Names: []string{"basename"}, Family: "print", Title: "Prints the last part of a path", Undo: "nothing to undo",
			Class: Inert, Examples: []string{"basename A/B"}, Apply: applyBasename,
			Options: &Grammar{Short: "as:z", Stop: true, Long: []string{"multiple", "suffix=", "zero", "help", "version"}},
		},
		{
			Names: []string{"dirname"}, Family: "print", Title: "Prints the directory part of a path", Undo: "nothing to undo",
			Class: Inert, Examples: []string{"dirname A/B"}, Apply: applyDirname,
			Options: &Grammar{Short: "z", Long: []string{"zero", "help", "version"}},
		},
		{
			Names: []string{"seq"}, Family: "print", Title: "Prints numbers", Undo: "nothing to undo", Class: Inert,
			Examples: []string{"seq 3"}, Apply: applySeq,
		},
		{
			Names: []string{"date", "gdate"}, Family: "print", Title: "Prints the time; -s and an operand set the clock",
			Undo: "none for the clock", Class: Inert, Examples: []string{"date +%s"}, Apply: applyDate,
			Options: &Grammar{Short: "d:f:I::jnRr:s:uv:z:", Lenient: true, Long: []string{
				"date=", "debug", "file=", "iso-8601=?", "resolution", "rfc-email", "rfc-3339=", "reference=", "set=", "utc",
				"universal", "help", "version",
			}},
		},
		{
			Names: []string{"uuidgen", "hostname", "whoami", "uname", "arch"}, Family: "print", Title: "Prints a name", Undo: "nothing to undo",
			Class: Inert, Examples: []string{"uuidgen"},
			Apply: func(inv *Invocation) {
				inv.Inert("only reads")
				if inv.Name() == "hostname" && len(inv.Args()) > 0 && !beginsWith(inv.Args()[0], "-") {
					inv.Barrier("the name of this machine changes")
				}
				if inv.Name() == "uname" && hasFlag(inv.Args(), "-a", "-v", "-sr") {
					return
				}
				inv.OutputWord(Word{val: known(nameHole + "\n"), pos: inv.pos})
			},
		},
		{
			Names: []string{"nproc"}, Family: "print", Title: "Prints a number", Undo: "nothing to undo",
			Class: Inert, Examples: []string{"nproc"},
			Apply: func(inv *Invocation) {
				inv.Inert("only reads")
				inv.OutputWord(Word{val: known(digitsHole + "\n"), pos: inv.pos})
			},
		},
	}
}

// lineOf is w with a newline behind it.
func lineOf(w Word) Word {
	w.val = w.val.concat(known("\n"))
	return w
}

func applyEcho(inv *Invocation) {
	inv.Inert("only prints")
	args := inv.Args()
	escapes := inv.Context().Shell == "zsh" || inv.Context().Shell == "sh" || inv.Context().Shell == "dash"
	end := "\n"
	for len(args) > 0 {
		s, ok := args[0].One()
		if !ok && args[0].Prefix() == "" && args[0].val.mayStart('-') {
			return
		}
		if len(s) < 2 || s[0] != '-' || strings.Trim(s[1:], "neE") != "" {
			break
		}
		for _, c := range s[1:] {
			switch c {
			case 'n':
				end = ""
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	w := joined(inv, args)
	if escapes {
		stop := false
		w.val = w.val.each(func(s string) string {
			_, cut := backslashes(s)
			stop = stop || cut
			return escaped(s)
		})
		if stop {
			end = ""
		}
	}
	w.val = w.val.concat(known(end))
	inv.OutputWord(w)
}

// escaped is s as echo -e prints it. An escape for NUL beside parts that are
// not known makes the whole not known.
func escaped(s string) string {
	out, _ := backslashes(s)
	switch {
	case !hasHole(s):
		return encodeNUL(out)
	case strings.Count(out, "\x00") != strings.Count(s, "\x00"):
		return anyHole
	default:
		return out
	}
}

// backslashes reads backslash escapes as echo -e and printf do; cut says that \c
// ended the text.
func backslashes(s string) (out string, cut bool) {
	if !strings.Contains(s, `\`) {
		return s, false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'a', 'b', 'f', 'v':
			b.WriteByte("\a\b\f\v"[strings.IndexByte("abfv", s[i])])
		case 'e', 'E':
			b.WriteByte(0x1b)
		case '\\':
			b.WriteByte('\\')
		case 'c':
			return b.String(), true
		case 'x':
			n, v := digitsAt(s[i+1:], 16, 2)
			i += n
			b.WriteByte(v)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, v := digitsAt(s[i:], 8, 4)
			i += n - 1
			b.WriteByte(v)
		default:
			b.WriteByte('\\')
			b.WriteByte(s[i])
		}
	}
	return b.String(), false
}

// digitsAt reads up to limit digits and gives their number and their value.
func digitsAt(s string, base, limit int) (n int, v byte) {
	for n < len(s) && n < limit {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] >= '0' && s[n] <= '9' {
			d = int(s[n] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		v = v*byte(base) + byte(d)
		n++
	}
	return n, v
}

func applyBasename(inv *Invocation) {
	inv.Inert("only prints")
	ws := inv.Operands()
	suffix := ""
	if w, ok := inv.Value("s", "suffix"); ok {
		suffix, _ = w.One()
	} else if len(ws) == 2 && !inv.Has("a", "multiple") {
		suffix, _ = ws[1].One()
		ws = ws[:1]
	}
	if len(ws) != 1 || inv.Has("z", "zero", "help", "version") {
		return
	}
	w := ws[0]
	w.val = w.val.each(func(s string) string {
		s = strings.TrimRight(s, "/")
		if i := strings.LastIndexByte(s, '/'); i >= 0 {
			s = s[i+1:]
		}
		if isWild(s) {
			return anyHole
		}
		if t := strings.TrimSuffix(s, suffix); t != "" {
			s = t
		}
		return s
	})
	inv.OutputWord(lineOf(w))
}

func applyDirname(inv *Invocation) {
	inv.Inert("only prints")
	ws := inv.Operands()
	if len(ws) != 1 || inv.Has("z", "zero", "help", "version") {
		return
	}
	w := ws[0]
	w.val = w.val.each(func(s string) string {
		if isWild(s) {
			return anyHole
		}
		t := strings.TrimRight(s, "/")
		i := strings.LastIndexByte(t, '/')
		switch {
		case t == "" && s != "":
			return "/"
		case i < 0:
			return "."
		}
		if t = strings.TrimRight(t[:i], "/"); t == "" {
			return "/"
		}
		return t
	})
	inv.OutputWord(lineOf(w))
}

func applySeq(inv *Invocation) {
	inv.Inert("only prints")
	args, ok := texts(inv.Args())
	if !ok || len(args) == 0 || len(args) > 3 {
		return
	}
	first, step, last := 1, 1, 0
	var nums []int
	for _, a := range args {
		if !isDigits(a) || len(a) > 6 {
			return
		}
		nums = append(nums, decimal(a))
	}
	switch len(nums) {
	case 1:
		last = nums[0]
	case 2:
		first, last = nums[0], nums[1]
	default:
		first, step, last = nums[0], nums[1], nums[2]
	}
	if step == 0 || (last-first)/step > 10_000 {
		return
	}
	var b strings.Builder
	for i := first; i <= last; i += step {
		b.WriteString(itoa(i) + "\n")
	}
	inv.Output([]byte(b.String()))
}

func applyDate(inv *Invocation) {
	inv.Inert("only prints")
	if inv.Has("s", "set") {
		inv.Barrier("the clock of this machine changes")
	}
	for _, w := range inv.Operands() {
		s, ok := w.One()
		switch {
		case !ok:
			return
		case strings.HasPrefix(s, "+"):
			inv.OutputWord(Word{val: known(dateHoles(s[1:]) + "\n"), pos: inv.pos})
			return
		case !inv.Has("j"):
			inv.Barrier("the clock of this machine changes")
		}
	}
}

// dateHoles is what a date format can print: digits and names where the time
// decides.
func dateHoles(format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		for i+1 < len(format) && strings.IndexByte("-_0^#:123456789", format[i]) >= 0 {
			i++
		}
		switch format[i] {
		case 'Y', 'm', 'd', 'H', 'M', 'S', 's', 'N', 'j', 'y', 'C', 'G', 'g', 'I', 'U', 'V', 'W', 'u', 'w', 'q':
			b.WriteString(digitsHole)
		case 'F':
			b.WriteString(digitsHole + "-" + digitsHole + "-" + digitsHole)
		case 'T':
			b.WriteString(digitsHole + ":" + digitsHole + ":" + digitsHole)
		case 'R':
			b.WriteString(digitsHole + ":" + digitsHole)
		case 'a', 'A', 'b', 'B', 'h', 'Z', 'z', 'p', 'P':
			b.WriteString(nameHole)
		case '%':
			b.WriteByte('%')
		default:
			b.WriteString(anyHole)
		}
	}
	return b.String()
}

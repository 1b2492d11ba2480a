package classify

import "strings"

// declareBuiltin is export and the like where the parser saw plain words.
func declareBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("sets variables of the shell")
	name, _ := r.argv[0].One()
	flags := ""
	for _, w := range r.argv[1:] {
		for _, s := range w.val.all() {
			if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
				flags += s
				continue
			}
			key, text, ok := strings.Cut(s, "=")
			if hasHole(key) {
				part.unnamed("which variable " + name + " sets is not known")
				continue
			}
			v := ev.lookup(key)
			if name == "local" {
				ev.localize(key)
			}
			if ok {
				v = scalar(known(text))
				if !isName(key) || strings.ContainsAny(flags, "in") {
					ev.arithmText(s)
					v = unknownVariable()
				}
			}
			if name == "export" || strings.Contains(flags, "x") {
				v.exported = true
			}
			if isName(key) {
				ev.assign(key, v)
			}
		}
	}
	return ev.both()
}

func unsetBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("forgets variables of the shell")
	for _, w := range r.argv[1:] {
		for _, s := range w.val.all() {
			ev.arithmText(s)
			switch {
			case isWild(s):
				part.unnamed("what unset forgets is not known")
			case strings.HasPrefix(s, "-"):
			case strings.Contains(s, "["):
				name, _, _ := strings.Cut(s, "[")
				v := ev.lookup(name)
				v.open = true
				ev.st.set(name, v)
			case isName(s):
				if _, isFunc := ev.st.get("func:" + s); isFunc {
					ev.st.set("func:"+s, noVariable())
				}
				ev.st.set(s, noVariable())
			}
		}
	}
	return ev.succeeds()
}

// readBuiltin is read: it takes a line of the standard input.
func readBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("reads a line into variables")
	opts := readOptions(r.argv[1:])
	in := ev.stdin
	if opts.other {
		in = nil
	}
	v, more := in.line(opts.delim)
	if more == 'n' {
		for _, name := range opts.names {
			ev.setRead(name, known(""))
		}
		return ev.fails()
	}
	if !opts.raw {
		v = v.each(func(s string) string {
			if strings.Contains(s, "\\") {
				return unquotePattern(s)
			}
			return s
		})
	}
	ifs, sure := ev.ifs()
	if p, ok := r.vars["IFS"]; ok {
		ifs, sure = p.all()[0], p.known() && len(p.all()) == 1
	}
	ev.spread(opts, v, ifs, sure)
	if more == 'y' && !opts.part {
		return ev.succeeds()
	}
	return ev.both()
}

// readOpts is how a read was called.
type readOpts struct {
	names []string
	delim string
	array string
	// raw: -r. other: another descriptor. part: only some characters. vague: a
	// name is not known.
	raw, other, part, vague bool
}

func readOptions(args []Word) readOpts {
	o := readOpts{delim: "\n"}
	for i := 0; i < len(args); i++ {
		s, ok := args[i].One()
		if !ok {
			o.vague = true
			continue
		}
		if len(s) < 2 || s[0] != '-' {
			o.names = append(o.names, s)
			continue
		}
		for j := 1; j < len(s); j++ {
			c := s[j]
			if strings.IndexByte("adinNptu", c) < 0 {
				o.raw = o.raw || c == 'r'
				continue
			}
			val := s[j+1:]
			if val == "" && i+1 < len(args) {
				i++
				val, ok = args[i].One()
			}
			switch c {
			case 'd':
				o.delim = val
				if val == "" {
					o.delim = nulHole
				}
			case 'a':
				o.array = val
			case 'u':
				o.other = val != "0"
			case 'n', 'N', 't':
				o.part = true
			}
			o.vague = o.vague || !ok && c == 'a'
			break
		}
	}
	if len(o.names) == 0 && o.array == "" {
		o.names = []string{"REPLY"}
	}
	return o
}

// spread gives the pieces of a line to the variables.
func (ev *evaluator) spread(o readOpts, v value, ifs string, sure bool) {
	text := v.all()
	if o.array != "" {
		list := variable{array: true}
		for _, p := range splitFields([]chunk{{text: text[0], mode: splits}}, false, ifs, sure) {
			list.list = append(list.list, known(joinChunks(p)))
		}
		list.open = len(text) > 1 || isWild(text[0])
		ev.assign(o.array, list)
		return
	}
	rest := v
	for i, name := range o.names {
		if o.part || !sure {
			ev.setRead(name, unknownValue())
			continue
		}
		if i == len(o.names)-1 {
			ev.setRead(name, rest.each(func(s string) string { return trimIFS(s, ifs) }))
			break
		}
		ev.setRead(name, rest.each(func(s string) string { head, _ := cutIFS(s, ifs); return head }))
		rest = rest.each(func(s string) string { _, tail := cutIFS(s, ifs); return tail })
	}
}

func joinChunks(f []chunk) string {
	var b strings.Builder
	for _, c := range f {
		b.WriteString(c.text)
	}
	return b.String()
}

func (ev *evaluator) setRead(name string, v value) {
	if !isName(name) {
		ev.arithmText(name)
		return
	}
	ev.assign(name, scalar(v))
}

func trimIFS(s, ifs string) string {
	white := ""
	for _, c := range " \t\n" {
		if strings.ContainsRune(ifs, c) {
			white += string(c)
		}
	}
	return strings.Trim(s, white)
}

// cutIFS splits the first field off s.
func cutIFS(s, ifs string) (head, tail string) {
	s = trimIFS(s, ifs)
	at := strings.IndexAny(s, ifs)
	if at < 0 || ifs == "" {
		if isWild(s) {
			return anyHole, anyHole
		}
		return s, ""
	}
	if isWild(s[:at]) {
		return anyHole, anyHole
	}
	tail = trimIFS(s[at:], ifs)
	if tail != "" && strings.IndexByte(ifs, tail[0]) >= 0 {
		tail = trimIFS(tail[1:], ifs)
	}
	return s[:at], tail
}

// mapfileOpts is how mapfile was called; odd says that some lines are left out.
type mapfileOpts struct {
	name, delim    string
	strip, odd, ok bool
	code           []Word
}

func mapfileOptions(args []Word) mapfileOpts {
	o := mapfileOpts{name: "MAPFILE", delim: "\n", ok: true}
	for i := 0; i < len(args); i++ {
		s, ok := args[i].One()
		if !ok {
			o.ok = false
			return o
		}
		if len(s) < 2 || s[0] != '-' {
			o.name = s
			continue
		}
		if s[1] == 't' {
			o.strip = true
			if s = s[1:]; len(s) == 1 {
				continue
			}
		}
		val := s[2:]
		if val == "" && i+1 < len(args) {
			i++
			val, _ = args[i].One()
		}
		switch s[1] {
		case 'd':
			if o.delim = val; val == "" {
				o.delim = nulHole
			}
		case 'C':
			o.code = append(o.code, args[i])
		case 'c':
		default:
			o.odd = true
		}
	}
	return o
}

// mapfileBuiltin is mapfile: it takes all lines of the standard input.
func mapfileBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("reads lines into an array")
	o := mapfileOptions(r.argv[1:])
	if !o.ok {
		part.unnamed("the arguments of mapfile are not known")
		return ev.both()
	}
	v := variable{array: true, open: o.odd || ev.stdin == nil}
	for range maxRounds {
		text, more := ev.stdin.line(o.delim)
		if more == 'n' || ev.stdin == nil {
			break
		}
		if !o.strip {
			text = text.concat(known(o.delim))
		}
		v.list = append(v.list, text)
		v.open = v.open || isWild(text.all()[0]) || len(v.list) == maxRounds
	}
	v.shaky = ev.stdin != nil && (ev.stdin.val.loose || len(ev.stdin.val.strs) > 1)
	if isName(o.name) {
		ev.assign(o.name, v)
	}
	for _, w := range o.code {
		ev.mapfileCallback(w, v, r)
	}
	return ev.both()
}

// mapfileCallback runs the code of -C with the number and the text of a line.
func (ev *evaluator) mapfileCallback(code Word, v variable, r request) {
	lines := v.list
	if v.open || len(lines) == 0 {
		lines = append(lines[:len(lines):len(lines)], unknownValue())
	}
	for i, line := range lines {
		if i > 100 {
			line = unknownValue()
		}
		arg := line.each(func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" })
		if line.wild() {
			arg = known(`"${__not_known}"`)
		}
		text := code.val.concat(known(" 0 ")).concat(arg)
		ev.perhaps(func() { ev.settle(ev.script(text, code.posOr(r.pos))) })
		if i > 100 {
			return
		}
	}
}

// printfBuiltin is printf -v; any other printf is a model.
func printfBuiltin(ev *evaluator, r request, part *partState) outcome {
	if len(r.argv) < 3 || !r.argv[1].Is("-v") {
		if len(r.argv) > 1 && r.argv[1].Unknown() && r.argv[1].Prefix() == "" && len(r.argv) > 2 {
			part.reasonOnce("prints")
		}
		return ev.program("printf", r)
	}
	name, ok := r.argv[2].One()
	if !ok || !isName(name) {
		ev.arithmText(r.argv[2].val.all()[0])
		if !ok || !strings.Contains(name, "[") {
			part.unnamed("which variable printf sets is not known")
		}
		return ev.both()
	}
	next := r
	next.argv = append([]Word{r.argv[0]}, r.argv[3:]...)
	if len(next.argv) < 2 {
		return ev.both()
	}
	v := ev.capture(func() { ev.program("printf", next) })
	ev.assign(name, scalar(v))
	return ev.both()
}

// optionBuiltin is set, shopt and their kin.
func optionBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("changes options of the shell")
	cmd, _ := r.argv[0].One()
	on := cmd != "unsetopt"
	args := r.argv[1:]
	if cmd == "emulate" {
		for i, w := range args {
			if w.Is("-c") && i+1 < len(args) {
				return ev.script(args[i+1].val, args[i+1].posOr(r.pos))
			}
		}
	}
	for i := 0; i < len(args); i++ {
		s, ok := args[i].One()
		switch {
		case !ok:
			part.unnamed("which options are set is not known")
			return ev.both()
		case cmd == "set" && (s == "--" || s == "-"):
			ev.st.set("@", argsVariable(args[i+1:]))
			return ev.succeeds()
		case cmd == "set" && len(s) > 1 && (s[0] == '-' || s[0] == '+'):
			ev.setLetters(s, &i, args)
		case cmd == "set":
			ev.st.set("@", argsVariable(args[i:]))
			return ev.succeeds()
		case s == "-s":
			on = true
		case s == "-u":
			on = false
		case strings.HasPrefix(s, "-"):
		default:
			ev.setOption(s, on)
		}
	}
	return ev.both()
}

func (ev *evaluator) setLetters(s string, i *int, args []Word) {
	on := s[0] == '-'
	for _, c := range s[1:] {
		switch c {
		case 'f':
			ev.setOption("noglob", on)
		case 'o':
			if *i+1 < len(args) {
				*i++
				if name, ok := args[*i].One(); ok {
					ev.setOption(name, on)
				}
			}
		}
	}
}

// setOption remembers an option. zsh writes them in any case, with underscores
// and a leading "no".
func (ev *evaluator) setOption(name string, on bool) {
	plain := strings.ReplaceAll(strings.ToLower(name), "_", "")
	switch plain {
	case "globdots":
		plain = "dotglob"
	case "glob":
		plain, on = "noglob", !on
	case "nocaseglob":
	case "caseglob":
		plain, on = "nocaseglob", !on
	}
	word := "off"
	if on {
		word = "on"
	}
	ev.st.set("opt:"+plain, scalar(known(word)))
}

package classify

import "strings"

// isShell reports whether name is a shell whose code is read here.
func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "-sh", "-bash":
		return true
	}
	return false
}

// shell evaluates a call of a shell: code in an argument, a file, or the
// standard input.
func (inv *Invocation) shell() {
	args := inv.line.args
	code, check, fromStdin := false, false, false
	i := 0
	for i < len(args) {
		w := args[i]
		s, ok := w.One()
		if !ok {
			if w.val.mayStart('-') || w.val.mayStart('+') {
				if code || i == 0 && len(args) > 1 {
					inv.part.unnamed("the options of " + inv.name + " are not known")
				}
			}
			break
		}
		if len(s) < 2 || s[0] != '-' && s[0] != '+' {
			if s == "-" {
				i++
			}
			break
		}
		i++
		if s == "--" {
			break
		}
		if strings.HasPrefix(s, "--") {
			if s == "--rcfile" || s == "--init-file" {
				inv.opaque(inv.name + " reads a start-up file")
				i++
			}
			if s == "--help" || s == "--version" {
				inv.part.reasonOnce("shows a text")
				return
			}
			continue
		}
		letters := s[1:]
		code = code || s[0] == '-' && strings.Contains(letters, "c")
		check = check || s[0] == '-' && strings.Contains(letters, "n")
		fromStdin = fromStdin || strings.Contains(letters, "s")
		for range strings.Count(letters, "o") + strings.Count(letters, "O") {
			i++
		}
		if s[0] == '-' && strings.ContainsAny(letters, "il") {
			inv.part.reasonOnce("starts a shell with its start-up files")
		}
	}
	i = min(i, len(args))
	inv.shellWith(args[i:], code, check, fromStdin)
}

func (inv *Invocation) shellWith(rest []Word, code, check, fromStdin bool) {
	switch {
	case check:
		inv.part.reasonOnce("only checks the syntax")
	case code && len(rest) > 0:
		inv.part.reasonOnce("runs the code in its argument")
		inv.runScript(rest[0], rest[1:])
	case code:
		inv.part.reasonOnce("has no code to run")
	case len(rest) > 0 && !fromStdin:
		inv.scriptFile(rest[0], rest)
	default:
		inv.scriptStdin(rest)
	}
}

// RunFile evaluates a call of a shell script: a file that this line wrote is
// followed, any other may do anything.
func (inv *Invocation) scriptFile(w Word, args []Word) {
	text, ok := inv.madeHere(w)
	if !ok {
		inv.opaque("what the script " + cutText(w.Source(), 60) + " writes is not known")
		return
	}
	inv.part.reasonOnce("runs a script")
	inv.runScript(Word{val: text, pos: inv.pos}, args)
}

// madeHere is the content of a file that this line itself wrote, or of its
// standard input.
func (inv *Invocation) madeHere(w Word) (value, bool) {
	s, ok := w.One()
	if !ok {
		return value{}, false
	}
	if s == "/dev/stdin" || s == "/dev/fd/0" || s == "/proc/self/fd/0" {
		if inv.stdin.loose {
			return value{}, false
		}
		return inv.stdin, true
	}
	places, ok := inv.ev.world.resolve(absolute(inv.dir, s), true)
	if !ok || len(places) == 0 {
		return value{}, false
	}
	var out value
	for _, p := range places {
		for _, n := range inv.ev.world.at(p.path) {
			if n.kind == '-' {
				continue
			}
			if n.kind != 'f' || n.content == nil {
				return value{}, false
			}
			out = out.orNew(*n.content)
		}
	}
	return out, len(out.strs) > 0
}

func (inv *Invocation) scriptStdin(args []Word) {
	if inv.ev.stdin == nil {
		inv.opaque(inv.name + " runs what it reads")
		return
	}
	if inv.stdin.wild() && len(inv.stdin.all()) == 1 && isWildOnly(inv.stdin.all()[0]) {
		inv.part.unnamed(inv.name + " runs code that is not known before it runs")
		return
	}
	inv.part.reasonOnce("runs the code it reads")
	all := append([]Word{inv.Lit(inv.name)}, args...)
	v := inv.stdin
	inv.ev.stdin = newInput(known(""))
	inv.runScript(Word{val: v, pos: inv.pos}, all)
}

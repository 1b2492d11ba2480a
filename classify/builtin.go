package classify

import "strings"

// builtinFunc evaluates one command of the shell itself.
type builtinFunc func(ev *evaluator, r request, part *partState) outcome

// builtin finds a command that the shell itself carries out; nil for others.
// Those that only print or test are models like any program.
func builtin(name string) builtinFunc {
	switch name {
	case "cd", "chdir":
		return cdBuiltin
	case "pushd", "popd":
		return pushdBuiltin
	case "eval":
		return evalBuiltin
	case "source", ".":
		return sourceBuiltin
	case "exec":
		return execBuiltin
	case "command", "builtin", "noglob", "nocorrect", "-":
		return commandBuiltin
	case "repeat":
		return repeatBuiltin
	case "export", "declare", "typeset", "readonly", "local", "integer", "float":
		return declareBuiltin
	case "unset":
		return unsetBuiltin
	case "read":
		return readBuiltin
	case "mapfile", "readarray":
		return mapfileBuiltin
	case "printf":
		return printfBuiltin
	case "let":
		return letBuiltin
	case "set", "setopt", "unsetopt", "shopt", "emulate":
		return optionBuiltin
	case "alias":
		return aliasBuiltin
	case "unalias":
		return unaliasBuiltin
	case "trap":
		return trapBuiltin
	case "hash", "enable", "zmodload", "autoload", "bind", "complete", "compopt", "rehash", "compdef", "zle":
		return stateBuiltin
	case "shift":
		return shiftBuiltin
	case "getopts":
		return getoptsBuiltin
	case "exit", "return", "logout":
		return leaveBuiltin
	case "break", "continue", "wait", "times", "umask", "ulimit", "jobs", "bg", "fg", "disown", "type", "dirs",
		"caller", "help", "suspend", "whence", "where", "limit", "unlimit":
		return quietBuiltin
	case ":":
		return colonBuiltin
	default:
		return nil
	}
}

// builtinCall evaluates a builtin with the variables in front of it.
func (ev *evaluator) builtinCall(b builtinFunc, name string, r request) outcome {
	part := ev.part(r.text, r.argv, r.pos)
	for _, w := range r.argv[1:] {
		ev.checkRead(part, ev.dir(), w)
	}
	return b(ev, r, part)
}

func colonBuiltin(ev *evaluator, _ request, part *partState) outcome {
	part.reasonOnce("does nothing")
	return ev.succeeds()
}

func quietBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("changes nothing")
	switch r.argv[0].val.all()[0] {
	case "type", "dirs", "jobs", "umask", "ulimit", "whence", "where", "help", "times":
		ev.print(unknownValue())
	}
	return ev.both()
}

// leaveBuiltin is exit and return. They end nothing here, since what follows
// may run after all; only the directories that this point was left in are
// taken out where others remain.
func leaveBuiltin(ev *evaluator, _ request, part *partState) outcome {
	part.reasonOnce("leaves the shell or function")
	return ev.both()
}

func evalBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("runs its arguments as code")
	v := known("")
	for i, w := range r.argv[1:] {
		if i == 0 && w.Is("--") {
			continue
		}
		if len(v.all()[0]) > 0 {
			v = v.concat(known(" "))
		}
		v = v.concat(w.val)
	}
	return ev.script(v, r.pos)
}

func sourceBuiltin(ev *evaluator, r request, part *partState) outcome {
	if len(r.argv) < 2 {
		return ev.fails()
	}
	w := r.argv[1]
	inv := &Invocation{ev: ev, name: "source", dir: ev.dir(), stdin: ev.stdin.rest(), pos: r.pos, part: part}
	inv.line = line{args: r.argv[1:]}
	if text, ok := inv.madeHere(w); ok {
		part.reasonOnce("runs a text of this line")
		return ev.sourced(text, r)
	}
	if s, ok := w.One(); ok {
		if info, there := inv.stat(s, true); !there && info.Type == '-' {
			part.reasonOnce("reads a file that is not there")
			return ev.fails()
		}
	}
	text, ok := inv.contentOf(w)
	if !ok {
		inv.opaque("what the script " + cutText(w.Source(), 60) + " does is not known")
		return ev.both()
	}
	part.reasonOnce("runs the file in this shell")
	ev.inFile++
	o := ev.sourced(text, r)
	ev.inFile--
	return o
}

func (ev *evaluator) sourced(text value, r request) outcome {
	saved := ev.lookup("@")
	if len(r.argv) > 2 {
		ev.st.set("@", argsVariable(r.argv[2:]))
	}
	o := ev.script(text, r.pos)
	if len(r.argv) > 2 {
		for _, st := range []*state{&o.ok, &o.fail} {
			if !st.dead() {
				st.set("@", saved)
			}
		}
	}
	return ev.bothIfDead(o)
}

// bothIfDead makes an outcome that never comes about one that is not known.
func (ev *evaluator) bothIfDead(o outcome) outcome {
	if o.ok.dead() && o.fail.dead() {
		return ev.both()
	}
	return o
}

func execBuiltin(ev *evaluator, r request, part *partState) outcome {
	argv := r.argv[1:]
	for len(argv) > 0 {
		s, ok := argv[0].One()
		if !ok || len(s) < 2 || s[0] != '-' {
			break
		}
		argv = argv[1:]
		if s == "--" {
			break
		}
		if strings.HasSuffix(s, "a") && len(argv) > 0 {
			argv = argv[1:]
		}
	}
	if len(argv) == 0 {
		part.reasonOnce("changes descriptors of the shell")
		return ev.succeeds()
	}
	part.reasonOnce("becomes the program behind it")
	next := r
	next.argv, next.noFunctions, next.external = argv, true, true
	next.text = joinSources(argv)
	ev.each(next, nil)
	return ev.both()
}

// commandBuiltin is command, builtin and the like: the rest without functions.
func commandBuiltin(ev *evaluator, r request, part *partState) outcome {
	argv := r.argv[1:]
	for len(argv) > 0 {
		s, ok := argv[0].One()
		if !ok || len(s) < 2 || s[0] != '-' {
			break
		}
		argv = argv[1:]
		if s == "--" {
			break
		}
		if strings.ContainsAny(s, "vV") {
			part.reasonOnce("only says what a name stands for")
			ev.print(unknownValue())
			return ev.both()
		}
	}
	if len(argv) == 0 {
		return ev.succeeds()
	}
	part.reasonOnce("runs the command behind it")
	next := r
	next.argv, next.noFunctions = argv, true
	next.text = joinSources(argv)
	return ev.each(next, nil)
}

// repeatBuiltin is repeat of zsh; elsewhere it is a program nobody has.
func repeatBuiltin(ev *evaluator, r request, part *partState) outcome {
	if len(r.argv) < 3 {
		return ev.both()
	}
	part.reasonOnce("repeats the command behind it")
	next := r
	next.argv, next.text = r.argv[2:], joinSources(r.argv[2:])
	for range 2 {
		ev.perhaps(func() { ev.settle(ev.each(next, nil)) })
	}
	return ev.both()
}

func trapBuiltin(ev *evaluator, r request, part *partState) outcome {
	args := r.argv[1:]
	if len(args) > 0 && args[0].Is("--") {
		args = args[1:]
	}
	if len(args) < 2 || args[0].Is("-l", "-p", "-", "") {
		part.reasonOnce("changes no trap to code")
		return ev.succeeds()
	}
	part.reasonOnce("runs code later")
	code := args[0].val
	ev.late = append(ev.late, lateCode{text: &code, st: ev.st.fork(), src: ev.src, outer: ev.outer, pos: args[0].posOr(r.pos)})
	ev.perhaps(func() { ev.settle(ev.script(code, args[0].posOr(r.pos))) })
	return ev.succeeds()
}

func aliasBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("names a command")
	for _, w := range r.argv[1:] {
		for _, s := range w.val.all() {
			name, text, ok := strings.Cut(s, "=")
			switch {
			case isWild(name), !ok && hasHole(s):
				ev.hide("an alias that is not known may stand for any name")
			case ok:
				ev.st.set("alias:"+name, scalar(known(text)))
				if strings.HasSuffix(text, " ") {
					ev.hide("an alias that ends in a space changes the words behind it")
				}
			}
			if name == "-g" || name == "-s" {
				ev.hide("a global alias may change any word")
			}
		}
	}
	return ev.succeeds()
}

func unaliasBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("forgets an alias")
	return ev.succeeds()
}

// stateBuiltin changes what names stand for in ways that are not followed.
func stateBuiltin(ev *evaluator, r request, part *partState) outcome {
	name, _ := r.argv[0].One()
	switch {
	case name == "hash" && (len(r.argv) == 1 || r.argv[1].Is("-r")), name == "rehash":
		part.reasonOnce("forgets where programs are")
		return ev.succeeds()
	case name == "hash" && !strings.HasPrefix(r.argv[1].Prefix(), "-") && !r.argv[1].Unknown():
		part.reasonOnce("looks programs up")
		return ev.both()
	}
	switch name {
	case "complete", "compopt", "compdef", "autoload", "bind", "zle":
		if len(r.argv) > 1 && !r.argv[1].Is("-x") {
			part.reasonOnce("changes how lines are edited")
		}
		return ev.both()
	}
	reason := name + " changes what names stand for"
	part.opaque(reason, name)
	ev.hide("after " + name + " this name may stand for another program")
	return ev.both()
}

func letBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("computes a number")
	for _, w := range r.argv[1:] {
		for _, s := range w.val.all() {
			ev.arithmText(s)
			name, _, ok := strings.Cut(s, "=")
			if name = strings.TrimRight(name, "+-*/%&|^<> "); ok && isName(name) {
				ev.assign(name, scalar(known(digitsHole)))
			}
		}
	}
	return ev.both()
}

func shiftBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("moves the arguments along")
	n := 1
	if len(r.argv) > 1 {
		var ok bool
		if n, ok = number1(r.argv[1].val); !ok {
			v := ev.lookup("@")
			v.open = true
			ev.st.set("@", v)
			return ev.both()
		}
	}
	v := ev.lookup("@")
	if v.shaky || v.open && len(v.list) == 0 {
		return ev.both()
	}
	if n > len(v.list) {
		if v.open {
			v.list = nil
			ev.st.set("@", v)
			return ev.both()
		}
		return ev.fails()
	}
	v.list = v.list[max(0, n):]
	ev.st.set("@", v)
	return ev.succeeds()
}

func getoptsBuiltin(ev *evaluator, r request, part *partState) outcome {
	part.reasonOnce("reads options of the arguments")
	if len(r.argv) > 2 {
		if name, ok := r.argv[2].One(); ok && isName(name) {
			ev.assign(name, unknownVariable())
		}
	}
	ev.assign("OPTARG", unknownVariable())
	ev.assign("OPTIND", scalar(known(digitsHole)))
	return ev.both()
}

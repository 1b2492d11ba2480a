package classify

import "strings"

// cdBuiltin changes the directory. Where it may fail, the directory may stay.
func cdBuiltin(ev *evaluator, r request, part *partState) outcome {
	args := r.argv[1:]
	physical := false
	for len(args) > 0 {
		s, ok := args[0].One()
		if !ok || len(s) < 2 || s[0] != '-' {
			break
		}
		physical = physical || strings.Contains(s, "P")
		args = args[1:]
		if s == "--" {
			break
		}
	}
	part.reasonOnce("changes the directory of what follows")
	switch {
	case len(args) == 0:
		home := ev.homeOf("")
		if v, ok := r.vars["HOME"]; ok {
			home = v
		}
		return ev.chdir(Word{val: home, pos: r.pos}, physical)
	case args[0].Is("-"):
		v := ev.lookup("OLDPWD")
		ev.print(v.val)
		return ev.chdir(Word{val: v.val, pos: r.pos}, physical)
	case args[0].Is(""):
		return ev.both()
	default:
		return ev.chdir(args[0], physical)
	}
}

// chdir goes to w.
func (ev *evaluator) chdir(w Word, physical bool) outcome {
	var out outcome
	start := ev.st.fork()
	from := ev.dir()
	for _, s := range w.val.all() {
		to, sure, never := ev.directory(from, s, physical)
		if !never {
			ev.st = start.fork()
			ev.st.set("OLDPWD", exportedScalar(from))
			ev.st.cwds = []string{to}
			ev.st.set("PWD", exportedScalar(to))
			out.ok = ev.join(out.ok, ev.st)
		}
		if !sure {
			out.fail = ev.join(out.fail, start)
		}
	}
	ev.st = start
	return out
}

// directory is where cd s leads from a directory. sure says that it is there,
// never that it cannot be.
func (ev *evaluator) directory(from, s string, physical bool) (to string, sure, never bool) {
	full := absolute(from, s)
	if isWild(full) {
		return anyHole, false, false
	}
	if ev.optionMay("cdpath") && !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, ".") {
		return anyHole, false, false
	}
	to = full
	if !isWholeFresh(full) {
		to = cleanPath(full)
	}
	ends, ok := ev.world.resolve(to, true)
	if !ok {
		return to, false, false
	}
	kinds := ""
	for _, e := range ends {
		kinds += ev.world.kinds(e.path)
		if e.fresh && ev.world.kinds(e.path) == "-" && isHoleBase(e.path) {
			kinds = strings.TrimSuffix(kinds, "-") + "d" // made by mktemp -d
		}
	}
	if physical && len(ends) == 1 {
		to = ends[0].path
	}
	sure = strings.Trim(kinds, "d") == ""
	never = strings.Trim(kinds, "f") == ""
	return to, sure, never
}

// pushdBuiltin is pushd and popd; the stack is a list in the state.
func pushdBuiltin(ev *evaluator, r request, part *partState) (out outcome) {
	if ev.ctx.Shell == "sh" {
		// A plain sh may not know it.
		start := ev.st.fork()
		defer func() { out.fail = ev.join(out.fail, start) }()
	}
	part.reasonOnce("changes the directory of what follows")
	ev.print(unknownValue())
	name, _ := r.argv[0].One()
	stack := ev.lookup("dir:stack")
	var args []Word
	for _, w := range r.argv[1:] {
		if w.Is("-q", "--") {
			continue
		}
		args = append(args, w)
	}
	if name == "popd" {
		return ev.popd(stack, args)
	}
	if len(args) == 1 && !strings.HasPrefix(args[0].Prefix(), "-") && !strings.HasPrefix(args[0].Prefix(), "+") {
		from := ev.dir()
		o := ev.chdir(args[0], false)
		if !o.ok.dead() {
			stack.array, stack.unset, stack.mayUnset = true, false, false
			stack.list = append(stack.list[:len(stack.list):len(stack.list)], known(from))
			o.ok.set("dir:stack", stack)
		}
		return o
	}
	if len(args) == 0 && len(stack.list) > 0 && !stack.open {
		from, top := ev.dir(), len(stack.list)-1
		o := ev.chdir(Word{val: stack.list[top]}, false)
		if !o.ok.dead() {
			stack.list = append(stack.list[:top:top], known(from))
			o.ok.set("dir:stack", stack)
		}
		return o
	}
	return ev.lostDirectory()
}

func (ev *evaluator) popd(stack variable, args []Word) outcome {
	if len(args) > 0 {
		return ev.lostDirectory()
	}
	if len(stack.list) == 0 || stack.open {
		if stack.unset {
			return ev.fails()
		}
		return ev.lostDirectory()
	}
	top := len(stack.list) - 1
	o := ev.chdir(Word{val: stack.list[top]}, false)
	if !o.ok.dead() {
		stack.list = stack.list[:top:top]
		o.ok.set("dir:stack", stack)
	}
	return o
}

// lostDirectory is a change of directory that is not followed.
func (ev *evaluator) lostDirectory() outcome {
	start := ev.st.fork()
	ev.st.cwds = []string{anyHole}
	moved := ev.st.fork()
	ev.st = start
	return outcome{ok: moved, fail: start}
}

package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// request is one program to run: its words, the variables in front of it, and
// how much of the shell can answer to its name.
type request struct {
	argv []Word
	vars map[string]value
	text string
	pos  Pos
	// plain: the name was written without quotes, so that an alias counts.
	plain bool
	// noFunctions: behind `command`. external: only programs, as behind `env`.
	noFunctions, external bool
	// clear: the environment is only vars.
	clear bool
}

// call evaluates a simple command.
func (ev *evaluator) call(c *syntax.CallExpr) outcome {
	ev.visited[c] = true
	ev.at = fromPos(c.Pos())
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			if a.Name != nil {
				ev.assignOne(a)
			}
		}
		return ev.both()
	}
	if len(c.Args) > maxWords {
		ev.stopped = true
		ev.part(ev.text(c), nil, ev.pos(c.Pos())).refuse("the command has more than 10,000 words", "run it in several shorter calls", ev.pos(c.Pos()))
		return ev.both()
	}
	ev.nomatch = false
	ways := ev.words(c.Args)
	if ev.nomatch {
		// zsh does not run a command with a pattern that matches nothing.
		ev.nomatch = false
		ev.cond++
		before := ev.sinkValue()
		defer func() {
			ev.cond--
			ev.joinSinks([]value{before, ev.sinkValue()})
		}()
	}
	vars := ev.prefixes(c.Assigns)
	text := ev.text(c)
	plain := plainName(c.Args[0])
	if len(ways) == 1 {
		return ev.each(request{argv: ways[0], vars: vars, text: text, pos: ev.pos(c.Pos()), plain: plain}, c)
	}
	start := ev.st.fork()
	before := ev.sinkValue()
	var out outcome
	var sinks []value
	ev.cond++
	for _, argv := range ways {
		ev.st = start.fork()
		ev.setSink(before)
		o := ev.each(request{argv: argv, vars: vars, text: text, pos: ev.pos(c.Pos()), plain: plain}, c)
		sinks = append(sinks, ev.sinkValue())
		out.ok, out.fail = ev.join(out.ok, o.ok), ev.join(out.fail, o.fail)
	}
	ev.cond--
	ev.joinSinks(sinks)
	return out
}

func plainName(w *syntax.Word) bool {
	lit := w.Lit()
	return lit != "" && strings.IndexByte(lit, '\\') < 0
}

// prefixes evaluates the assignments in front of a command.
func (ev *evaluator) prefixes(list []*syntax.Assign) map[string]value {
	if len(list) == 0 {
		return nil
	}
	vars := make(map[string]value, len(list))
	for _, a := range list {
		if a.Name == nil {
			continue
		}
		v := value{}
		switch {
		case a.Array != nil:
			ev.array(a.Array)
			v = unknownValue()
		case a.Index != nil:
			ev.indexValue(a.Index)
			v = ev.value(a.Value)
		default:
			v = ev.value(a.Value)
			if a.Append {
				v = ev.lookup(a.Name.Value).orEmpty().concat(v)
			}
		}
		vars[a.Name.Value] = v
		ev.assigned(a.Name.Value, scalar(v))
	}
	return vars
}

// each splits a request whose name, or whose options, may be one of several.
func (ev *evaluator) each(r request, c *syntax.CallExpr) outcome {
	if len(r.argv) == 0 {
		return ev.both()
	}
	r.argv = limitWays(r.argv)
	for i, w := range r.argv {
		strs := w.val.all()
		if len(strs) < 2 || i > 0 && !anyOption(strs) {
			continue
		}
		start := ev.st.fork()
		before := ev.sinkValue()
		var out outcome
		var sinks []value
		ev.cond++
		for _, s := range strs {
			one := r
			one.argv = append([]Word(nil), r.argv...)
			one.argv[i].val = known(s)
			ev.st = start.fork()
			ev.setSink(before)
			if !ev.stepText(r) {
				break
			}
			o := ev.each(one, c)
			sinks = append(sinks, ev.sinkValue())
			out.ok, out.fail = ev.join(out.ok, o.ok), ev.join(out.fail, o.fail)
		}
		ev.cond--
		ev.joinSinks(sinks)
		return out
	}
	return ev.dispatch(r, c)
}

// limitWays makes words unknown where there would be too many combinations.
func limitWays(argv []Word) []Word {
	ways := 1
	for i, w := range argv {
		if len(w.val.strs) < 2 || i > 0 && !anyOption(w.val.all()) {
			continue
		}
		if ways *= len(w.val.all()); ways <= maxValues {
			continue
		}
		out := append([]Word(nil), argv...)
		for j := i; j < len(out); j++ {
			if len(out[j].val.strs) > 1 && anyOption(out[j].val.all()) || j == 0 {
				out[j].val = unknownValue()
			}
		}
		return out
	}
	return argv
}

func anyOption(strs []string) bool {
	for _, s := range strs {
		if len(s) > 1 && (s[0] == '-' || s[0] == '+') {
			return true
		}
	}
	return false
}

// stepText counts a command that has no node of its own.
func (ev *evaluator) stepText(r request) bool {
	if ev.stopped {
		return false
	}
	if ev.steps++; ev.steps > maxSteps || ev.overtime() {
		ev.stopped = true
		ev.part(r.text, nil, r.pos).refuse("the command does more than can be followed", "run it in several shorter calls", r.pos)
	}
	return !ev.stopped
}

// dispatch finds what answers to the name: an alias, a function, the shell
// itself, or a program.
func (ev *evaluator) dispatch(r request, c *syntax.CallExpr) outcome {
	name, ok := r.argv[0].One()
	if !ok {
		return ev.unnamed(r)
	}
	if ev.ctx.Shell == "zsh" && r.plain && len(name) > 1 && name[0] == '=' {
		name = name[1:]
	}
	if name == "" {
		ev.part(r.text, r.argv, r.pos).reasonOnce("an empty name runs nothing")
		return ev.fails()
	}
	if r.plain && !r.noFunctions && !r.external && c != nil {
		if o, done := ev.alias(name, r, c); done {
			return o
		}
	}
	if !r.noFunctions && !r.external {
		if o, done := ev.function(name, r); done {
			return o
		}
	}
	if !r.external {
		if b := builtin(name); b != nil {
			return ev.builtinCall(b, name, r)
		}
	}
	return ev.program(name, r)
}

// unnamed is a command whose name is not known.
func (ev *evaluator) unnamed(r request) outcome {
	part := ev.part(r.text, r.argv, r.pos)
	part.unnamed("the command's name is not known before it runs")
	ev.nameDirs(ev.dir(), r.argv[1:])
	for _, w := range r.argv {
		ev.checkRead(part, ev.dir(), w)
	}
	ev.print(unknownValue())
	return ev.both()
}

// program evaluates a call of a program by its model.
func (ev *evaluator) program(name string, r request) outcome {
	base, trusted := ev.programName(name, r.vars)
	part := ev.part(r.text, r.argv, r.pos)
	inv := &Invocation{
		ev: ev, name: base, dir: ev.dir(), stdin: ev.stdin.rest(), vars: r.vars, clear: r.clear,
		pos: r.pos, part: part, maybe: false,
	}
	for _, w := range r.argv[1:] {
		ev.checkRead(part, inv.dir, w)
	}
	inv.line = line{args: r.argv[1:], operands: r.argv[1:]}
	ruled := inv.ruled(r.argv, trusted)
	if !trusted && !ruled {
		ev.checkRead(part, inv.dir, r.argv[0])
		inv.opaque("what " + cutText(name, 80) + " writes is not known")
	}
	if ev.hidden() != "" {
		inv.opaque(ev.hidden())
	}
	if base == "test" || base == "[" {
		for i, w := range r.argv[1:] {
			if w.Is("-v", "-R") && i+2 < len(r.argv) {
				ev.arithmText(r.argv[i+2].val.all()[0])
			}
		}
	}
	if base == "print" && ev.ctx.Shell == "zsh" {
		ev.printPrompt(part, r)
	}
	m := model(base)
	switch {
	case ruled:
	case isShell(base):
		inv.shell()
	case m == nil:
		if trusted {
			inv.opaque("what " + base + " writes is not known")
		}
	default:
		inv.apply(m)
	}
	if !inv.printed || !trusted {
		ev.print(unknownValue())
	}
	switch inv.status {
	case 'y':
		return ev.succeeds()
	case 'n':
		return ev.fails()
	}
	return ev.both()
}

// printPrompt looks at print -P of zsh, which expands its text once more.
func (ev *evaluator) printPrompt(part *partState, r request) {
	expands := false
	for _, w := range r.argv[1:] {
		for _, s := range w.val.all() {
			expands = expands || len(s) > 1 && s[0] == '-' && strings.Contains(s, "P")
			if expands && (isWild(s) || strings.ContainsAny(s, "$`")) {
				part.unnamed("print -P runs the code in its text")
			}
		}
	}
}

// apply takes the arguments apart and lets the model speak.
func (inv *Invocation) apply(m *Model) {
	inv.model = m
	inv.line = takeApart(m.Options, inv.line.args)
	if inv.line.problem != "" && (m.Options == nil || !m.Options.Lenient) {
		inv.notUnderstood(inv.line.problem)
		return
	}
	m.Apply(inv)
	inv.part.reasonOnce(m.Title)
}

// systemDirs hold the programs that a bare name stands for.
func isSystemDir(dir string) bool {
	switch dir {
	case "/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin",
		"/opt/local/bin", "/snap/bin", "/usr/lib/git-core", "/usr/libexec/git-core", "/run/current-system/sw/bin":
		return true
	}
	return false
}

// programName is the name models know a program by, and whether it is certainly
// the system's.
func (ev *evaluator) programName(name string, vars map[string]value) (base string, trusted bool) {
	if strings.IndexByte(name, '/') < 0 {
		return name, !ev.shadowed(name, vars)
	}
	dir, base := splitPath(cleanPath(absolute(ev.dir(), name)))
	if isSystemDir(dir) {
		return base, true
	}
	return base, false
}

// shadowed reports whether a directory that the line, or vars in front of the
// command, put in front of PATH has a program of that name, or may have.
func (ev *evaluator) shadowed(name string, vars map[string]value) bool {
	v, ok := ev.st.get("PATH")
	if own, given := vars["PATH"]; given {
		v, ok = scalar(own), true
	}
	if !ok || model(name) == nil && !isShell(name) {
		return false
	}
	for _, s := range v.val.all() {
		for dir := range strings.SplitSeq(s, ":") {
			if isSystemDir(dir) {
				break
			}
			if dir == pathHole {
				continue // $PATH as it was
			}
			if isWild(dir) {
				return true
			}
			ends, ok := ev.world.resolve(absolute(ev.dir(), joinPath(dir, name)), true)
			if !ok {
				return true
			}
			for _, e := range ends {
				if strings.Trim(ev.world.kinds(e.path), "-d") != "" {
					return true
				}
			}
		}
	}
	return false
}

// hidden says why names may stand for other programs than usual, or "".
func (ev *evaluator) hidden() string {
	if v, ok := ev.st.get("opt:hidden"); ok {
		return v.val.all()[0]
	}
	return ""
}

// hide makes every later name one that may stand for something else.
func (ev *evaluator) hide(reason string) { ev.st.set("opt:hidden", scalar(known(reason))) }

// alias evaluates a command whose name is an alias of the line, as a shell does
// that expands aliases, and also as one that does not.
func (ev *evaluator) alias(name string, r request, c *syntax.CallExpr) (outcome, bool) {
	v, ok := ev.st.get("alias:" + name)
	if !ok || v.unset || ev.aliasing[name] {
		return outcome{}, false
	}
	rest := ""
	if len(c.Args) > 1 {
		from, to := int(c.Args[1].Pos().Offset()), int(c.End().Offset())
		if from <= to && to <= len(ev.src) {
			rest = " " + ev.src[from:to]
		}
	}
	if ev.aliasing == nil {
		ev.aliasing = map[string]bool{}
	}
	ev.aliasing[name] = true
	start := ev.st.fork()
	o := ev.script(v.val.concat(known(rest)), r.pos)
	ev.st = start
	ev.cond++
	p := ev.dispatch(r, c)
	ev.cond--
	delete(ev.aliasing, name)
	return outcome{ev.join(o.ok, p.ok), ev.join(o.fail, p.fail)}, true
}

// function evaluates a call of a function of the line. done is false when the
// name may also stand for something else.
func (ev *evaluator) function(name string, r request) (o outcome, done bool) {
	v, ok := ev.st.get("func:" + name)
	if !ok || v.unset {
		return outcome{}, false
	}
	sure := !v.mayUnset
	if m := model(name); m != nil && m.Class != Inert {
		sure = false // a function in the place of a tool that changes things
	}
	start := ev.st.fork()
	for _, s := range v.val.all() {
		n, known := positional(s)
		if !known || n >= len(ev.funcs) {
			ev.part(r.text, r.argv, r.pos).unnamed("what the function " + name + " does is not known")
			continue
		}
		ev.st = start.fork()
		got := ev.callFunction(ev.funcs[n], r)
		o.ok, o.fail = ev.join(o.ok, got.ok), ev.join(o.fail, got.fail)
	}
	if sure {
		return o, true
	}
	ev.st = start
	ev.cond++
	rest := r
	rest.noFunctions = true
	p := ev.dispatch(rest, nil)
	ev.cond--
	return outcome{ev.join(o.ok, p.ok), ev.join(o.fail, p.fail)}, true
}

// callFunction evaluates the body of a function with its arguments.
func (ev *evaluator) callFunction(f function, r request) outcome {
	if ev.calls >= maxCalls || !ev.stepText(r) {
		ev.part(r.text, r.argv, r.pos).unnamed("the function " + f.name + " calls itself too often to be followed")
		return ev.both()
	}
	part := ev.part(r.text, r.argv, r.pos)
	part.reasonOnce("calls the function " + f.name)
	src, outer := ev.src, ev.outer
	ev.src, ev.outer = f.src, f.outer
	saved := map[string]variable{"@": ev.lookup("@")}
	ev.locals = append(ev.locals, saved)
	for name, v := range r.vars {
		saved[name] = ev.lookup(name)
		ev.assign(name, scalar(v))
	}
	ev.st.set("@", argsVariable(r.argv[1:]))
	ev.calls++
	if f.file {
		ev.inFile++
	}
	o := ev.stmt(f.body)
	if f.file {
		ev.inFile--
	}
	ev.calls--
	ev.locals = ev.locals[:len(ev.locals)-1]
	ev.src, ev.outer = src, outer
	for _, st := range []*state{&o.ok, &o.fail} {
		if st.dead() {
			continue
		}
		for name, v := range saved {
			st.set(name, v)
		}
	}
	return o
}

func argsVariable(argv []Word) variable {
	v := variable{array: true}
	for _, w := range argv {
		v.list = append(v.list, w.val)
		v.shaky = v.shaky || w.shaky
		if w.Unknown() {
			v.open = true
		}
	}
	return v
}

// runsByItself reports whether the shell calls a function of that name without
// being told to.
func runsByItself(name string) bool {
	switch name {
	case "zshexit", "precmd", "preexec", "chpwd", "periodic", "zshaddhistory", "command_not_found_handle", "command_not_found_handler":
		return true
	}
	return strings.HasPrefix(name, "TRAP")
}

// declare defines functions.
func (ev *evaluator) declare(d *syntax.FuncDecl) {
	names := d.Names
	if d.Name != nil {
		names = append(names, d.Name)
	}
	for _, n := range names {
		ev.funcs = append(ev.funcs, function{name: n.Value, body: d.Body, src: ev.src, outer: ev.outer, file: ev.inFile > 0})
		ev.st.set("func:"+n.Value, scalar(known(itoa(len(ev.funcs)-1))))
		if runsByItself(n.Value) {
			ev.late = append(ev.late, lateCode{stmt: d.Body, st: ev.st.fork(), src: ev.src, outer: ev.outer})
		}
	}
	if len(names) == 0 { // zsh: a function without a name runs at once
		ev.stmt(d.Body)
	}
}

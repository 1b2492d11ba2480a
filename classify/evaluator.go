package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// evaluator follows one call through everything it may do.
type evaluator struct {
	ctx   *Context
	world *world
	// st is the state at the point that is being evaluated; it has one
	// directory within a statement.
	st  state
	out Verdict

	effectIndex map[effectKey]int
	partIndex   map[partKey]int
	refusals    map[Refusal]bool

	// src is the text that is being evaluated. Within a text that is not the
	// command itself, outer is where the command mentions it.
	src   string
	outer *Pos
	// cond counts the conditions that the point depends on, inFile the files
	// from the disk it lies in.
	cond, inFile int
	// steps counts evaluated commands; depth nested texts, calls functions.
	steps, depth, calls, runs int
	globbed                   int
	stopped                   bool

	stdin *input
	sink  *sink

	funcs   []function
	visited map[*syntax.CallExpr]bool
	leaves  map[*syntax.Stmt]bool
	late    []lateCode
	fresh   byte
	// at is where the command stands that is being evaluated; locals are the
	// variables that running functions have to put back.
	at     Pos
	locals []map[string]variable
	// pipes counts process substitutions; aliasing holds the aliases that are
	// being expanded.
	pipes    int
	aliasing map[string]bool
	// nomatch says that a pattern of the command matched nothing.
	nomatch bool
	// gitWritten says that the line has written hooks or settings of git.
	gitWritten bool
}

// function is a shell function of the line.
type function struct {
	name  string
	body  *syntax.Stmt
	src   string
	outer *Pos
	file  bool
}

// lateCode is text or a statement that may run later than where it stands.
type lateCode struct {
	stmt  *syntax.Stmt
	text  *value
	st    state
	src   string
	outer *Pos
	pos   Pos
}

// sink collects what is written to a standard output that somebody reads.
type sink struct {
	val value
}

const (
	// maxSteps bounds how many commands are evaluated in one call, maxDepth how
	// deep texts may stand in each other, maxCalls how deep functions call.
	maxSteps = 20_000
	// freeSteps are evaluated whatever the time is.
	freeSteps = 1_000
	maxDepth  = 40
	maxCalls  = 24
	// maxRuns is how many programs may stand in front of the one that is run.
	maxRuns = 12
	// maxWords is how many words one command may be written with.
	maxWords = 10_000
	// maxLate is how many jobs and traps are followed to the end of the line.
	maxLate = 64
)

func newEvaluator(ctx *Context) *evaluator {
	ev := &evaluator{
		ctx: ctx, world: newWorld(ctx),
		effectIndex: map[effectKey]int{}, partIndex: map[partKey]int{}, refusals: map[Refusal]bool{},
		visited: map[*syntax.CallExpr]bool{}, leaves: map[*syntax.Stmt]bool{},
	}
	cwd := ctx.Cwd
	if !strings.HasPrefix(cwd, "/") {
		cwd = anyHole
	}
	ev.st = state{cwds: []string{cwd}}
	ev.out.Class = Inert
	return ev
}

// dir is the directory of the point that is being evaluated.
func (ev *evaluator) dir() string {
	if len(ev.st.cwds) != 1 {
		return anyHole
	}
	return ev.st.cwds[0]
}

// pos is where a node stands, for people.
func (ev *evaluator) pos(p syntax.Pos) Pos {
	if ev.outer != nil {
		return *ev.outer
	}
	return fromPos(p)
}

// text is the source of a node.
func (ev *evaluator) text(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(ev.src) || from >= to {
		return ""
	}
	return ev.src[from:to]
}

// print adds to the standard output of the point.
func (ev *evaluator) print(v value) {
	if ev.sink == nil {
		return
	}
	if len(ev.sink.val.strs) == 0 {
		ev.sink.val = known("")
	}
	ev.sink.val = ev.sink.val.concat(v)
	for _, s := range ev.sink.val.strs {
		if len(s) > maxBytes {
			ev.sink.val = unknownValue()
		}
	}
}

// lookup is what is known of a variable at the point.
func (ev *evaluator) lookup(name string) variable { return ev.lookupIn(&ev.st, name) }

func (ev *evaluator) lookupIn(st *state, name string) variable {
	if v, ok := st.get(name); ok {
		return v
	}
	if strings.IndexByte(name, ':') >= 0 {
		return noVariable() // a function, an alias or an option
	}
	switch name {
	case "HOME":
		return exportedScalar(ev.ctx.Home)
	case "PWD":
		var v value
		for _, c := range st.cwds {
			v = v.orNew(known(c))
		}
		return scalar(v)
	case "IFS":
		return scalar(known(" \t\n"))
	case "PATH":
		if s, ok := ev.ctx.Env[name]; ok {
			return exportedScalar(s)
		}
		return exportedScalar(pathHole)
	case "@":
		return variable{array: true}
	case "#":
		if args := ev.lookupIn(st, "@"); !args.open && !args.shaky {
			return scalar(known(itoa(len(args.list))))
		}
		return scalar(known(digitsHole))
	case "$", "!", "?", "RANDOM", "SECONDS", "BASHPID", "PPID", "EUID", "UID", "LINENO", "SHLVL", "EPOCHSECONDS", "SRANDOM", "COLUMNS", "LINES", "HISTCMD", "GROUPS":
		return scalar(known(digitsHole))
	case "EPOCHREALTIME", "-":
		return scalar(known(nameHole))
	}
	if n, ok := positional(name); ok {
		return ev.argument(st, n)
	}
	if s, ok := ev.ctx.Env[name]; ok {
		return exportedScalar(s)
	}
	return unknownVariable()
}

// argument is $n.
func (ev *evaluator) argument(st *state, n int) variable {
	args := ev.lookupIn(st, "@")
	switch {
	case n == 0:
		return unknownVariable()
	case n <= len(args.list) && args.shaky:
		return anyOf(args)
	case n <= len(args.list):
		return scalar(args.list[n-1])
	case args.open:
		return unknownVariable()
	default:
		return noVariable()
	}
}

func exportedScalar(s string) variable {
	v := scalar(known(s))
	v.exported = true
	return v
}

func positional(name string) (int, bool) {
	if !isDigits(name) || len(name) > 4 {
		return 0, false
	}
	n := 0
	for i := range len(name) {
		n = n*10 + int(name[i]-'0')
	}
	return n, true
}

// assign sets a variable and does what setting it means.
func (ev *evaluator) assign(name string, v variable) {
	old, had := ev.st.get(name)
	if had && old.integer {
		v.integer = true
		for _, s := range v.val.all() {
			ev.arithmText(s)
		}
		v.val = v.val.each(func(s string) string {
			if isDigits(s) {
				return s
			}
			return digitsHole
		})
	}
	if had && old.exported || !had && ev.lookup(name).exported {
		v.exported = true
	}
	ev.st.set(name, v)
	ev.assigned(name, v)
}

// optionOn reports whether a shell option is certainly on, optionMay whether
// it may be.
func (ev *evaluator) optionOn(name string) bool {
	v, ok := ev.st.get("opt:" + name)
	return ok && !v.mayUnset && len(v.val.strs) == 1 && v.val.strs[0] == "on"
}

func (ev *evaluator) optionMay(name string) bool {
	v, ok := ev.st.get("opt:" + name)
	return ok && (v.val.wild() || contains(v.val.strs, "on"))
}

func contains(list []string, s string) bool {
	for _, t := range list {
		if t == s {
			return true
		}
	}
	return false
}

// finishUp evaluates what runs at the end or at any time, and widens what was
// never reached.
func (ev *evaluator) finishUp(file *syntax.File) {
	if len(ev.late) > maxLate {
		ev.note("code that runs later").unnamed("more code runs later than can be followed")
	}
	for i := 0; i < len(ev.late) && i < maxLate; i++ {
		l := ev.late[i]
		ev.cond++
		end := ev.st.fork()
		ev.st = ev.join(l.st, end)
		ev.src, ev.outer = l.src, l.outer
		if l.stmt != nil {
			ev.stmt(l.stmt)
		} else {
			ev.script(*l.text, l.pos)
		}
		ev.st = end
		ev.cond--
	}
	ev.widenUnvisited(file)
}

// widenUnvisited makes every command that evaluation did not reach one that is
// not known. Bodies of functions that nothing calls cannot run.
func (ev *evaluator) widenUnvisited(file *syntax.File) {
	if ev.stopped {
		return
	}
	ev.outer = nil
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			return false
		case *syntax.CallExpr:
			if len(n.Args) > 0 && !ev.visited[n] {
				ev.part(ev.text(n), nil, ev.pos(n.Pos())).unnamed("this command was not followed")
			}
		}
		return true
	})
}

// step counts one command and stops an evaluation that does not end.
func (ev *evaluator) step(n syntax.Node) bool {
	if ev.stopped {
		return false
	}
	if ev.steps++; ev.steps > maxSteps || ev.overtime() {
		ev.stopped = true
		ev.part(ev.text(n), nil, ev.pos(n.Pos())).refuse("the command does more than can be followed",
			"run it in several shorter calls", ev.pos(n.Pos()))
		return false
	}
	return true
}

// overtime looks at the clock now and then, once much was evaluated.
func (ev *evaluator) overtime() bool {
	return ev.steps > freeSteps && ev.steps%64 == 0 && ev.ctx.Overtime != nil && ev.ctx.Overtime()
}

// freshPath names something that does not exist yet.
func (ev *evaluator) freshPath(dir, before, after string) string {
	// No byte that separates fields or means something in a pattern.
	if ev.fresh = (ev.fresh + 1) % 0x20; ev.fresh < 0x0e {
		ev.fresh = 0x0e
	}
	return joinPath(dir, before+"\x00F"+string([]byte{ev.fresh})+after)
}

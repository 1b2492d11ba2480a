package classify

import "strings"

// findNode is one node of a find expression: op is 'p' for a primary, '!', 'a'
// (and), 'o' (or) or ',' with one or two kids.
type findNode struct {
	op   byte
	kids [2]*findNode
	name string
	args []Word
	// plus says that an -exec ends in "+".
	plus bool
}

// findLine is a find command taken apart.
type findLine struct {
	roots              []Word
	expr               *findNode
	follow, followArgs bool
	depth, xdev        bool
	minDepth, maxDepth int
	// acts says that an action other than -prune stands in the expression;
	// without one the whole is printed.
	acts bool
	// vague says that an option is not known in value.
	vague bool
	// problem says why the line is not understood.
	problem string
}

type findParser struct {
	args []Word
	at   int
	out  *findLine
}

// parseFind takes the arguments of find apart.
func parseFind(args []Word) findLine {
	out := findLine{maxDepth: 1 << 30}
	p := findParser{args: args, out: &out}
	p.leading()
	for p.at < len(args) && !startsExpression(args[p.at]) {
		out.roots = append(out.roots, args[p.at])
		p.at++
	}
	if p.at < len(args) {
		out.expr = p.list()
		if out.problem == "" && p.at < len(args) {
			out.problem = "find does not expect " + args[p.at].Source()
		}
	}
	return out
}

// leading reads the options that stand in front of the paths.
func (p *findParser) leading() {
	for ; p.at < len(p.args); p.at++ {
		switch w := p.args[p.at]; {
		case w.Is("-L"):
			p.out.follow = true
		case w.Is("-H"):
			p.out.followArgs = true
		case w.Is("-P"), w.Is("-E", "-X", "-s"), beginsWith(w, "-O"):
		case w.Is("-d"):
			p.out.depth = true
		case w.Is("-x"):
			p.out.xdev = true
		case w.Is("-D"):
			p.at++
		default:
			return
		}
	}
}

func startsExpression(w Word) bool {
	s := w.Prefix()
	return strings.HasPrefix(s, "-") && s != "-" || w.Is("(", ")", "!", ",")
}

func (p *findParser) is(words ...string) bool {
	return p.at < len(p.args) && p.args[p.at].Is(words...)
}

func (p *findParser) list() *findNode {
	n := p.or()
	for p.is(",") {
		p.at++
		n = &findNode{op: ',', kids: [2]*findNode{n, p.or()}}
	}
	return n
}

func (p *findParser) or() *findNode {
	n := p.and()
	for p.is("-o", "-or") {
		p.at++
		n = &findNode{op: 'o', kids: [2]*findNode{n, p.and()}}
	}
	return n
}

func (p *findParser) and() *findNode {
	n := p.not()
	for p.at < len(p.args) && !p.is("-o", "-or", ",", ")") && p.out.problem == "" {
		if p.is("-a", "-and") {
			p.at++
		}
		n = &findNode{op: 'a', kids: [2]*findNode{n, p.not()}}
	}
	return n
}

func (p *findParser) not() *findNode {
	switch {
	case p.at >= len(p.args):
		p.fail("find expects more behind its last argument")
		return &findNode{op: 'p', name: "-true"}
	case p.is("!", "-not"):
		p.at++
		return &findNode{op: '!', kids: [2]*findNode{p.not(), nil}}
	case p.is("("):
		p.at++
		n := p.list()
		if !p.is(")") {
			p.fail("find expects )")
		}
		p.at++
		return n
	default:
		return p.primary()
	}
}

func (p *findParser) fail(why string) {
	if p.out.problem == "" {
		p.out.problem = why
	}
}

// primary reads one test, action or option.
func (p *findParser) primary() *findNode {
	name, ok := p.args[p.at].One()
	if !ok {
		p.fail("a part of find's expression is not known")
	}
	p.at++
	n := &findNode{op: 'p', name: name}
	switch count := findArgs(name); {
	case count == execArgs:
		p.exec(n)
	case count < 0:
		p.fail("find does not know " + name)
	case p.at+count > len(p.args):
		p.fail(name + " needs more arguments")
	default:
		n.args = p.args[p.at : p.at+count]
		p.at += count
	}
	p.option(n)
	return n
}

// exec reads the command up to ";" or "{} +".
func (p *findParser) exec(n *findNode) {
	start := p.at
	for ; p.at < len(p.args); p.at++ {
		w := p.args[p.at]
		if w.Is(";") || w.Is("+") && p.at > start && p.args[p.at-1].Is("{}") {
			n.plus = w.Is("+")
			n.args = p.args[start:p.at]
			p.at++
			return
		}
	}
	p.fail(n.name + " is not ended")
}

// option notes what holds for the whole run, wherever it stands.
func (p *findParser) option(n *findNode) {
	switch n.name {
	case "-depth", "-d":
		p.out.depth = true
	case "-delete":
		p.out.depth, p.out.acts = true, true
	case "-xdev", "-mount", "-x":
		p.out.xdev = true
	case "-follow":
		p.out.follow = true
	case "-maxdepth", "-mindepth":
		d, ok := "", false
		if len(n.args) == 1 {
			d, ok = n.args[0].One()
		}
		switch {
		case !ok || !isDigits(d) || len(d) > 6:
			p.out.vague = true
		case n.name == "-maxdepth":
			p.out.maxDepth = decimal(d)
		default:
			p.out.minDepth = decimal(d)
		}
	case "-print", "-print0", "-printf", "-ls", "-fprint", "-fprint0", "-fprintf", "-fls",
		"-exec", "-execdir", "-ok", "-okdir", "-quit", "-printx":
		p.out.acts = true
	}
}

func decimal(digits string) int {
	n := 0
	for _, c := range []byte(digits) {
		n = n*10 + int(c-'0')
	}
	return n
}

const execArgs = 100

// findArgs is how many arguments a primary takes: execArgs for a command, -1
// when it is not known.
func findArgs(name string) int {
	switch name {
	case "-true", "-false", "-empty", "-print", "-print0", "-ls", "-delete", "-prune", "-quit", "-depth", "-d", "-xdev",
		"-mount", "-follow", "-daystart", "-noleaf", "-nowarn", "-warn", "-ignore_readdir_race", "-noignore_readdir_race",
		"-nouser", "-nogroup", "-readable", "-writable", "-executable", "-help", "--help", "-version", "--version", "-x",
		"-printx", "-sparse":
		return 0
	case "-name", "-iname", "-path", "-wholename", "-ipath", "-iwholename", "-regex", "-iregex", "-lname", "-ilname",
		"-type", "-xtype", "-size", "-perm", "-user", "-group", "-uid", "-gid", "-newer", "-anewer", "-cnewer", "-mnewer",
		"-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-Bmin", "-Btime", "-links", "-inum", "-samefile",
		"-fstype", "-used", "-context", "-maxdepth", "-mindepth", "-regextype", "-printf", "-fprint", "-fprint0", "-fls",
		"-flags", "-acl":
		return 1
	case "-fprintf":
		return 2
	case "-exec", "-execdir", "-ok", "-okdir":
		return execArgs
	}
	if strings.HasPrefix(name, "-newer") && len(name) == len("-newerXY") {
		return 1
	}
	return -1
}

package classify

import "strings"

func findModels() []*Model {
	return []*Model{
		{
			Names: []string{"find", "gfind"}, Family: "find", Title: "Lists files; -delete, -exec and -fprint act on them",
			Undo: "puts back what the actions removed or changed", Class: Inert,
			Examples: []string{"find D -name '*.log'", "find D -delete", "find D -name '*.log' -exec rm {} +"},
			Apply:    applyFind,
		},
		{
			Names: []string{"fd", "fdfind"}, Family: "find", Title: "Lists files; -x and -X run a command on them",
			Undo: "as for the command", Class: Inert, Examples: []string{"fd -e log", "fd -x rm"},
			Apply: applyFd,
		},
	}
}

func applyFind(inv *Invocation) {
	inv.Inert("lists files")
	r := &findRun{
		inv: inv, line: parseFind(inv.Args()), exact: true,
		plus: map[*findNode][]Word{}, seen: map[[2]uint64]bool{},
	}
	if r.line.problem != "" {
		inv.NotUnderstood(r.line.problem)
		return
	}
	if r.line.expr != nil {
		r.writes(r.line.expr)
	}
	if r.line.vague {
		r.exact = false
		r.line.minDepth, r.line.maxDepth = 0, 1<<30
	}
	roots := r.line.roots
	if certain(roots) == 0 {
		roots = append(roots[:len(roots):len(roots)], inv.Lit("."))
	}
	for _, w := range roots {
		r.root(w)
	}
	r.finish()
}

// root follows one starting point.
func (r *findRun) root(w Word) {
	values, known := w.Known()
	switch {
	case !known && w.Fresh():
		r.opaque = true
		r.actOn(r.inv.Join(w, "x"))
	case !known:
		r.opaque = true
		r.actOn(r.inv.UnknownWord("what find lists below " + w.Source()))
	case isBareDelete(r.line.expr):
		for _, v := range values {
			r.wipe(v)
		}
	default:
		for _, v := range values {
			r.start(v)
		}
	}
}

// isBareDelete reports that everything is deleted, so that the tree need not
// be walked.
func isBareDelete(n *findNode) bool {
	switch {
	case n == nil:
		return false
	case n.op == 'a':
		return n.kids[0].name == "-depth" && isBareDelete(n.kids[1])
	default:
		return n.op == 'p' && n.name == "-delete"
	}
}

// wipe removes a whole tree; the directory "." itself stays.
func (r *findRun) wipe(root string) {
	if root != "." && root != "./" {
		r.inv.Delete(r.inv.Lit(root), true)
		return
	}
	names, ok := r.inv.List(".")
	if !ok {
		r.inv.Unresolved("the directory cannot be listed")
		return
	}
	for _, name := range names {
		r.inv.Delete(r.inv.Lit("./"+name), true)
	}
}

// writes does what happens whether anything matches or not: the files that
// -fprint and its kin open.
func (r *findRun) writes(n *findNode) {
	for _, kid := range n.kids {
		if kid != nil {
			r.writes(kid)
		}
	}
	switch n.name {
	case "-fprint", "-fprint0", "-fprintf", "-fls":
		if len(n.args) > 0 {
			r.inv.Write(n.args[0])
		}
	}
}

// actOn does every action of the expression on an item about which nothing
// else is known.
func (r *findRun) actOn(item Word) {
	var walk func(n *findNode)
	walk = func(n *findNode) {
		if n == nil {
			return
		}
		walk(n.kids[0])
		walk(n.kids[1])
		switch n.name {
		case "-delete":
			r.inv.Delete(item, false)
		case "-exec", "-execdir", "-ok", "-okdir":
			argv := make([]Word, len(n.args))
			for i, w := range n.args {
				argv[i] = replaced(r.inv, w, "{}", item)
			}
			r.inv.RunWith(argv, r.inv.StdinWord())
		}
	}
	walk(r.line.expr)
}

// finish runs the collected commands and says what was printed.
func (r *findRun) finish() {
	if r.line.expr != nil {
		r.runPlus(r.line.expr)
	}
	if r.lost && r.line.acts {
		r.actOn(r.inv.UnknownWord("what find lists"))
	}
	if r.opaque || r.lost {
		return
	}
	t := text{s: r.out.String(), ok: true, loose: !r.exact}
	emit(r.inv, t.shuffled())
}

// runPlus runs each "-exec … {} +" on all that it collected.
func (r *findRun) runPlus(n *findNode) {
	for _, kid := range n.kids {
		if kid != nil {
			r.runPlus(kid)
		}
	}
	items := r.plus[n]
	if len(items) == 0 {
		return
	}
	r.opaque = true
	argv := append(append([]Word{}, n.args[:len(n.args)-1]...), items...)
	r.inv.RunWith(argv, r.inv.StdinWord())
}

// applyFd runs the command of -x and -X on names that are not known: what fd
// lists depends on ignore files.
func applyFd(inv *Invocation) {
	inv.Inert("lists files")
	args := inv.Args()
	for i, w := range args {
		if !w.Is("-x", "--exec", "-X", "--exec-batch") {
			continue
		}
		item := inv.UnknownWord("what fd lists")
		cmd, placed := args[i+1:], false
		argv := make([]Word, 0, len(cmd)+1)
		for _, c := range cmd {
			if c.Is(";") {
				break
			}
			done := c
			for _, mark := range []string{"{}", "{/}", "{//}", "{.}", "{/.}"} {
				if s, ok := c.One(); ok && strings.Contains(s, mark) {
					done, placed = replaced(inv, c, mark, item), true
				}
			}
			argv = append(argv, done)
		}
		if !placed {
			argv = append(argv, item)
		}
		inv.Run(argv)
		return
	}
}

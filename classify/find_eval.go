package classify

import (
	"path"
	"strings"
)

// truth is a test's result when not everything is known.
type truth uint8

const (
	no truth = iota
	maybe
	yes
)

// findRun follows one find over the disk.
type findRun struct {
	inv  *Invocation
	line findLine
	out  strings.Builder
	// exact: every line of out is certain. opaque: something is printed that
	// is not followed. lost: a directory could not be listed.
	exact, opaque, lost bool
	printed, runs       int
	// plus collects the paths of each "-exec … {} +".
	plus map[*findNode][]Word
	seen map[[2]uint64]bool
}

// findEntry is one path that find looks at.
type findEntry struct {
	path   string // as find prints it
	root   string
	depth  int
	info   Info
	pruned bool
}

func (r *findRun) start(root string) {
	info, ok := r.inv.Lstat(root)
	if ok && info.Type == 'l' && (r.line.follow || r.line.followArgs || strings.HasSuffix(root, "/")) {
		if to, ok := r.inv.Stat(root); ok {
			info = to
		}
	}
	if !ok {
		return
	}
	r.visit(&findEntry{path: root, root: root, info: info}, info.Dev)
}

// visit looks at one entry and what is below it.
func (r *findRun) visit(e *findEntry, dev uint64) {
	if !r.line.depth {
		r.look(e)
	}
	if e.info.Type == 'd' && !e.pruned && e.depth < r.line.maxDepth {
		r.below(e, dev)
	}
	if r.line.depth {
		r.look(e)
	}
}

func (r *findRun) below(e *findEntry, dev uint64) {
	if r.line.xdev && e.info.Dev != dev {
		return
	}
	if r.line.follow {
		id := [2]uint64{e.info.Dev, e.info.Ino}
		if r.seen[id] {
			return
		}
		r.seen[id] = true
	}
	names, ok := r.inv.List(e.path)
	if !ok {
		if info, there := r.inv.Lstat(e.path); there && info.Type == 'd' || r.inv.ev.world.over {
			r.lost = true
		}
		return
	}
	for _, name := range names {
		p := e.path + "/" + name
		if strings.HasSuffix(e.path, "/") {
			p = e.path + name
		}
		info, ok := r.inv.Lstat(p)
		if !ok {
			r.lost = r.lost || r.inv.ev.world.over
			continue
		}
		if info.Type == 'l' && r.line.follow {
			if to, ok := r.inv.Stat(p); ok {
				info = to
			}
		}
		r.visit(&findEntry{path: p, root: e.root, depth: e.depth + 1, info: info}, dev)
	}
}

func (r *findRun) look(e *findEntry) {
	if e.depth < r.line.minDepth {
		return
	}
	t := yes
	if r.line.expr != nil {
		t = r.eval(r.line.expr, e, true)
	}
	if !r.line.acts && t != no {
		r.print(e.path+"\n", t == yes)
	}
}

// eval gives the truth of n for e and does its actions; sure says that find
// certainly gets here.
func (r *findRun) eval(n *findNode, e *findEntry, sure bool) truth {
	switch n.op {
	case '!':
		return yes - r.eval(n.kids[0], e, sure)
	case 'a':
		a := r.eval(n.kids[0], e, sure)
		if a == no {
			return no
		}
		return min(a, r.eval(n.kids[1], e, sure && a == yes))
	case 'o':
		a := r.eval(n.kids[0], e, sure)
		if a == yes {
			return yes
		}
		return max(a, r.eval(n.kids[1], e, sure && a == no))
	case ',':
		r.eval(n.kids[0], e, sure)
		return r.eval(n.kids[1], e, sure)
	default:
		return r.primary(n, e, sure)
	}
}

func (r *findRun) primary(n *findNode, e *findEntry, sure bool) truth {
	switch n.name {
	case "-print":
		r.print(e.path+"\n", sure)
	case "-print0":
		r.print(e.path+"\x00", sure)
	case "-printf":
		r.printf(n.args[0], e, sure)
	case "-ls", "-printx":
		r.opaque = true
	case "-prune":
		e.pruned = e.pruned || sure && !r.line.depth
	case "-quit":
		r.exact = false
	case "-delete":
		r.remove(e)
	case "-exec", "-ok":
		return r.exec(n, e, r.inv.Lit(e.path), false)
	case "-execdir", "-okdir":
		return r.exec(n, e, r.inv.Lit("./"+path.Base(e.path)), true)
	case "-fprint", "-fprint0", "-fprintf", "-fls":
		// the file is written whether anything matches or not
	default:
		return r.test(n, e)
	}
	return yes
}

func (r *findRun) print(text string, sure bool) {
	r.exact = r.exact && sure
	r.printed++
	r.out.WriteString(text)
}

// printf follows the few directives that print names; anything else makes the
// output unknown.
func (r *findRun) printf(format Word, e *findEntry, sure bool) {
	f, ok := format.One()
	if !ok {
		r.opaque = true
		return
	}
	var b strings.Builder
	for i := 0; i < len(f); i++ {
		if f[i] != '%' && f[i] != '\\' || i+1 == len(f) {
			b.WriteByte(f[i])
			continue
		}
		i++
		text, ok := directive(f[i-1:i+1], e)
		if !ok {
			r.opaque = true
			return
		}
		b.WriteString(text)
	}
	r.print(b.String(), sure)
}

func directive(d string, e *findEntry) (string, bool) {
	switch d {
	case "%p":
		return e.path, true
	case "%f":
		return path.Base(e.path), true
	case "%h":
		if i := strings.LastIndexByte(e.path, '/'); i > 0 {
			return e.path[:i], true
		}
		return ".", true
	case "%P":
		return strings.TrimPrefix(strings.TrimPrefix(e.path, e.root), "/"), true
	case "%%":
		return "%", true
	case `\n`:
		return "\n", true
	case `\0`:
		return "\x00", true
	case `\t`:
		return "\t", true
	case `\\`:
		return `\`, true
	default:
		return "", false
	}
}

func (r *findRun) remove(e *findEntry) {
	if e.path == "." {
		return
	}
	r.inv.Delete(r.inv.Lit(e.path), false)
}

// exec runs the command of n on item, or keeps the item for the end.
func (r *findRun) exec(n *findNode, e *findEntry, item Word, inDir bool) truth {
	if n.plus && !inDir {
		r.plus[n] = append(r.plus[n], item)
		return yes
	}
	r.runs++
	if r.runs > batches {
		r.lost = true
		return maybe
	}
	argv := make([]Word, len(n.args))
	for i, w := range n.args {
		argv[i] = replaced(r.inv, w, "{}", item)
	}
	e.pruned = e.pruned || removesTree(n.args)
	if inDir {
		r.inv.RunIn(r.inv.Lit(dirOf(e.path)), argv)
	} else {
		r.inv.RunWith(argv, r.inv.StdinWord())
	}
	r.opaque = true
	return maybe
}

func dirOf(p string) string {
	if i := strings.LastIndexByte(strings.TrimRight(p, "/"), '/'); i > 0 {
		return p[:i]
	} else if i == 0 {
		return "/"
	}
	return "."
}

// removesTree reports that the command takes the whole of "{}" away, so that
// nothing below it is left to look at.
func removesTree(argv []Word) bool {
	if len(argv) < 2 || !argv[0].Is("rm") {
		return false
	}
	tree, item := false, false
	for _, w := range argv[1:] {
		s, _ := w.One()
		tree = tree || s == "--recursive" || len(s) > 1 && s[0] == '-' && s[1] != '-' && strings.ContainsAny(s, "rR")
		item = item || s == "{}"
	}
	return tree && item
}

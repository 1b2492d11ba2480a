package classify

import "strings"

// gitLoses are the verbs that can throw work away in their usual forms. The
// forms that cannot are let go.
func gitLoses(g *gitCall) {
	if g.mayHide() && isOneOf(g.verb, []string{"apply", "rm", "mv"}) {
		g.inv.Unresolved("an argument of git " + g.verb + " is not known")
		return
	}
	switch g.verb {
	case "reset":
		gitReset(g)
	case "checkout", "switch":
		gitCheckout(g)
	case "restore":
		if g.indexOnly() {
			g.index()
			return
		}
		g.refuse("throws away what is not committed", "cp the files aside, then git show HEAD:FILE > COPY")
	case "clean":
		if g.has("-n", "--dr|y-run") {
			g.inert("only lists")
			return
		}
		g.refuse("removes files that are not tracked", "git clean -n lists them; rm -rf with their names is armed")
		g.cleaned()
	case "apply":
		gitApply(g)
	case "rm":
		gitRm(g)
	case "mv":
		gitMv(g)
	case "update-ref":
		g.refuse("moves or removes a ref", "git branch NEW COMMIT")
	case "merge", "cherry-pick", "revert", "am":
		gitMerge(g)
	case "rebase":
		for _, w := range execOptions(g) {
			g.inv.RunScript(w)
		}
		if g.has("--sh|ow-current-patch") {
			g.inert("only reads")
			return
		}
		g.refuse("rewrites commits and the work tree", "git branch KEEP first and let the person rebase; or git merge")
	case "gc", "prune", "repack", "prune-packed":
		if g.verb == "prune" && g.has("-n", "--dr|y-run") || g.verb == "prune-packed" {
			g.inert("takes nothing away that is not held elsewhere")
			return
		}
		g.refuse("removes objects that only reflogs or nothing hold", "git count-objects -v")
	case "filter-branch":
		for _, w := range filterOptions(g) {
			g.inv.RunScript(w)
		}
		g.refuse("rewrites history", "git clone the repository and filter the copy")
	case "filter-repo":
		g.refuse("rewrites history", "git clone the repository and filter the copy")
	case "read-tree", "checkout-index":
		if g.verb == "read-tree" && !g.has("-u", "-m", "--reset|") {
			g.inert("changes the index only")
			return
		}
		g.refuse("replaces files of the work tree", "git worktree add ../copy COMMIT")
	case "merge-file":
		ws := plainWords(g.args)
		if g.has("-p", "--st|dout") || len(ws) == 0 {
			g.inert("only prints")
			return
		}
		g.inv.Write(under(g.dir, ws[0]))
	default:
		g.refuse("changes refs or the work tree", "")
	}
}

func gitReset(g *gitCall) {
	switch {
	case g.has("--ha|rd", "--me|rge", "--ke|ep"):
		g.refuse("--hard throws away what is not committed", "cp the changed files aside first and restore single files with git show HEAD:FILE > COPY")
	case g.has("--so|ft"), g.moves():
		g.refuse("moves the branch", "git branch KEEP, and let the person reset")
	case g.mayHide():
		g.inv.Unresolved("an argument of git reset that is not known could be --hard")
	default:
		// git reset [HEAD] [-- paths]: staged content that the work tree no
		// longer holds would be lost.
		g.index()
	}
}

// indexOnly reports that restore is told to change the index and not the work
// tree; of options that contradict each other the last one counts.
func (g *gitCall) indexOnly() bool {
	staged, tree := false, false
	for _, w := range g.args {
		s, ok := w.One()
		switch {
		case !ok && w.token().head == "":
			return false
		case s == "--" && ok:
			return staged && !tree
		case s == "-S", len(s) > len("--st") && strings.HasPrefix("--staged", s):
			staged = true
		case s == "-W", len(s) > len("--wo") && strings.HasPrefix("--worktree", s):
			tree = true
		case len(s) > len("--no-wo") && strings.HasPrefix("--no-worktree", s):
			tree = false
		case len(s) > len("--no-st") && strings.HasPrefix("--no-staged", s):
			staged = false
		case strings.HasPrefix(s, "-") && !strings.HasPrefix(s, "--") && strings.ContainsAny(s, "SW"):
			staged = staged || strings.Contains(s, "S")
			tree = tree || strings.Contains(s, "W")
		}
	}
	return staged && !tree
}

// moves reports that reset names a commit other than HEAD.
func (g *gitCall) moves() bool {
	for _, w := range g.args {
		s, ok := w.One()
		switch {
		case s == "--" && ok:
			return false
		case strings.HasPrefix(w.Prefix(), "-"):
		case !ok:
			return true
		case s == "HEAD" || s == "@":
		case g.exists(s), strings.HasSuffix(s, "/"), strings.HasPrefix(s, "."), strings.ContainsAny(s, "*?["):
			return false // a path, from here on
		default:
			return true
		}
	}
	return false
}

// exists reports that a path below the directory of the call is there.
func (g *gitCall) exists(p string) bool {
	dir, ok := g.dir.One()
	if !ok {
		return false
	}
	_, there := g.inv.Lstat(absolute(dir, p))
	return there
}

func gitCheckout(g *gitCall) {
	ws := plainWords(g.args)
	creates := g.has("-b", "-c", "--cr|eate", "--orp|han")
	forced := g.has("-f", "--fo|rce", "-B", "-C", "--force-|create", "--disc|ard-changes", "-m", "--merge", "--ours", "--theirs", "-p", "--pa|tch")
	paths := g.verb == "checkout" && (hasWord(g.args, "--") || len(ws) > 1 && !creates || g.has("--pathspec-f|rom-file"))
	switch {
	case forced || paths:
		g.refuse("throws away what is not committed", "cp the files aside, then git show HEAD:FILE > COPY")
	case creates && g.has("--orp|han"):
		g.opaque("git moves to a branch without commits; git itself keeps what is not committed")
	case creates && len(ws) <= 1:
		g.inert("makes a branch where HEAD is")
	case g.mayHide():
		g.inv.Unresolved("an argument of git " + g.verb + " that is not known could be a file")
	case len(ws) == 1 && g.verb == "checkout" && g.isPath(ws[0]):
		g.refuse("throws away what is not committed in a file", "cp the file aside, then git show HEAD:FILE > COPY")
	case len(ws) == 0 && !g.has("-", "--de|tach"):
		g.inert("only reads")
	default:
		g.opaque("git changes files that are committed, and keeps the others")
	}
}

// isPath reports that the only operand of checkout can name files: something
// of that name is there, or it is a pattern.
func (g *gitCall) isPath(w Word) bool {
	s, ok := w.One()
	if !ok || s == "." || strings.HasPrefix(s, ":") || strings.ContainsAny(s, "*?[") {
		return true
	}
	return g.exists(s)
}

func hasWord(ws []Word, s string) bool {
	for _, w := range ws {
		if w.Is(s) {
			return true
		}
	}
	return false
}

func gitMerge(g *gitCall) {
	if g.has("--show-|current-patch") {
		g.inert("only reads")
		return
	}
	if g.has("--ab|ort", "--qu|it", "--sk|ip") {
		g.refuse("--abort and --skip throw away what is not committed", "finish with --continue, or cp the files aside")
		return
	}
	if g.verb == "am" {
		g.opaque("git am adds commits and changes files that are committed")
		return
	}
	if g.has("--autos|tash") {
		g.refuse("--autostash moves uncommitted work about", "commit first")
		return
	}
	g.opaque("git " + g.verb + " changes files that are committed, and stops where others would be lost")
}

func gitRm(g *gitCall) {
	if g.has("-n", "--dr|y-run") {
		g.inert("only tries")
		return
	}
	if g.has("--ca|ched") {
		g.index()
		return
	}
	g.refuse("takes files and their staged contents away", "rm with the same names (armed), then git add -u")
}

func gitMv(g *gitCall) {
	if g.has("-n", "--dr|y-run") {
		g.inert("only tries")
		return
	}
	l := takeApart(&Grammar{Short: "fkvn", Lenient: true, Long: []string{"force", "verbose", "dry-run", "sparse"}}, g.args)
	ws := l.Operands()
	if len(ws) < 2 {
		g.inert("names no destination")
		return
	}
	if l.Has("f", "force") {
		g.refuse("-f replaces a file and its staged contents", "mv with the same names (armed), then git add -A")
		return
	}
	for i := range ws {
		ws[i] = under(g.dir, ws[i])
	}
	g.inv.CopyInto(ws[:len(ws)-1], ws[len(ws)-1], CopyOpts{Move: true, Recursive: true, NoClobber: true})
	if g.holds(false) {
		g.inv.Opaque("the index changes with the files")
	}
}

func gitApply(g *gitCall) {
	if g.has("--ch|eck", "--st|at", "--nums|tat", "--summ|ary") && !g.has("--apply") {
		g.inert("only reads")
		return
	}
	l := takeApart(&Grammar{Short: "3C:p:RvqNz", Lenient: true, Long: []string{
		"exclude=", "include=", "directory=", "whitespace=", "build-fake-ancestor=", "cached", "index", "reverse", "3way",
		"reject", "unidiff-zero", "recount", "inaccurate-eof", "verbose", "quiet", "allow-empty", "unsafe-paths", "intent-to-add",
	}}, g.args)
	if l.Has("cached") {
		g.index()
		return
	}
	files := l.Operands()
	for i := range files {
		files[i] = under(g.dir, files[i])
	}
	t := inputOf(g.inv, files)
	strip := 1
	if w, ok := l.Value("p"); ok {
		if s, _ := w.One(); isDigits(s) && len(s) < 4 {
			strip = decimal(s)
		}
	}
	names := diffNames(t.s)
	if !t.ok || len(names) == 0 {
		g.inv.Opaque("the diff is not known")
		return
	}
	dir := g.dir
	if w, ok := l.Value("directory"); ok {
		dir = under(dir, w)
	}
	for _, n := range names {
		for _, v := range stripped(n, strip) {
			g.inv.Replace(under(dir, g.inv.Lit(v)))
			if l.Has("reject") {
				g.inv.Replace(under(dir, g.inv.Lit(v+".rej")))
			}
		}
	}
}

// execOptions are the values of -x and --exec.
func execOptions(g *gitCall) []Word {
	l := takeApart(&Grammar{Short: "x:is:S::X:mpqvnfC:r::", Lenient: true, Long: []string{"exec=", "onto=", "strategy=", "strategy-option=", "interactive", "root", "autosquash", "autostash"}}, g.args)
	return l.Values("x", "exec")
}

// filterOptions are the values of the filters of filter-branch.
func filterOptions(g *gitCall) []Word {
	l := takeApart(&Grammar{Short: "fd:", Lenient: true, Long: []string{
		"env-filter=", "tree-filter=", "index-filter=", "parent-filter=", "msg-filter=", "commit-filter=", "tag-name-filter=",
		"subdirectory-filter=", "setup=", "prune-empty", "original=", "force",
	}}, g.args)
	return l.Values("env-filter", "tree-filter", "index-filter", "parent-filter", "msg-filter", "commit-filter", "tag-name-filter", "setup")
}

package classify

import "strings"

// gitMixed are verbs of which some forms only read or add, and others take
// something away.
func gitMixed(g *gitCall) {
	switch g.verb {
	case "log", "diff", "show", "grep":
		g.inert("only reads")
		g.outputs()
		if g.mayHide() && g.verb != "grep" {
			g.hiddenOutput()
		}
	case "branch":
		gitBranch(g)
	case "tag":
		gitTag(g)
	case "difftool", "mergetool":
		gitTool(g)
	case "archive", "format-patch", "bundle":
		gitExport(g)
	case "config":
		gitConfig(g)
	case "symbolic-ref":
		if len(plainWords(g.args)) < 2 && !g.has("-d", "--d|elete") {
			g.inert("only reads")
			return
		}
		g.refuse("moves a ref", "git switch -c NEW")
	case "hook":
		g.inv.Opaque("runs a hook")
	default:
		gitSubverb(g)
	}
}

// hiddenOutput: an argument that is not known could be --output=F; the shells
// of agents write such words for revisions and paths, so only one that has
// nothing known in front counts, and it is let go with a note.
func (g *gitCall) hiddenOutput() {
	g.inv.Opaque("an argument of git " + g.verb + " that is not known could be --output")
}

// plainWords are the words that are not options.
func plainWords(ws []Word) []Word {
	var out []Word
	for _, w := range ws {
		if p := w.Prefix(); !strings.HasPrefix(p, "-") || w.Is("-") {
			out = append(out, w)
		}
	}
	return out
}

func gitBranch(g *gitCall) {
	switch {
	case g.has("-D", "-M", "-C", "-f", "--fo|rce", "-d", "--del|ete", "-m", "--mo|ve"):
		// -d takes away only what is merged; its reflog goes all the same.
		if g.has("-d", "--del|ete") && !g.has("-D", "-f", "--fo|rce") {
			if g.holds(false) {
				g.inv.Opaque("a merged branch and its reflog go; the commits stay")
				return
			}
			g.inv.Barrier("the reflog of a merged branch goes; its commits stay")
			return
		}
		if g.has("-m", "--mo|ve") && !g.has("-M", "-f", "--fo|rce") {
			if g.holds(false) {
				g.inv.Opaque("a branch and its settings get another name")
				return
			}
			g.inert("renames a branch, takes nothing away")
			return
		}
		g.refuse("-D, -f and -M take a branch away or move it", "git branch KEEP OLD first (a second name keeps the commits), or git branch -d")
	case g.mayHide():
		g.inv.Unresolved("an argument of git branch that is not known could take a branch away")
	default:
		g.inert("lists or makes branches")
		if g.has("--show-c|urrent") {
			g.branchName()
		}
	}
}

// branchName prints the name of a branch: pieces with slashes between them.
func (g *gitCall) branchName() {
	out := known(nameHole + "\n")
	out = out.or(known(nameHole + "/" + nameHole + "\n"))
	out = out.or(known(nameHole + "/" + nameHole + "/" + nameHole + "\n"))
	g.inv.OutputWord(Word{val: out, pos: g.inv.pos})
}

func gitTag(g *gitCall) {
	switch {
	case g.has("-d", "--del|ete", "-f", "--fo|rce"):
		g.refuse("-d and -f take a tag away or move it", "git tag KEEP OLD first")
	case g.mayHide():
		g.inv.Unresolved("an argument of git tag that is not known could take a tag away")
	default:
		g.inert("lists or makes tags")
	}
}

func gitTool(g *gitCall) {
	if g.verb == "mergetool" {
		g.refuse("writes into the work tree", "look with git diff")
		return
	}
	g.inert("only reads")
	for i, w := range g.args {
		s := w.Prefix()
		name, _, joined := strings.Cut(s, "=")
		switch {
		case joined && strings.HasPrefix(name, "--ext"):
			g.inv.RunScript(w.cut(len(name) + 1))
		case (s == "-x" || !joined && strings.HasPrefix(name, "--ext")) && i+1 < len(g.args):
			g.inv.RunScript(g.args[i+1])
		case strings.HasPrefix(s, "-x"):
			g.inv.RunScript(w.cut(2))
		}
	}
}

// gitExport writes archives and patches.
func gitExport(g *gitCall) {
	g.inert("prints, or writes a new file")
	ws := plainWords(g.args)
	if g.verb == "bundle" {
		if len(ws) > 1 && ws[0].Is("create") {
			g.inv.Write(under(g.dir, ws[1]))
		}
		return
	}
	for i, w := range g.args {
		s := w.Prefix()
		name, _, joined := strings.Cut(s, "=")
		target := Word{}
		switch {
		case joined && strings.HasPrefix("--output", name) && len(name) > 3, joined && strings.HasPrefix("--output-directory", name) && len(name) > 3:
			target = w.cut(len(name) + 1)
		case (s == "-o" || s == "--output" || s == "--output-directory") && i+1 < len(g.args):
			target = g.args[i+1]
		case strings.HasPrefix(s, "-o") && len(s) > 2:
			target = w.cut(2)
		case joined && strings.HasPrefix(name, "--exec"):
			g.inv.RunScript(w.cut(len(name) + 1))
			continue
		default:
			continue
		}
		if g.verb == "archive" {
			g.inv.Write(under(g.dir, target))
		} else {
			unpack(g.inv, under(g.dir, target))
			return
		}
	}
	if g.verb == "format-patch" && !g.has("--stdo|ut") {
		pieces(g.inv, g.inv.Lit("0"))
	}
}

// gitConfig changes a file of settings. Settings that name a program run
// later, so they are not let go; an alias is followed when it is used.
func gitConfig(g *gitCall) {
	ws := plainWords(g.args)
	writes := g.has("--uns|et", "--unset-|all", "--ad|d", "--replace-|all", "--rena|me-section", "--remo|ve-section", "-e", "--ed|it")
	reads := g.has("--get|", "--get-a|ll", "--get-r|egexp", "--get-u|rlmatch", "-l", "--li|st", "--get-c|olor", "--get-colorb|ool")
	if len(ws) > 0 && ws[0].Is("get", "list") {
		reads = true
	}
	if len(ws) > 0 && ws[0].Is("set", "unset", "rename-section", "remove-section", "edit") {
		writes, ws = true, ws[1:]
	}
	switch {
	case !writes && (reads || len(ws) < 2):
		g.inert("only reads")
		return
	case g.mayHide():
		g.inv.Unresolved("an argument of git config is not known")
		return
	}
	file, ok := g.configFile()
	if !ok {
		g.opaque("git config changes a file of settings")
		return
	}
	was := g.inv.ev.gitWritten
	g.inv.Write(file)
	if len(ws) > 0 {
		key, known := ws[0].One()
		key = strings.ToLower(key)
		g.inv.ev.gitWritten = was || !known || runsProgram(key) || strings.HasPrefix(key, "include") || strings.HasSuffix(key, ".vcs")
	}
}

// configFile is the file that git config changes.
func (g *gitCall) configFile() (Word, bool) {
	for i, w := range g.args {
		s := w.Prefix()
		switch {
		case s == "--global":
			return g.inv.Home(".gitconfig"), true
		case s == "--system" || s == "--worktree":
			return Word{}, false
		case (s == "-f" || s == "--file") && i+1 < len(g.args):
			return under(g.dir, g.args[i+1]), true
		case strings.HasPrefix(s, "--file="):
			return under(g.dir, w.cut(len("--file="))), true
		}
	}
	if g.push.GitDir != "" {
		return under(g.dir, g.inv.Lit(g.push.GitDir+"/config")), true
	}
	dir, ok := g.dir.One()
	for ok && dir != "/" {
		info, there := g.inv.Stat(dir + "/.git")
		if there && info.Type == 'd' {
			return g.inv.Lit(dir + "/.git/config"), true
		}
		if there {
			return Word{}, false
		}
		dir, _ = splitPath(dir)
	}
	return Word{}, false
}

// gitSubverb judges verbs with verbs of their own: what is listed in the first
// column only reads or adds.
func gitSubverb(g *gitCall) {
	ws := plainWords(g.args)
	sub := ""
	if len(ws) > 0 {
		s, ok := ws[0].One()
		if !ok {
			g.inv.Unresolved("which part of git " + g.verb + " runs is not known")
			return
		}
		sub = s
	}
	switch g.verb + " " + sub {
	case "stash list", "stash show", "stash create", "stash store", "reflog ", "reflog show", "reflog exists", "reflog list", "remote ", "remote show",
		"remote get-url", "remote add", "remote update", "worktree list", "worktree add", "worktree lock", "worktree unlock",
		"submodule ", "submodule status", "submodule summary", "submodule add", "submodule init", "notes ", "notes list", "notes show", "notes add",
		"notes append", "notes get-ref", "bisect log", "bisect view", "bisect visualize", "bisect terms", "bisect help", "sparse-checkout list", "lfs ", "lfs ls-files",
		"lfs status", "lfs env", "lfs track", "lfs version", "lfs locks", "lfs fetch", "lfs install", "lfs logs":
		if g.has("-f", "--fo|rce", "-B", "--pr|une") {
			g.refuse(sub+" with force can take something away", "leave the force out")
			return
		}
		g.inert("only reads or adds")
		g.outputs()
	case "submodule foreach":
		if len(ws) > 1 {
			g.foreach()
		}
	case "bisect run":
		g.inv.Run(ws[1:])
		g.refuse("checks out other commits", "run the command by hand on each commit")
	default:
		if g.verb == "reflog" && !isOneOf(sub, []string{"expire", "delete", "drop"}) {
			g.inert("only reads")
			g.outputs()
			return
		}
		what, instead := lossOf(g.verb)
		g.refuse(strings.TrimSpace(sub+" "+what), instead)
	}
}

// foreach runs its words in every submodule.
func (g *gitCall) foreach() {
	var cmd []Word
	seen := false
	for _, w := range g.args {
		if w.Is("foreach") && !seen {
			seen = true
			continue
		}
		if seen && (len(cmd) > 0 || !strings.HasPrefix(w.Prefix(), "-")) {
			cmd = append(cmd, w)
		}
	}
	g.inv.RunIn(g.inv.UnknownWord("a submodule"), []Word{g.inv.Lit("sh"), g.inv.Lit("-c"), joined(g.inv, cmd)})
}

// lossOf says what the harmful forms of a verb lose, and a form that does not.
func lossOf(verb string) (what, instead string) {
	switch verb {
	case "stash":
		return "moves uncommitted work about, and drop, clear and pop lose it", "copy the files aside (cp -r), or git stash create (it changes nothing)"
	case "reflog":
		return "forgets where refs were", "leave the reflog as it is"
	case "remote":
		return "takes remote-tracking refs or settings away", "git remote add NEW URL"
	case "worktree":
		return "takes a work tree away", "git worktree list; copy what is not committed first"
	case "submodule":
		return "replaces what the submodule's work tree holds", "git submodule status"
	case "notes":
		return "takes notes away", "git notes add"
	case "bisect":
		return "checks out other commits", "git worktree add ../bisect COMMIT"
	case "sparse-checkout":
		return "takes files out of the work tree", "git worktree add"
	default:
		return "takes something away", ""
	}
}

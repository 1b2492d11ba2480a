package classify

import "strings"

func pushGrammar() *Grammar {
	return &Grammar{Short: "vqnufdo:46", Long: []string{
		"verbose", "quiet", "repo=", "all", "branches", "mirror", "delete", "tags", "dry-run", "porcelain", "force",
		"force-with-lease=?", "force-if-includes", "recurse-submodules=", "thin", "no-thin", "receive-pack=", "exec=", "set-upstream",
		"progress", "no-progress", "prune", "verify", "no-verify", "follow-tags", "no-follow-tags", "signed=?", "no-signed", "atomic", "no-atomic",
		"push-option=", "ipv4", "ipv6", "no-force", "no-force-with-lease", "no-mirror", "no-prune", "no-delete", "no-tags", "no-all", "no-force-if-includes",
	}}
}

// gitPush tells a push that only adds from one that can lose a commit. What
// the repository's settings add to it is decided by whoever asks the
// repository: every push carries how it is spelled.
func gitPush(g *gitCall) {
	l := takeApart(pushGrammar(), g.args)
	if l.problem != "" {
		g.inv.NotUnderstood("git push: " + l.problem)
		return
	}
	for _, w := range l.Values("receive-pack", "exec") {
		if !w.Is("git-receive-pack") {
			g.inv.RunScript(w)
		}
	}
	if l.Has("n", "dry-run") {
		g.inert("only tries")
		return
	}
	args, known := texts(g.args)
	dir, where := g.dir.One()
	if !known || !where || l.unsure {
		if !pushSafe(&l) {
			g.inv.Unresolved("what git push updates is not known")
			return
		}
		g.inv.Barrier("a push to a remote")
		return
	}
	g.push.Args, g.push.Dir = args, dir
	p := g.push
	if pushCanLose(&l) {
		g.inv.Push(dir, &p)
		return
	}
	// A refspec from the settings can force, and so can remote.NAME.mirror.
	if p.Maybe = len(l.Operands()) < 2 || len(p.Config) > 0; p.Maybe {
		g.inv.Push(dir, &p)
		return
	}
	g.inv.Barrier("a push to a remote")
}

// pushCanLose reports that the words alone let the push lose a commit.
func pushCanLose(l *line) bool {
	if l.Has("f", "force", "force-with-lease", "force-if-includes", "d", "delete", "mirror", "prune") {
		return true
	}
	ws := l.Operands()
	for i, w := range ws {
		if s := w.Prefix(); i > 0 && (strings.HasPrefix(s, "+") || strings.HasPrefix(s, ":") && s != ":") {
			return true
		}
	}
	return false
}

// pushSafe reports that a push whose words are not all known can only add: it
// names its remote and refs, each known part rules force out.
func pushSafe(l *line) bool {
	if pushCanLose(l) || l.unsure {
		return false
	}
	for i, w := range l.Operands() {
		p := w.Prefix()
		if _, ok := w.One(); !ok && i > 0 && p == "" && (w.val.mayStart('+') || w.val.mayStart(':')) {
			return false
		}
	}
	return len(l.Operands()) > 1
}

package classify

import "strings"

// gitRule finds how a verb is judged.
func gitRule(verb string) (func(*gitCall), bool) {
	switch verb {
	case "status", "blame", "annotate", "describe", "rev-parse", "rev-list", "ls-files", "ls-tree", "ls-remote", "cat-file",
		"shortlog", "name-rev", "merge-base", "merge-tree", "for-each-ref", "show-ref", "show-branch", "cherry", "count-objects", "fsck",
		"check-ignore", "check-attr", "check-mailmap", "check-ref-format", "diff-files", "diff-index", "diff-tree", "range-diff", "var",
		"version", "help", "whatchanged", "patch-id", "verify-commit", "verify-tag", "verify-pack", "get-tar-commit-id", "column", "stripspace",
		"interpret-trailers", "show-index", "fmt-merge-msg", "unpack-file", "mailinfo", "diff-pairs", "for-each-repo", "backfill", "bugreport", "diagnose", "last-modified":
		return gitRead, true
	case "log", "diff", "show", "reflog", "grep", "branch", "tag", "stash", "remote", "config", "worktree", "submodule", "notes",
		"bisect", "symbolic-ref", "sparse-checkout", "lfs", "bundle", "archive", "format-patch", "difftool", "mergetool", "hook":
		return gitMixed, true
	case "add", "stage", "commit", "init", "clone", "hash-object", "write-tree", "commit-tree", "mktree", "mktag", "fast-export",
		"update-index", "write-commit-graph", "commit-graph", "multi-pack-index", "maintenance", "pack-objects", "index-pack", "unpack-objects",
		"update-server-info", "rerere", "request-pull", "credential", "daemon", "instaweb", "gui", "gitk", "citool", "send-email", "imap-send", "svn", "p4", "cvsimport", "fast-import", "replay", "history", "refs", "pack-refs", "fetch", "pull":
		return gitMake, true
	case "push":
		return gitPush, true
	case "send-pack", "http-push", "receive-pack", "upload-pack":
		return func(g *gitCall) {
			g.inv.Refuse("git "+verb+" writes to a remote in a way that cannot be taken back", "git push")
		}, true
	case "reset", "checkout", "switch", "restore", "clean", "rebase", "merge", "cherry-pick", "revert", "am", "apply", "rm", "mv",
		"update-ref", "gc", "prune", "repack", "filter-branch", "filter-repo", "read-tree", "checkout-index", "replace",
		"prune-packed", "merge-file", "merge-index", "merge-one-file", "quiltimport", "mailsplit", "restore-mtime", "cvsexportcommit":
		return gitLoses, true
	}
	return nil, false
}

// gitRead is a verb that only reads; what its options write or run is an
// effect.
func gitRead(g *gitCall) {
	if g.verb == "for-each-repo" {
		g.inv.Opaque("runs git in other repositories")
	}
	if g.verb == "fsck" && g.has("--lost-f|ound") {
		g.inert("writes found objects beside the others")
		return
	}
	g.inert("only reads")
	g.outputs()
}

// outputs follows the options of log, diff and their kin that write a file or
// run a program.
func (g *gitCall) outputs() {
	for i, w := range g.args {
		s := w.Prefix()
		name, _, joined := strings.Cut(s, "=")
		switch {
		case s == "--":
			return
		case joined && len(name) >= len("--outp") && strings.HasPrefix("--output", name):
			g.inv.Write(under(g.dir, w.cut(len(name)+1)))
		case !joined && len(name) >= len("--outp") && strings.HasPrefix("--output", name) && i+1 < len(g.args):
			g.inv.Write(under(g.dir, g.args[i+1]))
		case g.verb == "grep" && (strings.HasPrefix(s, "-O") || strings.HasPrefix("--open-files-in-pager", name) && len(name) > len("--op")):
			g.pager(w, s)
		case g.verb == "ls-remote" && (strings.HasPrefix(name, "--upload-p") || strings.HasPrefix(name, "--exec")) && joined:
			g.inv.RunScript(w.cut(len(name) + 1))
		case g.verb == "rev-parse" || g.verb == "cat-file":
		}
	}
	g.reading()
}

func (g *gitCall) pager(w Word, s string) {
	switch {
	case strings.HasPrefix(s, "-O") && len(s) > 2:
		g.inv.RunScript(w.cut(2))
	case strings.Contains(s, "="):
		g.inv.RunScript(w.cut(strings.IndexByte(s, '=') + 1))
	}
}

// reading answers the queries whose output later words depend on.
func (g *gitCall) reading() {
	ask := g.inv.Context().Git
	if g.verb == "rev-parse" && ask == nil && g.has("--abbrev-|ref") {
		g.branchName()
	}
	dir, ok := g.dir.One()
	args, known := texts(g.args)
	if ask == nil || !ok || !known || g.push.GitDir != "" || g.push.WorkTree != "" || len(g.push.Config) > 0 {
		return
	}
	loose := false
	switch g.verb {
	case "rev-parse":
		for _, a := range args {
			if strings.HasPrefix(a, "-") && !isOneOf(a, []string{"--show-toplevel", "--git-dir", "--abbrev-ref", "--short", "--verify", "--show-prefix", "--is-inside-work-tree", "--absolute-git-dir", "--git-common-dir", "--quiet", "-q", "--show-cdup"}) {
				return
			}
		}
	case "ls-files":
		for _, a := range args {
			if strings.HasPrefix(a, "-") && !isOneOf(a, []string{"-z", "-m", "-d", "-o", "-c", "-i", "--modified", "--deleted", "--others", "--cached", "--ignored", "--exclude-standard", "--full-name", "--", "--directory"}) {
				return
			}
		}
	case "diff", "diff-tree", "show":
		if !isOneOf("--name-only", args) || g.has("--outp|ut", "--ext-diff", "--textconv") {
			return
		}
	default:
		return
	}
	data, err := ask(dir, append([]string{g.verb}, args...)...)
	if err != nil {
		return
	}
	emit(g.inv, text{s: string(data), ok: true, loose: loose})
}

// gitMake only adds to a repository: objects, index entries, commits, refs
// that are not there yet.
func gitMake(g *gitCall) {
	switch g.verb {
	case "commit":
		gitCommit(g)
	case "clone":
		gitClone(g)
	case "fetch", "pull":
		gitFetch(g)
	case "update-index":
		g.index()
	case "svn", "p4", "cvsimport", "send-email", "imap-send", "fast-import", "maintenance", "replay", "history", "refs", "instaweb", "daemon":
		if g.verb == "svn" && len(g.args) > 0 && g.args[0].Is("dcommit", "commit-diff", "set-tree") || strings.HasSuffix(g.verb, "-email") || g.verb == "imap-send" {
			g.inv.Barrier("git " + g.verb + " sends to a server")
			return
		}
		g.inv.Opaque("git " + g.verb + " is not followed")
	default:
		g.inert("adds to the repository, takes nothing away")
	}
}

func gitCommit(g *gitCall) {
	if g.has("--am|end") {
		g.refuse("--amend replaces a commit", "git commit without --amend, then squash later by hand")
		return
	}
	if g.mayHide() {
		g.inv.Unresolved("an argument of git commit that is not known could be --amend")
		return
	}
	g.inert("adds a commit, takes nothing away")
}

func gitClone(g *gitCall) {
	l := takeApart(&Grammar{Short: "4b:c:j:lno:qsu:v6", Lenient: true, Long: []string{
		"branch=", "config=", "depth=", "origin=", "upload-pack=", "reference=", "reference-if-able=", "template=", "jobs=",
		"separate-git-dir=", "shallow-since=", "shallow-exclude=", "filter=", "server-option=", "bundle-uri=", "bare", "mirror",
		"recursive", "recurse-submodules=?", "single-branch", "no-checkout", "local", "no-hardlinks", "no-tags", "quiet", "progress",
		"shallow-submodules", "sparse", "also-filter-submodules", "remote-submodules", "dissociate", "shared", "verbose",
	}}, g.args)
	for _, w := range append(l.Values("u", "upload-pack"), l.Values("c", "config")...) {
		if key, v, ok := strings.Cut(w.Prefix(), "="); ok {
			if runsProgram(strings.ToLower(key)) {
				g.inv.RunScript(g.inv.Lit(v))
			}
			continue
		}
		g.inv.RunScript(w)
	}
	g.inert("makes a new repository")
	ws := l.Operands()
	switch len(ws) {
	case 1:
		if s, ok := ws[0].One(); ok {
			name := strings.TrimSuffix(strings.TrimRight(s, "/"), ".git")
			name = name[strings.LastIndexAny(name, "/:")+1:]
			g.inv.Create(under(g.dir, g.inv.Lit(name)), true)
		}
	case 2:
		g.inv.Create(under(g.dir, ws[1]), true)
	}
}

// gitFetch moves remote-tracking refs. With a forced refspec or --prune it can
// lose one.
func gitFetch(g *gitCall) {
	for _, w := range g.args {
		s := w.Prefix()
		name, _, joined := strings.Cut(s, "=")
		if joined && strings.HasPrefix(name, "--upload-p") {
			g.inv.RunScript(w.cut(len(name) + 1))
		}
	}
	forced := false
	for _, w := range g.args {
		forced = forced || strings.HasPrefix(w.Prefix(), "+")
	}
	switch {
	case g.has("--dry|-run"):
		g.inert("only tries")
	case g.verb == "pull":
		if g.has("--f|force") || g.mayHide() || forced {
			g.refuse("with force can replace local refs", "git fetch, then look")
			return
		}
		g.pull()
	case forced || g.has("-f", "--fo|rce", "-p", "--pr|une", "-P", "--prune-|tags", "--ref|etch"):
		g.refuse("can take away refs that nothing else holds", "git fetch without --prune and +")
	case g.mayHide():
		g.inv.Unresolved("an argument of git fetch that is not known could force or prune")
	default:
		g.inert("adds objects and moves remote-tracking refs")
	}
}

// pull merges into the work tree. Git itself stops where it would overwrite
// work that is not committed, save with --rebase and --autostash.
func (g *gitCall) pull() {
	switch {
	case g.has("--ff-|only"):
		g.opaque("git pull changes files that are committed")
	case g.has("--r|ebase", "-r", "--autos|tash"):
		g.refuse("--rebase rewrites commits", "git pull --ff-only")
	default:
		g.opaque("git pull changes files that are committed")
	}
}

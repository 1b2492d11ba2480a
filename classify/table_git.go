package classify

import (
	"path"
	"strings"
)

// gitModels are git, its dashed programs and the tools that wrap it.
func gitModels() []*Model {
	return []*Model{{
		Names: []string{"git", "hub", "yadm"}, Family: "git", Title: "Keeps versions",
		Undo:  "a remote ref is put back by a leased push; what local verbs throw away is put back from a checkpoint of the work tree, refs, reflogs and index included, and objects from a store of their own, also after a gc",
		Class: Irreversible,
		Examples: []string{
			"git status", "git log --grep='reset --hard'", "git add -A", "git commit -m 'rm -rf ~'", "git push origin main",
			"git push --force origin main", "git push origin +main", "git push origin :main", "git push -uf origin main",
			"git push --mirror origin", "git push origin --delete main", "git reset --hard", "git clean -fdx",
		},
		Apply: func(inv *Invocation) { applyGit(inv, inv.Args(), 0) },
	}}
}

// gitCall is one git command line behind its global options.
type gitCall struct {
	inv  *Invocation
	dir  Word
	push Push
	verb string
	args []Word
	// alias maps the names that -c alias.NAME= gives.
	alias map[string]string
	depth int
}

// dashedGit is the call of a program such as git-reset; the evaluator looks it
// up when no model has the name.
func dashedGit(name string) *Model {
	verb, ok := strings.CutPrefix(name, "git-")
	if !ok || verb == "" {
		return nil
	}
	switch verb {
	case "crypt", "annex", "secret", "town", "branchless", "absorb", "delta", "flow", "extras", "credential-manager", "clang-format":
		return nil
	}
	return &Model{
		Names: []string{name}, Family: "git", Title: "One verb of git", Class: Irreversible,
		Apply: func(inv *Invocation) {
			applyGit(inv, append([]Word{inv.Lit(verb)}, inv.Args()...), 0)
		},
	}
}

// applyGit reads git's global options; depth counts aliases that were followed.
func applyGit(inv *Invocation, args []Word, depth int) {
	g := &gitCall{inv: inv, dir: inv.Dir(), alias: map[string]string{}, depth: depth}
	at, ok := g.globals(args)
	if !ok {
		return
	}
	if at >= len(args) {
		inv.Inert("prints help")
		return
	}
	verb, known := args[at].One()
	if !known {
		inv.Unresolved("which git command runs is not known")
		return
	}
	g.verb, g.args = verb, args[at+1:]
	g.push.Dir, _ = g.dir.One()
	g.environment()
	g.run()
}

// globals reads the options in front of the verb and gives where it stands.
func (g *gitCall) globals(args []Word) (at int, ok bool) {
	for at < len(args) {
		s := args[at].Prefix()
		whole, isWhole := args[at].One()
		name, _, joined := strings.Cut(s, "=")
		value := Word{}
		switch {
		case !strings.HasPrefix(s, "-"):
			return at, true
		case !isWhole && !joined:
			g.inv.Unresolved("an option of git is not known")
			return at, false
		case joined:
			value = args[at].cut(len(name) + 1)
		case isOneOf(whole, []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source"}):
			at++
			if at == len(args) {
				g.inv.NotUnderstood("git " + whole + " needs a value")
				return at, false
			}
			value = args[at]
		}
		if !g.global(name, value) {
			return at, false
		}
		at++
	}
	return at, true
}

// global applies one option and reports whether the line goes on.
func (g *gitCall) global(name string, value Word) bool {
	v, known := value.One()
	switch name {
	case "-C":
		if v != "" || !known {
			g.dir = under(g.dir, value)
		}
	case "-c":
		return g.config(value)
	case "--git-dir":
		g.push.GitDir = v
		if !known {
			g.inv.Unresolved("which repository git works in is not known")
		}
	case "--work-tree":
		g.push.WorkTree = v
	case "--config-env":
		key, _, _ := strings.Cut(v, "=")
		if runsProgram(strings.ToLower(key)) || !known {
			g.inv.Unresolved("git takes " + key + " from the environment, and it can be a program")
			return false
		}
	case "--exec-path", "--namespace", "--super-prefix", "--attr-source", "--list-cmds":
		if name == "--exec-path" && value.val.strs != nil {
			g.inv.Opaque("git takes its programs from another place")
		}
	case "-p", "--paginate", "-P", "--no-pager", "--no-replace-objects", "--bare", "--literal-pathspecs", "--glob-pathspecs",
		"--noglob-pathspecs", "--icase-pathspecs", "--no-optional-locks", "--no-lazy-fetch", "--no-advice":
	case "-h", "--help", "-v", "--version", "--html-path", "--man-path", "--info-path":
		g.inv.Inert("prints help")
		return false
	default:
		g.inv.NotUnderstood("git does not know " + name)
		return false
	}
	return true
}

// config is one -c key=value.
func (g *gitCall) config(value Word) bool {
	s, known := value.One()
	key, v, _ := strings.Cut(value.Prefix(), "=")
	key = strings.ToLower(key)
	g.push.Config = append(g.push.Config, s)
	if name, ok := strings.CutPrefix(key, "alias."); ok {
		if !known {
			g.inv.Unresolved("an alias of git is not known")
			return false
		}
		g.alias[name] = v
		return true
	}
	if key == "core.hookspath" || key == "init.templatedir" {
		if !known || v != "" && v != "/dev/null" {
			g.inv.Opaque("git runs the hooks of another folder")
		}
		return true
	}
	if runsProgram(key) {
		if v == "" && known || isOneOf(v, []string{"cat", "less", "true", "false", "always", "delta", "vim", "vi", ":", "ssh"}) {
			return true
		}
		g.inv.RunScript(value.cut(len(key) + 1))
	}
	return true
}

// runsProgram reports whether the value of a key is run as a program.
func runsProgram(key string) bool {
	switch key {
	case "core.pager", "core.editor", "core.fsmonitor", "core.sshcommand", "core.gitproxy", "core.askpass", "core.alternaterefscommand",
		"core.hookspath", "sequence.editor", "diff.external", "credential.helper", "gpg.program", "gpg.ssh.program",
		"interactive.difffilter", "uploadpack.packobjectshook", "init.templatedir", "web.browser", "help.browser":
		return true
	}
	for _, part := range []string{".textconv", ".command", ".cmd", ".clean", ".smudge", ".process", ".driver", ".helper", ".uploadpack", ".receivepack", ".program", ".editor"} {
		if strings.HasSuffix(key, part) {
			return true
		}
	}
	return strings.HasPrefix(key, "pager.") || strings.HasPrefix(key, "alias.")
}

// environment runs what variables make git run, and reads where the
// repository is.
func (g *gitCall) environment() {
	if w, ok := g.inv.Env("GIT_DIR"); ok && g.push.GitDir == "" {
		g.push.GitDir, _ = w.One()
	}
	if w, ok := g.inv.Env("GIT_WORK_TREE"); ok && g.push.WorkTree == "" {
		g.push.WorkTree, _ = w.One()
	}
	names := []string{"GIT_SSH_COMMAND", "GIT_SSH", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "GIT_PAGER", "PAGER"}
	switch g.verb {
	case "commit", "rebase", "merge", "tag", "notes", "config", "revert", "cherry-pick", "am", "var":
		names = append(names, "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "VISUAL", "EDITOR")
	}
	for _, name := range names {
		w, ok := g.inv.Env(name)
		if s, known := w.One(); !ok || known && isOneOf(s, []string{"", "cat", "less", "more", "true", ":", "false", "echo", "vim", "vi", "nano", "code --wait", "ssh"}) {
			continue
		}
		g.inv.RunScript(w)
	}
}

// run follows an alias or judges the verb.
func (g *gitCall) run() {
	if g.has("--help") || len(g.args) == 1 && g.args[0].Is("-h") {
		g.inert("prints help")
		return
	}
	if rule, ok := gitRule(g.verb); ok {
		g.runsOthers()
		rule(g)
		return
	}
	text, ok := g.alias[strings.ToLower(g.verb)]
	if !ok {
		if look := g.inv.Context().GitAlias; look != nil {
			dir, _ := g.dir.One()
			text, ok = look(dir, g.verb)
		}
	}
	switch {
	case !ok:
		g.inv.Opaque("git " + g.verb + " is not a command of git that is known")
	case g.depth > 8:
		g.inv.Unresolved("aliases of git lead to each other")
	case strings.HasPrefix(text, "!"):
		g.inv.RunScript(g.inv.Lit(text[1:]+` "$@"`), append([]Word{g.inv.Lit(text)}, g.args...)...)
	default:
		words, split := splitString(g.inv, g.inv.Lit(text))
		if !split {
			g.inv.Unresolved("the alias " + g.verb + " cannot be split for certain")
			return
		}
		args := []Word{g.inv.Lit("-C"), g.dir}
		for name, v := range g.alias {
			args = append(args, g.inv.Lit("-c"), g.inv.Lit("alias."+name+"="+v))
		}
		applyGit(g.inv, append(append(args, words...), g.args...), g.depth+1)
	}
}

// has reports whether any argument is, or begins as, one of the options given.
// It is for verbs whose other options do not matter. Long options count from
// any beginning of theirs that is at least as long as the part before "|".
func (g *gitCall) has(options ...string) bool {
	for _, w := range g.args {
		s := w.Prefix()
		if s == "--" {
			return false
		}
		name, _, _ := strings.Cut(s, "=")
		for _, o := range options {
			short, rest, cut := strings.Cut(o, "|")
			full := short + rest
			if name == full || cut && len(name) >= len(short) && strings.HasPrefix(full, name) {
				return true
			}
			if len(o) == 2 && len(s) > 1 && s[0] == '-' && s[1] != '-' && strings.IndexByte(s[1:], o[1]) >= 0 {
				return true
			}
		}
	}
	return false
}

// mayHide reports that an argument which is not known could be an option.
func (g *gitCall) mayHide() bool {
	for _, w := range g.args {
		if w.Is("--") {
			return false
		}
		if t := w.token(); t.head == "" && !t.whole {
			return true
		}
	}
	return false
}

// refuse says that the verb loses work. Where the repository is found, all that
// it can take away is held: refs, index and work tree by a checkpoint, objects
// in a store of their own. Then the call is bounded; else it is refused.
func (g *gitCall) refuse(what, instead string) {
	if g.verb != "lfs" && g.holds(g.removesObjects()) {
		g.inv.Opaque(what)
		return
	}
	g.inv.Refuse("git "+g.verb+" "+what+", and no checkpoint of this workspace can hold it", instead)
}

// opaque says that git changes the repository and files that it can bring back
// itself as long as nothing else is lost.
func (g *gitCall) opaque(what string) {
	g.holds(false)
	g.inv.Opaque(what)
}

// index says that what was staged and differs from the file can be lost.
func (g *gitCall) index() {
	g.opaque("the index changes: what was staged and differs from the file")
}

// removesObjects reports a verb that takes away objects which nothing names.
func (g *gitCall) removesObjects() bool {
	switch g.verb {
	case "gc", "prune", "repack", "prune-packed", "filter-repo", "maintenance":
		return true
	}
	return false
}

// holds asks for what the repository of the call has to be held, and reports
// whether it is known which one that is.
func (g *gitCall) holds(objects bool) bool {
	if g.inv.Context().Workspace == "" {
		return false
	}
	r := Repository{GitDir: g.push.GitDir, WorkTree: g.push.WorkTree, Objects: objects}
	dir, ok := g.dir.One()
	if ok && !strings.HasPrefix(dir, "/") {
		cwd := g.inv.Cwd()
		if ok = len(cwd) == 1; ok {
			dir = cwd[0] + "/" + dir
		}
	}
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"} {
		w, set := g.inv.Env(name)
		_, known := w.One()
		if set && (!known || name != "GIT_DIR" && name != "GIT_WORK_TREE") {
			return false
		}
	}
	if !ok {
		return false
	}
	r.Dir = path.Clean(dir)
	if r.GitDir != "" {
		r.GitDir = absolute(r.Dir, r.GitDir)
	}
	if r.WorkTree != "" {
		r.WorkTree = absolute(r.Dir, r.WorkTree)
	}
	if hasHole(r.Dir + r.GitDir + r.WorkTree) {
		return false
	}
	g.inv.ev.out.Repositories = addRepository(g.inv.ev.out.Repositories, r)
	return true
}

// addRepository adds one that the list does not have yet.
func addRepository(list []Repository, r Repository) []Repository {
	for i, have := range list {
		if have.Dir == r.Dir && have.GitDir == r.GitDir && have.WorkTree == r.WorkTree {
			list[i].Objects = have.Objects || r.Objects
			return list
		}
	}
	return append(list, r)
}

func (g *gitCall) inert(why string) { g.inv.Inert(why) }

// within reports that p is dir or lies below it.
func within(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

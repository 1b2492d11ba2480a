package classify

import (
	"strconv"
	"strings"
)

// What git runs besides itself: hooks, programs that its settings name, and
// transport helpers.

// maxSettings bounds how many settings are taken from the environment.
const maxSettings = 16

// runsOthers says what else runs when git does.
func (g *gitCall) runsOthers() {
	g.settingsFromEnv()
	g.transports()
	switch {
	case g.inv.ev.gitWritten:
		g.inv.Opaque("hooks or settings of a repository were written by the same line, and git may run what they say")
	case g.hasHook():
		g.inv.Opaque("git " + g.verb + " runs a hook of the repository")
	}
}

// settingsFromEnv reads the settings that variables hold.
func (g *gitCall) settingsFromEnv() {
	for _, name := range []string{"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"} {
		if w, ok := g.inv.Env(name); ok && !w.Is("", "/dev/null") {
			g.inv.Opaque("git takes settings or programs from " + name)
		}
	}
	count, ok := g.inv.Env("GIT_CONFIG_COUNT")
	if !ok {
		return
	}
	s, _ := count.One()
	n, err := strconv.Atoi(s)
	if err != nil || n > maxSettings {
		g.inv.Opaque("git takes settings from the environment")
		return
	}
	for i := range n {
		key, _ := g.inv.Env("GIT_CONFIG_KEY_" + strconv.Itoa(i))
		value, _ := g.inv.Env("GIT_CONFIG_VALUE_" + strconv.Itoa(i))
		k, known := key.One()
		switch {
		case !known:
			g.inv.Opaque("git takes settings from the environment")
		case runsProgram(strings.ToLower(k)):
			g.inv.RunScript(value)
		case strings.HasPrefix(strings.ToLower(k), "include"):
			g.inv.Opaque("git takes settings from another file")
		}
	}
}

// transports runs what a URL of the form HELPER::ADDRESS names: ext:: runs the
// address itself.
func (g *gitCall) transports() {
	switch g.verb {
	case "clone", "fetch", "pull", "push", "ls-remote", "remote", "archive", "submodule", "subtree", "fetch-pack", "send-pack", "bundle":
	default:
		return
	}
	words := append([]Word{}, g.args...)
	for _, c := range g.push.Config {
		words = append(words, g.inv.Lit(c))
	}
	for _, w := range words {
		s := w.Prefix()
		if _, value, ok := strings.Cut(s, "="); ok && (strings.HasPrefix(s, "-") || !strings.Contains(s[:len(s)-len(value)], "::")) {
			w, s = w.cut(len(s)-len(value)), value
		}
		helper, _, ok := strings.Cut(s, "::")
		if !ok || helper == "" || strings.Trim(helper, "abcdefghijklmnopqrstuvwxyz0123456789+.-") != "" {
			continue
		}
		if helper == "ext" {
			g.inv.RunScript(w.cut(len("ext::")))
		}
		g.inv.Opaque("git runs the transport helper " + helper)
	}
}

// hookVerbs are the verbs, let go otherwise, that run hooks of a repository.
func (g *gitCall) runsHooks() bool {
	switch g.verb {
	case "commit", "push", "checkout", "switch", "worktree", "merge", "pull", "am", "rebase", "cherry-pick", "revert", "fetch", "notes", "stash":
		return true
	}
	return false
}

// hasHook reports whether the repository of the call has a hook, or settings
// that say where hooks are.
func (g *gitCall) hasHook() bool {
	if !g.runsHooks() || g.has("-n", "--dr|y-run") && g.verb != "commit" {
		return false
	}
	dir, ok := g.gitDir()
	if !ok {
		return false
	}
	names, _ := g.inv.List(joinPath(dir, "hooks"))
	for _, n := range names {
		if !strings.HasSuffix(n, ".sample") && isHook(n) {
			return true
		}
	}
	text, _ := g.inv.Read(joinPath(dir, "config"))
	global, _ := g.inv.Read(joinPath(g.inv.Context().Home, ".gitconfig"))
	return strings.Contains(strings.ToLower(string(text)), "hookspath") || strings.Contains(strings.ToLower(string(global)), "hookspath")
}

// isHook reports a name that git runs.
func isHook(name string) bool {
	switch name {
	case "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "post-merge", "pre-push", "post-checkout",
		"post-rewrite", "pre-rebase", "applypatch-msg", "pre-applypatch", "post-applypatch", "reference-transaction", "post-index-change",
		"pre-auto-gc", "push-to-checkout", "sendemail-validate":
		return true
	}
	return false
}

// gitDir is the directory of git's own files for the call, where hooks are.
func (g *gitCall) gitDir() (string, bool) {
	if g.push.GitDir != "" {
		dir, ok := under(g.dir, g.inv.Lit(g.push.GitDir)).One()
		return dir, ok
	}
	dir, ok := g.dir.One()
	if !ok {
		return "", false
	}
	cwd := g.inv.Cwd()
	if !strings.HasPrefix(dir, "/") {
		if len(cwd) != 1 {
			return "", false
		}
		dir = cwd[0] + "/" + dir
	}
	for at := absolute("/", dir); ; at = parentOf(at) {
		info, there := g.inv.Lstat(joinPath(at, ".git"))
		switch {
		case there && info.Type == 'd':
			return joinPath(at, ".git"), true
		case there:
			text, _ := g.inv.Read(joinPath(at, ".git"))
			target, found := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
			if common, _, linked := strings.Cut(absolute(at, target), "/worktrees/"); found && linked {
				return common, true
			}
			return absolute(at, target), found
		case at == "" || at == "/":
			return "", false
		}
	}
}

// writesGit notes that the line writes what git may run later.
func (ev *evaluator) writesGit(path string) {
	_, in, ok := strings.Cut(path, "/.git/")
	ev.gitWritten = ev.gitWritten || ok && (strings.HasPrefix(in, "hooks/") || strings.HasPrefix(in, "config") || in == "hooks" ||
		strings.HasPrefix(in, "info/attributes")) || strings.HasSuffix(path, "/.gitconfig")
}

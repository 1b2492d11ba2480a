package git_test

import (
	"bufio"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/proc"
)

// plant is one way for a repository to have a program run.
type plant struct {
	name string
	// set puts it into the repository "work". evil(NAME) is the command line of
	// a program that leaves the mark NAME.
	set func(w *world, evil func(then string) string)
	// trigger is a git command that an agent would run and that fires it: the
	// positive control.
	trigger []string
	url     string // of the remote, when that matters
	alone   bool   // it changes what a push means
}

func value(key string) func(*world, func(string) string) {
	return func(w *world, evil func(string) string) { w.run("work", "config", key, evil("")) }
}

func hook(name string) func(*world, func(string) string) {
	return func(w *world, evil func(string) string) {
		w.write("work/.git/hooks/"+name, "#!/bin/sh\n"+evil("")+"\n")
	}
}

func plants() []plant {
	push := []string{"push", "-f", "origin", "main"}
	list := []plant{
		{name: "core.fsmonitor", set: value("core.fsmonitor"), trigger: []string{"status"}},
		{name: "core.sshCommand", set: value("core.sshCommand"), trigger: push, url: "ssh://127.0.0.1:1/x"},
		{name: "core.gitProxy", set: value("core.gitProxy"), trigger: push, url: "git://127.0.0.1:1/x"},
		{name: "core.editor", set: value("core.editor"), trigger: []string{"commit", "--allow-empty"}},
		{name: "sequence.editor", set: value("sequence.editor"), trigger: []string{"rebase", "--autostash", "-i", "HEAD~1"}},
		{name: "core.askPass", set: value("core.askPass"), trigger: push, url: "http"},
		{name: "credential.helper", set: func(w *world, evil func(string) string) {
			w.run("work", "config", "credential.helper", "!"+evil(""))
		}, trigger: push, url: "http"},
		{name: "core.alternateRefsCommand", set: func(w *world, evil func(string) string) {
			w.run("work", "config", "core.alternateRefsCommand", evil(""))
			w.write("work/.git/objects/info/alternates", w.path("embedding")+"/objects\n")
			w.run("", "init", "-q", "--bare", "embedding")
		}, trigger: []string{"fetch", "origin", "+refs/heads/gone:refs/heads/gone"}},
		{name: "diff.external", set: value("diff.external"), trigger: []string{"diff"}},
		{name: "diff.command", set: value("diff.evil.command"), trigger: []string{"diff"}},
		{name: "diff.textconv", set: value("diff.evil.textconv"), trigger: []string{"diff"}},
		{name: "filter.clean", set: value("filter.evil.clean"), trigger: []string{"diff"}},
		{name: "filter.smudge", set: value("filter.evil.smudge"), trigger: []string{"checkout", "-f", "--", "."}},
		{name: "filter.process", set: value("filter.evil.process"), trigger: []string{"add", "."}},
		{name: "gpg.program", set: func(w *world, evil func(string) string) {
			value("gpg.program")(w, evil)
			w.run("work", "config", "commit.gpgSign", "true")
			w.run("work", "config", "user.signingKey", "x")
		}, trigger: []string{"commit", "--allow-empty", "-m", "x"}},
		{name: "uploadpack", set: value("remote.origin.uploadpack"), trigger: []string{"fetch", "origin"}},
		{name: "receivepack", alone: true, set: value("remote.origin.receivepack"), trigger: push},
		{name: "insteadOf", alone: true, set: func(w *world, evil func(string) string) {
			w.write("mark-insteadOf", "#!/bin/sh\n"+evil("")+"\n")
			w.run("work", "config", "url.ext::"+w.path("mark-insteadOf")+" .insteadOf", "https:")
			w.run("work", "config", "protocol.ext.allow", "always")
		}, trigger: push, url: "https://127.0.0.1:1/x"},
		{name: "pushInsteadOf", alone: true, set: func(w *world, evil func(string) string) {
			w.write("mark-pushInsteadOf", "#!/bin/sh\n"+evil("")+"\n")
			w.run("work", "config", "url.ext::"+w.path("mark-pushInsteadOf")+" .pushInsteadOf", w.path(""))
			w.run("work", "config", "protocol.ext.allow", "always")
		}, trigger: push},
		{name: "ext", alone: true, set: func(w *world, evil func(string) string) {
			w.write("mark-ext", "#!/bin/sh\n"+evil("")+"\n")
			w.run("work", "config", "protocol.ext.allow", "always")
			w.run("work", "config", "remote.origin.pushurl", "ext::"+w.path("mark-ext")+" x")
		}, trigger: push},
		{name: "alias", set: func(w *world, evil func(string) string) {
			w.run("work", "config", "alias.x", "!"+evil(""))
		}, trigger: []string{"x"}},
		{name: "include", set: func(w *world, evil func(string) string) {
			w.run("work", "config", "include.path", "extra")
			w.run("work", "config", "-f", ".git/extra", "core.fsmonitor", evil(""))
		}, trigger: []string{"status"}},
		{name: "includeIf", set: func(w *world, evil func(string) string) {
			w.run("work", "config", "includeIf.gitdir:**/work/.git.path", w.path("work/extra"))
			w.run("work", "config", "-f", "extra", "core.fsmonitor", evil(""))
		}, trigger: []string{"status"}},
		{name: "config.worktree", set: func(w *world, evil func(string) string) {
			w.run("work", "config", "extensions.worktreeConfig", "true")
			w.run("work", "config", "-f", ".git/config.worktree", "core.fsmonitor", evil(""))
		}, trigger: []string{"status"}},
		{name: "submodule", set: func(w *world, evil func(string) string) {
			w.run("", "init", "-q", "work/inner")
			w.commit("work/inner", "x")
			w.run("work", "add", "inner")
			w.run("work/inner", "config", "core.fsmonitor", evil(""))
		}, trigger: []string{"status"}},
		{name: "submodule filter", set: func(w *world, evil func(string) string) {
			w.run("", "init", "-q", "work/filtered")
			w.commit("work/filtered", "x")
			w.run("work", "add", "filtered")
			w.run("work/filtered", "config", "filter.evil.clean", evil("cat"))
			w.write("work/filtered/.gitattributes", "* filter=evil\n")
			w.write("work/filtered/f-x", "y")
		}, trigger: []string{"status"}},
		{name: "tar.command", set: value("tar.x.command"), trigger: []string{"archive", "--format=x", "HEAD"}},
		{name: "promisor", alone: true, set: func(w *world, evil func(string) string) {
			for _, kv := range [][2]string{
				{"core.repositoryFormatVersion", "1"},
				{"extensions.partialClone", "p"},
				{"remote.p.promisor", "true"},
				{"remote.p.url", w.path("remote.git")},
				{"remote.p.uploadpack", evil("")},
			} {
				w.run("work", "config", kv[0], kv[1])
			}
			// The history of main lacks an object.
			id := w.run("work", "rev-parse", "HEAD:f-one")
			os.Remove(w.path("work/.git/objects/" + id[:2] + "/" + id[2:]))
		}, trigger: []string{"cat-file", "-p", "HEAD:f-one"}},
	}
	for name, trigger := range map[string][]string{
		"pre-push": push, "reference-transaction": {"branch", "-f", "x"}, "post-index-change": {"add", "."}, "pre-commit": {"commit", "--allow-empty", "-m", "x"},
		"post-checkout": {"checkout", "-f", "dev"}, "post-commit": {"commit", "--allow-empty", "-m", "x"}, "commit-msg": {"commit", "--allow-empty", "-m", "x"},
		"prepare-commit-msg": {"commit", "--allow-empty", "-m", "x"}, "post-merge": {"merge", "-m", "x", "ahead"}, "pre-rebase": {"rebase", "--autostash", "--force-rebase", "HEAD~1"},
		"post-rewrite": {"commit", "--amend", "-m", "x"},
	} {
		list = append(list, plant{name: "hook " + name, set: hook(name), trigger: trigger})
	}
	return list
}

// hostile makes a work repository with plants in it.
func hostile(t *testing.T, list ...plant) *world {
	w := newWorld(t)
	w.setup()
	w.mkdir("fired")
	w.write("work/.gitattributes", "* filter=evil diff=evil merge=evil\n")
	w.write("work/f-one", "changed")
	w.run("", "clone", "-q", "--bare", w.path("remote.git"), "work/embedded.git")
	for _, p := range list {
		switch {
		case p.url == "" || len(list) > 1:
		case p.url == "http":
			w.run("work", "remote", "set-url", "origin", "http://"+demanding(t)+"/x.git")
		default:
			w.run("work", "remote", "set-url", "origin", p.url)
		}
		p.set(w, func(then string) string {
			name := strings.ReplaceAll(p.name, " ", "-")
			w.write("evil-"+name, "#!/bin/sh\n: > '"+w.path("fired/"+name)+"'\n"+then+"\n")
			return w.path("evil-" + name)
		})
	}
	w.marks()
	return w
}

// marks lists what was run and forgets it.
func (w *world) marks() []string {
	entries, err := os.ReadDir(w.path("fired"))
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
		os.Remove(w.path("fired/" + e.Name()))
	}
	return out
}

// demanding is the address of a web server that wants a password.
func demanding(t testing.TB) string {
	return serve(t, func(c net.Conn) {
		readHead(c)
		c.Write([]byte("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
	})
}

// readHead reads a request up to its empty line.
func readHead(c net.Conn) {
	in := bufio.NewReader(c)
	for {
		if line, err := in.ReadString('\n'); err != nil || line == "\r\n" {
			return
		}
	}
}

// TestHostileRepositoryRunsNothing runs every verb of the door in a repository
// that wants programs to be run: by what does not change the meaning of a push
// all at once, by the rest one at a time. With -tags long all are also taken
// one at a time.
func TestHostileRepositoryRunsNothing(t *testing.T) {
	var together []plant
	for _, p := range plants() {
		if !p.alone && p.url == "" {
			together = append(together, p)
		}
		if !p.alone && p.url == "" && !long {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			testHostile(t, hostile(t, p), 5)
		})
	}
	t.Run("all others at once", func(t *testing.T) {
		t.Parallel()
		if len(together) < 25 {
			t.Errorf("only %d plants", len(together))
		}
		testHostile(t, hostile(t, together...), 45)
	})
}

func testHostile(t *testing.T, w *world, least int) {
	done := w.everyVerb()
	if ran := w.marks(); len(ran) > 0 {
		t.Errorf("ran %v", ran)
	}
	if done < least {
		t.Errorf("only %d verbs came to an end", done)
	}
}

// TestHostileRepositoryIsHostile is the positive control: the git of an agent
// runs each of the planted programs.
func TestHostileRepositoryIsHostile(t *testing.T) {
	for _, p := range plants() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w := hostile(t, p)
			env := slices.DeleteFunc(w.env(), func(s string) bool { return strings.HasPrefix(s, "GIT_EDITOR=") })
			proc.Run(t.Context(), proc.Cmd{Path: w.git, Dir: w.path("work"), Args: p.trigger, Env: env})
			if ran := w.marks(); len(ran) == 0 {
				t.Errorf("git %s did not fire it", strings.Join(p.trigger, " "))
			}
		})
	}
}

// everyVerb runs all verbs. Their errors do not matter here; it returns how
// many ended without one.
func (w *world) everyVerb() int {
	ctx, done := w.t.Context(), 0
	count := func(err error) {
		if err == nil {
			done++
		}
	}
	_, err := git.Find(w.path("work"))
	count(err)
	w.door.Alias(w.path("work"), "x")
	for _, q := range []string{
		"status --porcelain", "ls-files -m", "ls-files -o --exclude-standard", "diff --name-only HEAD", "diff --cached --stat", "diff", "log --stat -1",
		"rev-parse HEAD", "for-each-ref", "branch --list", "cat-file -p HEAD:f-one", "clean -ndffx", "stash list", "check-ignore f-one", "remote -v", "ls-tree -r HEAD",
	} {
		_, err := w.door.Query(ctx, w.path("work"), strings.Fields(q)...)
		count(err)
	}
	for _, push := range []string{
		"-f --follow-tags origin fresh main~0:refs/heads/dev", "--mirror origin", "-f . main:dev", "-f ./embedded.git main",
	} {
		w.oneSaga(ctx, push, count)
	}
	return done
}

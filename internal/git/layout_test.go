package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/git"
)

// TestFindAgreesWithGit compares what is found with what git finds.
func TestFindAgreesWithGit(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.mkdir("work/a/b")
	w.mkdir("outside")
	w.mkdir("work/fake/.git") // no repository
	w.write("work/broken/.git", "nonsense\n")
	w.run("", "init", "-q", "work/inner")
	w.run("work", "worktree", "add", "-q", w.path("linked"), "dev")
	w.run("", "init", "-q", "--separate-git-dir", w.path("apart"), "split")
	if err := os.Symlink("../work/a", w.path("home/link")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"work", "work/a/b", "work/fake", "work/inner", "linked", "split", "home/link", "remote.git", "remote.git/refs", "work/.git"} {
		l, err := git.Find(w.path(dir))
		if err != nil {
			t.Errorf("%s: %v", dir, err)
			continue
		}
		if want := w.run(dir, "rev-parse", "--absolute-git-dir"); l.GitDir != want {
			t.Errorf("%s: found %s, git finds %s", dir, l.GitDir, want)
		}
		real, _ := filepath.EvalSymlinks(w.path(dir))
		common := w.run(dir, "rev-parse", "--git-common-dir")
		if !filepath.IsAbs(common) {
			common = filepath.Join(real, common)
		}
		common, err = filepath.EvalSymlinks(common)
		if err != nil || l.CommonDir != common {
			t.Errorf("%s: common %s, git has %s (%v)", dir, l.CommonDir, common, err)
		}
		res, err := w.try(dir, "rev-parse", "--show-toplevel")
		if top := strings.TrimSpace(string(res.Stdout)); err != nil || l.WorkTree != top {
			t.Errorf("%s: work tree %q, git has %q (%v)", dir, l.WorkTree, top, err)
		}
	}
	if _, err := git.Find(w.path("outside")); !errors.Is(err, git.ErrNoRepository) {
		t.Errorf("outside: %v", err)
	}
}

// TestLayoutTricks hands repositories that are made to confuse or to hang.
func TestLayoutTricks(t *testing.T) {
	for name, set := range map[string]func(w *world){
		"git file to itself":     func(w *world) { w.write("r/.git", "gitdir: .git\n") },
		"git file to a git file": func(w *world) { w.write("r/.git", "gitdir: other\n"); w.write("r/other", "gitdir: .git\n") },
		"huge git file":          func(w *world) { w.write("r/.git", "gitdir: "+strings.Repeat("x", 1<<20)) },
		"unknown extension": func(w *world) {
			w.run("", "init", "-q", "r")
			w.write("r/.git/config", "[core]\nrepositoryformatversion=1\n[extensions]\nfuture=1\n")
		},
		"unknown format": func(w *world) {
			w.run("", "init", "-q", "r")
			w.write("r/.git/config", "[core]\nrepositoryformatversion=7\n")
		},
		"config that ends midway": func(w *world) { w.run("", "init", "-q", "r"); w.write("r/.git/config", "[core\n") },
		"endless include": func(w *world) {
			w.run("", "init", "-q", "r")
			w.write("r/.git/config", "[include]\npath=config\npath=config\n")
		},
		"config that never ends": func(w *world) {
			w.run("", "init", "-q", "r")
			os.Remove(w.path("r/.git/config"))
			os.Symlink("/dev/zero", w.path("r/.git/config"))
		},
		"config that is a pipe": func(w *world) {
			w.run("", "init", "-q", "r")
			os.Remove(w.path("r/.git/config"))
			mkfifo(w.t, w.path("r/.git/config"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.mkdir("r")
			set(w)
			start := time.Now()
			call := w.call("-f", "../x.git", "main")
			call.Dir = w.path("r")
			if plan, err := w.door.PlanPush(t.Context(), call, git.PlanOptions{}); err == nil {
				t.Errorf("planned %+v", plan)
			}
			w.door.Alias(w.path("r"), "x")
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

// TestRefTricks plants refs that git does not take for refs.
func TestRefTricks(t *testing.T) {
	w := newWorld(t)
	w.setup()
	id := w.run("work", "rev-parse", "HEAD")
	w.write("work/.git/refs/heads/loop1", "ref: refs/heads/loop2\n")
	w.write("work/.git/refs/heads/loop2", "ref: refs/heads/loop1\n")
	w.write("work/.git/refs/heads/evil.lock", id+"\n")
	w.write("work/.git/refs/heads/a..b", id+"\n")
	w.write("work/.git/refs/heads/new\nline", id+"\n")
	w.write("work/.git/refs/heads/short", id[:12]+"\n")
	mkfifo(t, w.path("work/.git/refs/heads/pipe"))
	os.Symlink("/etc/passwd", w.path("work/.git/refs/heads/passwd"))
	os.Symlink("/dev/zero", w.path("work/.git/refs/heads/zero"))
	os.Symlink(w.path("work/.git/refs"), w.path("work/.git/refs/heads/dir"))
	plan := w.plan(w.call("--mirror", "origin"))
	for _, u := range plan.Remotes[0].Refs {
		for _, bad := range []string{"loop", "evil", "..", "\n", "short", "pipe", "passwd", "zero", "dir"} {
			if strings.Contains(u.Name, bad) {
				t.Errorf("%q is in the plan", u.Name)
			}
		}
	}
}

// TestThePersonsOwnWayIn: the person's ssh command is used, also when an
// include ties it to where the repository lies.
func TestThePersonsOwnWayIn(t *testing.T) {
	for name, set := range map[string]func(w *world, command string){
		"plain": func(w *world, command string) { w.run("", "config", "--global", "core.sshCommand", command) },
		"by place": func(w *world, command string) {
			w.run("", "config", "--global", "includeIf.gitdir:"+w.path("work")+"/.path", w.path("extra"))
			w.run("", "config", "-f", "extra", "core.sshCommand", command)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.setup()
			w.mkdir("fired")
			w.write("ssh", "#!/bin/sh\n: > '"+w.path("fired/ssh")+"'\nshift $(($# - 1))\nexec sh -c \"$1\"\n")
			set(w, w.path("ssh"))
			w.run("work", "remote", "set-url", "origin", "ssh://host"+w.path("remote.git"))
			plan, r := w.arm(w.call("-f", "origin", "main"))
			if len(w.marks()) == 0 {
				t.Error("the person's ssh command did not run")
			}
			w.push(w.call("-f", "origin", "main"))
			r = w.settle(plan, r)
			if got := w.outcome(r); got.State != git.Fired {
				t.Errorf("%+v", got)
			}
		})
	}
}

package git_test

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/counterstep/counterstep/internal/git"
)

// TestThePersonsProgramsStayOut: hooks, filters and monitors of the person's
// own configuration are not run either; looking and firing are no occasion for
// them.
func TestThePersonsProgramsStayOut(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.mkdir("fired")
	evil := func(name string) string {
		w.write("evil-"+name, "#!/bin/sh\n: > '"+w.path("fired/"+name)+"'\n[ $# -gt 0 ] || cat\n")
		return w.path("evil-" + name)
	}
	for _, name := range []string{"pre-push", "reference-transaction", "post-index-change", "pre-receive", "post-checkout"} {
		w.write("home/hooks/"+name, "#!/bin/sh\n: > '"+w.path("fired/"+name)+"'\n")
	}
	for _, kv := range [][2]string{
		{"core.hooksPath", w.path("home/hooks")},
		{"core.fsmonitor", evil("fsmonitor")},
		{"filter.lfs.clean", evil("clean")},
		{"filter.lfs.smudge", evil("smudge")},
		{"diff.external", evil("external")},
		{"core.askPass", evil("askpass")},
		{"push.gpgSign", "true"},
		{"gpg.program", evil("gpg")},
		{"push.recurseSubmodules", "on-demand"},
		{"push.followTags", "true"},
	} {
		w.run("", "config", "--global", kv[0], kv[1])
	}
	w.write("work/.gitattributes", "* filter=lfs\n")
	w.write("work/f-one", "changed")
	w.run("work", "status", "--porcelain")
	if ran := w.marks(); len(ran) < 2 {
		t.Fatalf("git runs only %v: the test proves nothing", ran)
	}
	silent := func(when string) {
		t.Helper()
		if ran := w.marks(); len(ran) > 0 {
			t.Errorf("%s ran %v", when, ran)
		}
	}
	for _, q := range []string{"status --porcelain", "diff --name-only", "diff", "ls-files -m", "clean -nd"} {
		if _, err := w.door.Query(t.Context(), w.path("work"), strings.Fields(q)...); err != nil {
			t.Error(err)
		}
		silent("git " + q)
	}
	w.run("work", "remote", "set-url", "origin", "http://"+demanding(t)+"/x.git")
	w.door.PlanPush(t.Context(), w.call("-f", "origin", "main"), git.PlanOptions{})
	silent("asking for a password")
	// The remote is a daemon, so that what runs here is ours.
	w.run("work", "remote", "set-url", "origin", w.daemon()+"/remote.git")
	_, r := w.arm(w.call("-f", "origin", "main"))
	silent("arming")
	// What the call leaves is not in the store yet.
	r.Refs[0].Post = w.commit("work", "later")
	w.run("remote.git", "-c", "core.hooksPath=/dev/null", "fetch", "-q", w.path("work"), "+main:main")
	w.marks()
	if _, err := w.door.Hold(t.Context(), w.reverse(r), nil, w.store); err != nil {
		t.Fatal(err)
	}
	silent("fetching")
	w.run("work", "fetch", "-q", "origin", "+main:refs/heads/x")
	if len(w.marks()) == 0 {
		t.Error("git fetch runs nothing either: the test proves nothing")
	}
	for _, name := range []string{"pre-receive", "reference-transaction"} {
		w.write("home/hooks/"+name, "#!/bin/sh\nexit 0\n") // they are the daemon's as well
	}
	if states := w.fire(r); states != "fired already-there" {
		t.Error(states)
	}
	silent("firing")
	if tags := w.run("", "ls-remote", "--tags", w.path("remote.git")); strings.Contains(tags, "v2") {
		t.Errorf("firing sent tags along: %s", tags)
	}
}

// TestReplacedObjectsAreSeenAsTheyAre: a replace ref does not change what the
// door reads or holds.
func TestReplacedObjectsAreSeenAsTheyAre(t *testing.T) {
	w := newWorld(t)
	w.setup()
	head := w.run("work", "rev-parse", "HEAD:f-one")
	w.write("other", "a lie")
	lie := w.run("work", "hash-object", "-w", w.path("other"))
	w.run("work", "replace", head, lie)
	tip := w.run("work", "rev-parse", "origin/main")
	w.run("work", "replace", tip, w.run("work", "rev-parse", "dev"))
	if said := w.run("work", "cat-file", "-p", head); said != "a lie" {
		t.Fatalf("git reads %q: the test proves nothing", said)
	}
	out, err := w.door.Query(t.Context(), w.path("work"), "cat-file", "-p", head)
	if err != nil || string(out) != "one" {
		t.Errorf("read %q, %v", out, err)
	}
	r := w.pushed("-f", "origin", "main")
	if got := w.outcome(r); got.State != git.Fired {
		t.Errorf("%+v", got)
	}
	if now := w.run("remote.git", "rev-parse", "main"); now != tip {
		t.Errorf("the remote has %s, want %s", now, tip)
	}
}

// TestRedirectsAreNotFollowed: a server cannot send the person's credentials
// on to another one.
func TestRedirectsAreNotFollowed(t *testing.T) {
	w := newWorld(t)
	w.setup()
	var asked atomic.Int32
	second := serve(t, func(c net.Conn) { asked.Add(1) })
	first := serve(t, func(c net.Conn) {
		readHead(c)
		c.Write([]byte("HTTP/1.1 302 Found\r\nLocation: http://" + second + "/x.git/info/refs?service=git-upload-pack\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
	})
	w.run("work", "remote", "set-url", "origin", "http://"+first+"/x.git")
	if _, err := w.door.PlanPush(t.Context(), w.call("-f", "origin", "main"), git.PlanOptions{}); err == nil {
		t.Error("planned")
	}
	if asked.Load() > 0 {
		t.Error("the second server was asked")
	}
	w.try("work", "ls-remote", "origin")
	if asked.Load() == 0 {
		t.Error("git does not go there either: the test proves nothing")
	}
}

// serve answers connections with f.
func serve(t testing.TB, f func(net.Conn)) string {
	l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				f(c)
			}()
		}
	}()
	return l.Addr().String()
}

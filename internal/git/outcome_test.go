package git_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/git"
)

// pushed arms and runs a push and settles it.
func (w *world) pushed(args ...string) git.Remote {
	w.t.Helper()
	plan, r := w.arm(w.call(args...))
	w.push(w.call(args...))
	return w.settle(plan, r)
}

// outcome fires r and returns the only outcome.
func (w *world) outcome(r git.Remote) git.Outcome {
	w.t.Helper()
	out, err := w.door.Fire(w.t.Context(), r, w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(out) != 1 {
		w.t.Fatalf("%d outcomes, want 1: %v", len(out), out)
	}
	return out[0]
}

func TestServerThatRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		push   string
		server func(w *world)
		reason string
	}{
		{"non-fast-forwards", "-f origin main", func(w *world) { w.run("remote.git", "config", "receive.denyNonFastForwards", "true") }, "non-fast-forward"},
		{"deletes", "-f origin fresh", func(w *world) { w.run("remote.git", "config", "receive.denyDeletes", "true") }, "deletion prohibited"},
		{"deleting the current branch", "-f origin fresh", func(w *world) { w.run("remote.git", "symbolic-ref", "HEAD", "refs/heads/fresh") }, "deletion of the current branch"},
		{"pre-receive", "-f origin main", func(w *world) {
			w.write("remote.git/hooks/pre-receive", "#!/bin/sh\necho protected branch >&2\nexit 1\n")
		}, "pre-receive hook declined"},
		{"update", "-f origin main", func(w *world) { w.write("remote.git/hooks/update", "#!/bin/sh\nexit 1\n") }, "hook declined"},
	} {
		for _, kind := range []string{"file", "daemon"} {
			t.Run(c.name+" "+kind, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.setup()
				if kind == "daemon" {
					w.run("work", "remote", "set-url", "origin", w.daemon()+"/remote.git")
				}
				r := w.pushed(strings.Fields(c.push)...)
				c.server(w)
				before := w.refs(w.path("remote.git"))
				got := w.outcome(r)
				if got.State != git.Refused || !strings.Contains(got.Reason, c.reason) || got.Now != r.Refs[0].Post {
					t.Errorf("got %+v", got)
				}
				if now := w.refs(w.path("remote.git")); now != before {
					t.Errorf("the remote changed to\n%s", now)
				}
				w.calm()
				if got := w.outcome(r); got.State != git.Fired {
					t.Errorf("after the server gave in: %+v", got)
				}
			})
		}
	}
}

// calm makes the server take everything again.
func (w *world) calm() {
	w.t.Helper()
	for _, hook := range []string{"pre-receive", "update"} {
		os.Remove(w.path("remote.git/hooks/" + hook))
	}
	w.run("remote.git", "config", "receive.denyNonFastForwards", "false")
	w.run("remote.git", "config", "receive.denyDeletes", "false")
	w.run("remote.git", "symbolic-ref", "HEAD", "refs/heads/main")
}

// TestThirdParty pushes from elsewhere between the call and the firing. This is
// the test that a "+" or a plain force in Fire fails.
func TestThirdParty(t *testing.T) {
	for name, c := range map[string]struct {
		push  string
		third []string
	}{
		"moved on":         {"-f origin main", []string{"push", "-q", "-f", "origin", "HEAD:main"}},
		"deleted":          {"-f origin main", []string{"push", "-q", "origin", ":main"}},
		"created again":    {"origin :gone", []string{"push", "-q", "origin", "HEAD:gone"}},
		"new branch moved": {"-f origin fresh", []string{"push", "-q", "-f", "origin", "HEAD:fresh"}},
		"tag moved":        {"-f origin light", []string{"push", "-q", "-f", "origin", "HEAD:refs/tags/light"}},
	} {
		for _, settled := range []string{"settled before", "settled after"} {
			t.Run(name+" "+settled, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.setup()
				w.run("", "clone", "-q", w.path("remote.git"), "other")
				w.run("remote.git", "config", "receive.denyDeleteCurrent", "ignore")
				w.commit("other", "theirs")
				args := strings.Fields(c.push)
				plan, r := w.arm(w.call(args...))
				w.push(w.call(args...))
				if settled == "settled before" {
					r = w.settle(plan, r)
				}
				w.run("other", c.third...)
				if settled != "settled before" {
					r = w.settle(plan, r)
				}
				before := w.refs(w.path("remote.git"))
				if got := w.outcome(r); got.State != git.Lost {
					t.Errorf("got %+v", got)
				}
				if now := w.refs(w.path("remote.git")); now != before {
					t.Errorf("the remote changed from\n%s\nto\n%s", before, now)
				}
			})
		}
	}
}

// TestThirdPartyBetweenLookAndPush moves the ref at the last moment: a hook on
// the way stands for somebody who is faster than we are.
func TestThirdPartyBetweenLookAndPush(t *testing.T) {
	w := newWorld(t)
	w.setup()
	r := w.pushed("-f", "origin", "main")
	w.run("", "clone", "-q", w.path("remote.git"), "other")
	theirs := w.commit("other", "theirs")
	real := w.door.Git
	// This git pushes for somebody else before it pushes for us.
	w.write("racing-git", "#!/bin/sh\nif [ \"$1\" = push ]; then\n  (unset GIT_DIR; cd '"+w.path("other")+"' && "+real+
		" push -q -f origin HEAD:main) >/dev/null 2>&1\nfi\nexec "+real+" \"$@\"\n")
	w.door.Git = w.path("racing-git")
	got := w.outcome(r)
	if got.State != git.Lost || got.Now != theirs {
		t.Errorf("got %+v, want lease-lost at %s", got, theirs)
	}
	if now := w.run("remote.git", "rev-parse", "main"); now != string(theirs) {
		t.Errorf("their commit was overwritten by %s", now)
	}
}

func TestAlreadyThere(t *testing.T) {
	w := newWorld(t)
	w.setup()
	r := w.pushed("-f", "origin", "main")
	w.run("remote.git", "update-ref", "refs/heads/main", string(r.Refs[0].Old))
	if got := w.outcome(r); got.State != git.Already {
		t.Errorf("got %+v", got)
	}
}

func TestNotSettled(t *testing.T) {
	w := newWorld(t)
	w.setup()
	_, r := w.arm(w.call("-f", "origin", "main"))
	w.push(w.call("-f", "origin", "main"))
	unknown := r
	unknown.Refs = []git.Ref{r.Refs[0]}
	unknown.Refs[0].New = git.Unknown
	if got := w.outcome(unknown); got.State != git.Lost || !strings.Contains(got.Reason, "not recorded") {
		t.Errorf("nothing known about the call: %+v", got)
	}
	if got := w.outcome(r); got.State != git.Fired {
		t.Errorf("the planned value is what is there: %+v", got)
	}
}

func TestRemoteThatDoesNotAnswer(t *testing.T) {
	for name, url := range map[string]func(w *world) string{
		"missing":   func(w *world) string { return w.path("nowhere.git") },
		"refusing":  func(w *world) string { return "git://127.0.0.1:1/x.git" },
		"hung":      func(w *world) string { return "git://" + hang(w.t) + "/remote.git" },
		"hung http": func(w *world) string { return "http://" + hang(w.t) + "/remote.git" },
		"cut":       func(w *world) string { return "git://" + slam(w.t) + "/remote.git" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.setup()
			w.run("work", "remote", "set-url", "origin", url(w))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			_, err := w.door.PlanPush(ctx, w.call("-f", "origin", "main"), git.PlanOptions{})
			if !errors.Is(err, git.ErrUnreachable) || time.Since(start) > 20*time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			if strings.HasPrefix(name, "hung") && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the reason is not the time: %v", err)
			}
		})
	}
}

// TestConnectionCut puts a proxy between us and the server that cuts the
// connection of the push before the server has it all, or hides its answer.
func TestConnectionCut(t *testing.T) {
	for _, c := range []struct {
		name string
		cut  cut
		want git.State
		now  bool // the remote has the old value afterwards
	}{
		{"before the server applied it", cutBefore, git.Indeterminate, false},
		{"after the server applied it", cutAfter, git.Fired, true},
		{"and nothing answers any more", cutAfter | cutAll, git.Indeterminate, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.setup()
			p := newProxy(t, strings.TrimPrefix(w.daemon(), "git://"))
			w.run("work", "remote", "set-url", "origin", "git://"+p.addr+"/remote.git")
			r := w.pushed("-f", "origin", "main")
			p.set(c.cut)
			got := w.outcome(r)
			if got.State != c.want {
				t.Errorf("got %+v, want %s", got, c.want)
			}
			if now := w.run("remote.git", "rev-parse", "main"); (now == string(r.Refs[0].Old)) != c.now {
				t.Errorf("the remote has %s", now)
			}
			p.set(0)
			if again := w.outcome(r); again.State != git.Fired && again.State != git.Already {
				t.Errorf("again: %+v", again)
			}
			if now := w.run("remote.git", "rev-parse", "main"); now != string(r.Refs[0].Old) {
				t.Errorf("the remote has %s in the end", now)
			}
		})
	}
}

package git_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
)

// oneSaga plans, captures, rehearses, settles, counts, holds, fires and
// verifies one push. The push itself is not run by the repository's git: the
// remotes take the objects themselves.
func (w *world) oneSaga(ctx context.Context, push string, count func(error)) {
	call := classify.Push{Dir: w.path("work"), Args: strings.Fields(push)}
	for _, moves := range []bool{true, false} {
		_, err := w.door.PlanPush(ctx, call, git.PlanOptions{Moves: moves})
		count(err)
	}
	plan, err := w.door.PlanPush(ctx, call, git.PlanOptions{})
	if err != nil {
		return
	}
	list, err := w.door.Capture(ctx, plan, w.store)
	count(err)
	for _, r := range list {
		count(w.door.Rehearse(ctx, r, &plan.Layout, w.store))
		w.takeOver(r)
		r, err := w.door.Settle(ctx, r, &plan.Layout, w.store)
		count(err)
		_, err = w.door.Observe(ctx, r)
		count(err)
		_, err = w.door.Vanish(ctx, r, nil, w.store)
		count(err)
		_, err = w.door.Hold(ctx, w.reverse(r), &plan.Layout, w.store)
		count(err)
		_, err = w.door.Fire(ctx, r, w.store)
		count(err)
		count(w.door.Verify(ctx, r, w.store, true))
	}
}

// takeOver leaves the remote as the push would have.
func (w *world) takeOver(r git.Remote) {
	dir := strings.TrimPrefix(r.URL, w.root+"/")
	before := w.marksNow()
	for _, u := range r.Refs {
		if u.New == git.Absent {
			w.try(dir, "-c", "core.hooksPath=/dev/null", "update-ref", "-d", u.Name)
			continue
		}
		w.try(dir, "-c", "core.hooksPath=/dev/null", "fetch", "-q", "--update-head-ok", w.path("work"), "+"+u.Src+":"+u.Name)
	}
	for name := range w.marksNow() {
		if !before[name] {
			os.Remove(w.path("fired/" + name))
		}
	}
}

func (w *world) marksNow() map[string]bool {
	out := map[string]bool{}
	entries, _ := os.ReadDir(w.path("fired"))
	for _, e := range entries {
		out[e.Name()] = true
	}
	return out
}

// TestEmbeddedRemoteRunsNothing fires at a remote that the hostile repository
// ships in its own tree, with hooks and settings of its own.
func TestEmbeddedRemoteRunsNothing(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.mkdir("fired")
	mark := "#!/bin/sh\n: > '" + w.path("fired") + "/'$(basename \"$0\")\n"
	w.run("", "clone", "-q", "--bare", w.path("remote.git"), "work/embedded.git")
	names := []string{"pre-receive", "update", "post-receive", "post-update", "reference-transaction", "proc-receive", "pre-auto-gc", "push-to-checkout"}
	plant := func() {
		for _, name := range names {
			w.write("work/embedded.git/hooks/"+name, mark)
		}
		w.write("evil", mark)
		for _, key := range []string{"core.fsmonitor", "core.alternateRefsCommand", "uploadpack.packObjectsHook", "core.sshCommand", "gpg.program"} {
			w.run("work/embedded.git", "config", key, w.path("evil"))
		}
		w.run("work/embedded.git", "config", "receive.procReceiveRefs", "refs/for")
		w.write("work/embedded.git/objects/info/alternates", w.path("remote.git/objects")+"\n")
	}
	call := w.call("-f", "./embedded.git", "main", ":gone")
	plant()
	plan, r := w.arm(call)
	if !r.Embedded {
		t.Error("the remote is not known to lie in the repository")
	}
	if ran := w.marks(); len(ran) > 0 {
		t.Errorf("arming ran %v", ran)
	}
	w.push(call)
	if ran := w.marks(); len(ran) < 4 {
		t.Fatalf("the push fired only %v: the test proves nothing", ran)
	}
	r = w.settle(plan, r)
	if states := w.fire(r); states != "fired fired" {
		t.Errorf("states: %s", states)
	}
	if ran := w.marks(); len(ran) > 0 {
		t.Errorf("firing ran %v", ran)
	}
}

// TestEnvironmentIsNotFollowed gives the door values that no caller should.
func TestEnvironmentIsNotFollowed(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.mkdir("fired")
	w.write("evil", "#!/bin/sh\n: > '"+w.path("fired/env")+"'\n")
	w.door.Env = map[string]string{
		"GIT_SSH_COMMAND": w.path("evil"), "GIT_EXTERNAL_DIFF": w.path("evil"), "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor",
		"GIT_CONFIG_VALUE_0": w.path("evil"), "GIT_EXEC_PATH": w.path("temp"), "LD_PRELOAD": "/nonexistent.so", "GIT_DIR": w.path("work/.git"),
		"GIT_TRACE": w.path("fired/trace"), "GIT_ALLOW_PROTOCOL": "ext", "GIT_PROXY_COMMAND": w.path("evil"), "GIT_ASKPASS": w.path("evil"),
		"SSH_ASKPASS": w.path("evil"), "GIT_TEMPLATE_DIR": w.path("temp"), "GIT_OBJECT_DIRECTORY": w.path("temp"), "GIT_NAMESPACE": "x", "PAGER": w.path("evil"),
	}
	r := w.pushed("-f", "origin", "main")
	if got := w.outcome(r); got.State != git.Fired {
		t.Errorf("got %+v", got)
	}
	w.run("work", "remote", "set-url", "origin", "ssh://127.0.0.1:1/x")
	w.door.PlanPush(t.Context(), w.call("-f", "origin", "main"), git.PlanOptions{})
	if ran := w.marks(); len(ran) > 0 {
		t.Errorf("ran %v", ran)
	}
}

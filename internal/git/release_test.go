package git_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/counterstep/counterstep/internal/git"
)

// TestRelease lets go of one of two steps: its commit is gone from the store,
// the other still fires.
func TestRelease(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.run("work", "checkout", "-q", "--detach", "origin/main")
	w.write("work/secret", "hunter2")
	w.commit("work", "secret")
	w.run("work", "push", "-q", "origin", "HEAD:main")
	first := w.pushed("-f", "origin", "dev:main")
	second := w.pushed("-f", "origin", "dev")
	blob := w.run("work", "rev-parse", string(first.Refs[0].Old)+":secret")
	has := func() bool {
		res, err := w.try(filepath.Join("store/remotes", first.Store), "cat-file", "-e", blob)
		return err == nil && res.Code == 0
	}
	if !has() {
		t.Fatal("the store does not have the secret to begin with")
	}
	future := time.Now().Add(time.Hour)
	if err := w.door.Release(t.Context(), first, []git.Remote{second}, time.Now().Add(-time.Hour), w.store); err != nil {
		t.Fatal(err)
	}
	if !has() {
		t.Error("a tip that was just taken in use is gone")
	}
	for range 2 {
		if err := w.door.Release(t.Context(), first, []git.Remote{second}, future, w.store); err != nil {
			t.Fatal(err)
		}
	}
	if has() {
		t.Error("the secret is still there")
	}
	if _, err := w.door.Fire(t.Context(), first, w.store); err == nil {
		t.Error("a released step fires")
	}
	if err := w.door.Verify(t.Context(), second, w.store, true); err != nil {
		t.Error(err)
	}
	if got := w.outcome(second); got.State != git.Fired {
		t.Errorf("%+v", got)
	}
	if err := w.door.Release(t.Context(), second, nil, future, w.store); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(w.store, "*.git"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestExport(t *testing.T) {
	w := newWorld(t)
	w.setup()
	r := w.pushed("-f", "origin", "main", "dev")
	file := w.path("out.bundle")
	if err := w.door.Export(t.Context(), r, w.store, file); err != nil {
		t.Fatal(err)
	}
	if err := w.door.Export(t.Context(), r, w.store, file); err == nil {
		t.Error("an existing file was overwritten")
	}
	w.run("", "init", "-q", "--bare", "from.git")
	w.run("from.git", "fetch", "-q", file, "refs/kept/*:refs/kept/*")
	for _, u := range r.Refs {
		w.run("from.git", "rev-list", "--objects", "--missing=error", string(u.Old))
	}
}

// TestStepIsPlainData: a step survives being written down.
func TestStepIsPlainData(t *testing.T) {
	w := newWorld(t)
	w.setup()
	r := w.pushed("-f", "origin", "main", ":gone", "fresh")
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back git.Remote
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Error(diff)
	}
	if states := w.fire(back); states != "fired fired fired" {
		t.Error(states)
	}
}

// TestManyAtOnce captures the same remote many times at once, while others let
// go of it.
func TestManyAtOnce(t *testing.T) {
	w := newWorld(t)
	w.setup()
	calls := []string{"-f origin main", "-f origin dev", ":gone", "--mirror origin"}
	past := time.Now().Add(-time.Hour)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			args := strings.Fields(calls[i%len(calls)])
			if args[0][0] == ':' {
				args = append([]string{"origin"}, args...)
			}
			plan, err := w.door.PlanPush(t.Context(), w.call(args...), git.PlanOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			list, err := w.door.Capture(t.Context(), plan, w.store)
			if err != nil {
				t.Error(err)
				return
			}
			if i%3 == 0 {
				if err := w.door.Release(t.Context(), list[0], nil, past, w.store); err != nil {
					t.Error(err)
				}
			}
			if err := w.door.Verify(t.Context(), list[0], w.store, false); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	err := filepath.WalkDir(w.store, func(path string, e fs.DirEntry, err error) error {
		if strings.HasPrefix(e.Name(), "new-") || strings.HasPrefix(e.Name(), ".new-") || strings.HasPrefix(e.Name(), "tmp_") {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(w.path("temp")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestStalledServer fires at a server that takes the push and then says
// nothing. The time runs out; what happened is not guessed.
func TestStalledServer(t *testing.T) {
	w := newWorld(t)
	w.setup()
	p := newProxy(t, strings.TrimPrefix(w.daemon(), "git://"))
	w.run("work", "remote", "set-url", "origin", "git://"+p.addr+"/remote.git")
	r := w.pushed("-f", "origin", "main")
	p.set(cutAfter | cutStall)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	out, err := w.door.Fire(ctx, r, w.store)
	if err != nil || len(out) != 1 || out[0].State != git.Indeterminate {
		t.Fatalf("got %+v, %v", out, err)
	}
	p.set(0)
	if got := w.outcome(r); got.State != git.Already && got.State != git.Fired {
		t.Errorf("again: %+v", got)
	}
}

package git_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
)

// TestNothingElseIsNeeded deletes the pushing repository and has the server
// drop what no ref reaches; firing still brings the old tips back.
func TestNothingElseIsNeeded(t *testing.T) {
	for _, push := range []string{"-f origin main", "origin :gone", "--mirror origin"} {
		t.Run(strings.ReplaceAll(push, "/", "|"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.setup()
			w.run("work", "checkout", "-q", "--detach", "origin/main")
			w.commit("work", "unique")
			w.run("work", "push", "-q", "origin", "HEAD:main")
			w.run("work", "checkout", "-q", "main")
			w.run("work", "gc", "-q")
			before := w.refs(w.path("remote.git"))
			args := strings.Fields(push)
			plan, r := w.arm(w.call(args...))
			w.push(w.call(args...))
			r = w.settle(plan, r)
			if err := os.RemoveAll(w.path("work")); err != nil {
				t.Fatal(err)
			}
			w.run("remote.git", "gc", "-q", "--prune=now")
			w.run("remote.git", "repack", "-q", "-a", "-d")
			if push == "-f origin main" {
				if res, err := w.try("remote.git", "cat-file", "-e", string(r.Refs[0].Old)); err != nil || res.Code == 0 {
					t.Fatalf("the server still has the old tip: %v", err)
				}
			}
			if err := w.door.Verify(t.Context(), r, w.store, true); err != nil {
				t.Error(err)
			}
			if states := w.fire(r); !strings.Contains(states, "fired") {
				t.Errorf("states: %s", states)
			}
			w.sameLost(r, before, w.refs(w.path("remote.git")))
			w.run("remote.git", "fsck", "--full", "--strict")
		})
	}
}

// TestIncompleteRepositories pushes from clones that do not have what the old
// tip reaches. What they lack comes from the remote.
func TestIncompleteRepositories(t *testing.T) {
	for name, clone := range map[string][]string{
		"shallow":  {"--depth=1"},
		"partial":  {"--filter=blob:none", "--no-checkout"},
		"treeless": {"--filter=tree:0", "--no-checkout"},
		"single":   {"--single-branch", "--branch=dev"},
		"borrowed": {"--shared"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.setup()
			w.run("remote.git", "config", "uploadpack.allowFilter", "true")
			url := "file://" + w.path("remote.git")
			if name == "borrowed" {
				url = w.path("remote.git")
			}
			w.run("", append(append([]string{"clone", "-q"}, clone...), url, "clone")...)
			old := w.run("remote.git", "rev-parse", "main")
			call := classify.Push{Dir: w.path("clone"), Args: []string{"-f", "origin", "light:main"}}
			if name == "single" || name == "shallow" {
				call.Args[2] = "HEAD:refs/heads/main"
				w.commit("clone", "x")
				w.run("clone", "commit", "-q", "--amend", "--allow-empty", "-m", "y")
			}
			if name == "shallow" {
				w.run("clone", "checkout", "-q", "--orphan", "island")
				w.run("clone", "commit", "-q", "-m", "island")
			}
			plan, r := w.arm(call)
			w.push(call)
			if w.run("remote.git", "rev-parse", "main") == old {
				t.Fatal("the push did nothing")
			}
			r = w.settle(plan, r)
			os.RemoveAll(w.path("clone"))
			w.run("remote.git", "gc", "-q", "--prune=now")
			if err := w.door.Verify(t.Context(), r, w.store, true); err != nil {
				t.Error(err)
			}
			if states := w.fire(r); states != "fired" || w.run("remote.git", "rev-parse", "main") != old {
				t.Errorf("states: %s", states)
			}
		})
	}
}

// TestIncompleteEverywhere pushes to a remote that lacks history itself: such
// a call is refused.
func TestIncompleteEverywhere(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.run("", "clone", "-q", "--bare", "--depth=1", "file://"+w.path("remote.git"), "cut.git")
	w.run("", "clone", "-q", "--depth=1", "file://"+w.path("cut.git"), "clone")
	w.commit("clone", "x")
	call := classify.Push{Dir: w.path("clone"), Args: []string{"-f", "origin", "HEAD:main"}}
	plan := w.plan(call)
	if _, err := w.door.Capture(t.Context(), plan, w.store); err == nil {
		t.Error("a closure that nobody has was captured")
	}
}

// TestStoreSurvivesTheRepository: objects of the store are not changed by what
// happens to their other names, and a second capture costs no second copy.
func TestStoreSharesAndStands(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.run("work", "gc", "-q")
	_, r := w.arm(w.call("-f", "origin", "main"))
	packs, err := filepath.Glob(filepath.Join(w.store, r.Store, "objects", "pack", "*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatalf("no packs in the store: %v", err)
	}
	src := w.path("work/.git/objects/pack/" + filepath.Base(packs[0]))
	a, err := os.Stat(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.Stat(src); err != nil || !os.SameFile(a, b) {
		t.Errorf("the pack is a copy: %v", err)
	}
	w.run("work", "repack", "-q", "-a", "-d", "-f")
	if err := w.door.Verify(t.Context(), r, w.store, true); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Dir(w.store)); err != nil || info.Mode().Perm() != 0o755 {
		t.Log(err)
	}
	if info, err := os.Stat(filepath.Join(w.store, r.Store)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the store is open to others: %v %v", info.Mode(), err)
	}
}

func TestDamage(t *testing.T) {
	for name, damage := range map[string]func(w *world, store string, r git.Remote){
		"store gone":   func(w *world, store string, _ git.Remote) { os.RemoveAll(store) },
		"tip gone":     func(w *world, store string, r git.Remote) { os.Remove(store + "/refs/kept/" + string(r.Refs[0].Old)) },
		"objects gone": func(w *world, store string, _ git.Remote) { os.RemoveAll(store + "/objects/pack") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.setup()
			w.run("work", "gc", "-q")
			r := w.pushed("-f", "origin", "main")
			w.run("remote.git", "gc", "-q", "--prune=now")
			damage(w, filepath.Join(w.store, r.Store), r)
			if name == "objects gone" {
				files, _ := filepath.Glob(filepath.Join(w.store, r.Store, "objects", "??"))
				for _, f := range files {
					os.RemoveAll(f)
				}
			}
			if err := w.door.Verify(t.Context(), r, w.store, false); !errors.Is(err, git.ErrDamaged) {
				t.Errorf("verify: %v", err)
			}
			before := w.refs(w.path("remote.git"))
			out, err := w.door.Fire(t.Context(), r, w.store)
			if err == nil && (len(out) != 1 || out[0].State == git.Fired) || err != nil && !errors.Is(err, git.ErrDamaged) {
				t.Errorf("fire: %v, %v", out, err)
			}
			if now := w.refs(w.path("remote.git")); now != before {
				t.Errorf("the remote changed to %s", now)
			}
		})
	}
}

// TestFlippedByteIsFound flips a byte of every file that holds objects.
func TestFlippedByteIsFound(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.run("work", "gc", "-q")
	w.commit("work", "loose")
	_, r := w.arm(w.call("-f", "origin", "main"))
	err := filepath.WalkDir(filepath.Join(w.store, r.Store, "objects"), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, ".rev") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		os.Remove(path) // it may be a link of the repository's
		bad := append([]byte(nil), data...)
		bad[len(bad)/2] ^= 1
		if err := os.WriteFile(path, bad, 0o400); err != nil {
			return err
		}
		if err := w.door.Verify(t.Context(), r, w.store, true); !errors.Is(err, git.ErrDamaged) {
			t.Errorf("%s: a flipped byte is not found: %v", path, err)
		}
		os.Remove(path)
		return os.WriteFile(path, data, 0o400)
	})
	if err != nil {
		t.Error(err)
	}
	if err := w.door.Verify(t.Context(), r, w.store, true); err != nil {
		t.Errorf("whole again: %v", err)
	}
}

// TestForgedStep hands Fire steps that a file could have been made to hold.
func TestForgedStep(t *testing.T) {
	w := newWorld(t)
	w.setup()
	r := w.pushed("-f", "origin", "main")
	before := w.refs(w.path("remote.git"))
	for name, forge := range map[string]func(r *git.Remote, u *git.Ref){
		"force in the object id": func(_ *git.Remote, u *git.Ref) { u.Old = "+" + u.Old },
		"option in the name":     func(_ *git.Remote, u *git.Ref) { u.Name = "--force" },
		"colon in the name":      func(_ *git.Remote, u *git.Ref) { u.Name = "refs/heads/a:refs/heads/b" },
		"star in the name":       func(_ *git.Remote, u *git.Ref) { u.Name = "refs/heads/*" },
		"lease that is no id":    func(_ *git.Remote, u *git.Ref) { u.Post = "HEAD" },
		"program in the URL":     func(r *git.Remote, _ *git.Ref) { r.URL = "ext::sh -c touch% x" },
		"option as the URL":      func(r *git.Remote, _ *git.Ref) { r.URL = "--upload-pack=touch x" },
		"option as the host":     func(r *git.Remote, _ *git.Ref) { r.URL = "ssh://-oProxyCommand=x/y" },
		"store elsewhere":        func(r *git.Remote, _ *git.Ref) { r.Store = "../../work/.git" },
		"another URL":            func(r *git.Remote, _ *git.Ref) { r.URL = w.path("work") },
	} {
		bad := r
		bad.Refs = []git.Ref{r.Refs[0]}
		forge(&bad, &bad.Refs[0])
		if out, err := w.door.Fire(t.Context(), bad, w.store); err == nil {
			t.Errorf("%s: %v", name, out)
		}
		if err := w.door.Rehearse(t.Context(), bad, nil, w.store); err == nil {
			t.Errorf("%s: rehearsed", name)
		}
	}
	if now := w.refs(w.path("remote.git")); now != before {
		t.Errorf("the remote changed to %s", now)
	}
}

// TestRedo fires, and takes the firing back.
func TestRedo(t *testing.T) {
	w := newWorld(t)
	w.setup()
	for _, b := range []string{"a", "b", "c"} {
		w.commit("work", b)
	}
	w.run("work", "branch", "copy", "main~1")
	w.run("work", "push", "-q", "-f", "origin", "copy") // reaches three of main's
	plan, r := w.arm(w.call("-f", "origin", "main", ":gone", "fresh"))
	w.push(w.call("-f", "origin", "main", ":gone", "fresh"))
	after := w.refs(w.path("remote.git"))
	r = w.settle(plan, r)
	lost, err := w.door.Vanish(t.Context(), r, nil, w.store)
	// main's four commits and fresh's one; what gone had comes back.
	if err != nil || !lost.Known || lost.Commits != 5 || len(lost.Tips) != 2 {
		t.Errorf("vanishing: %+v, %v", lost, err)
	}
	seen, err := w.door.Observe(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if lost, err = w.door.Vanish(t.Context(), r, seen, w.store); err != nil || lost.Commits != 2 {
		t.Errorf("vanishing beside another branch: %+v, %v", lost, err)
	}
	os.RemoveAll(w.path("work"))
	back, err := w.door.Hold(t.Context(), w.reverse(r), nil, w.store)
	if err != nil {
		t.Fatal(err)
	}
	if states := w.fire(r); states != "fired fired fired" {
		t.Fatal(states)
	}
	w.run("remote.git", "gc", "-q", "--prune=now")
	if states := w.fire(back); states != "fired fired fired" {
		t.Error(states)
	}
	if now := w.refs(w.path("remote.git")); now != after {
		t.Errorf("the remote has\n%s\nwant\n%s", now, after)
	}
}

func TestVanishingIsNotGuessed(t *testing.T) {
	w := newWorld(t)
	w.setup()
	_, r := w.arm(w.call("-f", "origin", "main"))
	w.push(w.call("-f", "origin", "main"))
	r, err := w.door.Settle(t.Context(), r, nil, w.store)
	if err != nil {
		t.Fatal(err)
	}
	lost, err := w.door.Vanish(t.Context(), r, nil, w.store)
	if err != nil || len(lost.Tips) != 1 {
		t.Errorf("%+v, %v", lost, err)
	}
	if _, err := w.door.Hold(t.Context(), w.reverse(r), nil, w.store); err != nil {
		t.Fatal(err)
	}
	if lost, err = w.door.Vanish(t.Context(), r, nil, w.store); err != nil || !lost.Known || lost.Commits != 1 {
		t.Errorf("after holding: %+v, %v", lost, err)
	}
}

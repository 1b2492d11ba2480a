//go:build failpoints

package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

func init() { child = crashChild }

// job is what the child process applies.
type job struct {
	Actions []workspace.Action
	Blobs   [][]byte
}

// crashChild is the process that is killed.
func crashChild(path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	var j job
	if err := json.Unmarshal(data, &j); err != nil {
		panic(err)
	}
	m := &memory{blobs: j.Blobs}
	_, err = workspace.Live().Apply(context.Background(), "ID", j.Actions, m.open, workspace.ApplyOptions{Durable: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// scene makes a tree, keeps it and changes it in every way there is.
func scene(t *testing.T, dir string) (m *memory, pre []fingerprint.Entry, actions []workspace.Action) {
	t.Helper()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"gone/deep", "retyped", "ro", "outer"} {
		must(t, os.MkdirAll(path(d), 0o755))
	}
	for _, f := range []string{"gone/deep/f", "gone/g", "over", "second", "retyped/f", "shared", "ro/f", "outer/moved"} {
		write(t, path(f), "before "+f)
	}
	must(t, os.Link(path("gone/g"), path("gone/deep/linked")))
	must(t, os.Link(path("shared"), path("outer/other-name")))
	must(t, os.Symlink("over", path("link")))
	must(t, os.Chmod(path("ro"), 0o555))
	m = &memory{}
	pre = m.keep(t, dir)
	remove(t, path("gone"))
	remove(t, path("retyped"))
	write(t, path("retyped"), "a file now")
	write(t, path("over"), "after, and longer than before")
	write(t, path("second"), "after")
	write(t, path("shared"), "after") // in place
	must(t, os.Remove(path("link")))
	must(t, os.Mkdir(path("link"), 0o755))
	write(t, path("created"), "by the call")
	must(t, os.Chmod(path("ro"), 0o755))
	must(t, os.Remove(path("ro/f")))
	must(t, os.Rename(path("outer/moved"), path("moved-here")))
	return m, pre, undo(pre, scan(t, dir), dir)
}

// undo is back with a move and an in-place write.
func undo(pre, now []fingerprint.Entry, dir string) []workspace.Action {
	moved, here := filepath.Join(dir, "outer/moved"), filepath.Join(dir, "moved-here")
	var out []workspace.Action
	for _, a := range back(pre, now) {
		switch a.Entry.Path {
		case moved:
			a = workspace.Action{Op: workspace.Rename, Entry: a.Entry, From: here, Now: at(now, here)}
			if a.Now.Type == fingerprint.Absent {
				a.Now = a.Entry
			}
		case here:
			continue
		case filepath.Join(dir, "shared"), filepath.Join(dir, "outer/other-name"):
			a.InPlace = true
		}
		out = append(out, a)
	}
	return out
}

// Killed at any point, applying again ends in the wanted state, and every path
// is at any time in its old or its new state.
func TestKilledAnywhere(t *testing.T) {
	self, err := os.Executable()
	must(t, err)
	for nth := 1; ; nth++ {
		dir := filepath.Join(realTemp(t), "scene")
		m, pre, actions := scene(t, dir)
		post := scan(t, dir)
		data, err := json.Marshal(job{actions, m.blobs})
		must(t, err)
		file := filepath.Join(t.TempDir(), "job")
		must(t, os.WriteFile(file, data, 0o600))
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "WORKSPACE_TEST_CHILD="+file, fmt.Sprintf("COUNTERSTEP_FAIL=*:%d:kill", nth))
		out, err := cmd.CombinedOutput()
		if err == nil {
			if nth < 15 {
				t.Errorf("only %d points", nth-1)
			}
			t.Logf("%d points", nth-1)
			return
		}
		if !strings.Contains(err.Error(), "killed") {
			t.Fatalf("point %d: %v\n%s", nth, err, out)
		}
		oldOrNew(t, nth, pre, post, scan(t, dir))
		if nth%2 == 0 {
			again(t, m, pre, post, dir)
		} else {
			allDone(t, apply(t, m, actions...))
			sameState(t, pre, scan(t, dir))
		}
		if t.Failed() {
			t.Fatalf("point %d", nth)
		}
		remove(t, dir)
	}
}

// again finishes with actions that are computed from what is there now. Things
// that were out already are unknown to them: they are kept, never lost.
func again(t *testing.T, m *memory, pre, post []fingerprint.Entry, dir string) {
	t.Helper()
	allDone(t, apply(t, m, undo(pre, withoutTemps(scan(t, dir)), dir)...))
	if _, err := workspace.Live().CleanTemps([]string{dir}, "ID"); err != nil {
		t.Error(err)
	}
	var left []fingerprint.Entry
	for _, e := range scan(t, dir) {
		if !strings.Contains(e.Path, ".counterstep-ID") {
			left = append(left, e)
			continue
		}
		known := func(o fingerprint.Entry) bool { return fingerprint.Equal(o, e) }
		if !slices.ContainsFunc(post, known) && !slices.ContainsFunc(pre, known) {
			t.Errorf("%q is nothing that was there", e.Path)
		}
	}
	for i := range pre { // whatever is kept beside changes the time of its folder
		if pre[i].Path == dir {
			pre[i].MTime, left[i].MTime = 0, 0
		}
	}
	sameState(t, pre, left)
}

func withoutTemps(entries []fingerprint.Entry) []fingerprint.Entry {
	var out []fingerprint.Entry
	for _, e := range entries {
		if !strings.Contains(e.Path, "/.counterstep-") {
			out = append(out, e)
		}
	}
	return out
}

func oldOrNew(t *testing.T, nth int, pre, post, now []fingerprint.Entry) {
	t.Helper()
	for _, e := range append(pre, post...) {
		got, old, wanted := at(now, e.Path), at(post, e.Path), at(pre, e.Path)
		switch {
		case got.Type == fingerprint.Dir: // completed last
		case fingerprint.Equal(got, old), fingerprint.Equal(got, wanted):
		case got.Type == fingerprint.Absent && wanted.Type != fingerprint.Absent && old.Type != fingerprint.Absent:
			t.Errorf("point %d: %q is missing", nth, e.Path)
		default:
			t.Errorf("point %d: %q is neither old nor new", nth, e.Path)
		}
	}
}

// An operation that fails at any point leaves no path in between either, and
// the next attempt succeeds.
func TestFailingAnywhere(t *testing.T) {
	self, err := os.Executable()
	must(t, err)
	for nth := 1; ; nth++ {
		dir := filepath.Join(realTemp(t), "scene")
		m, pre, actions := scene(t, dir)
		post := scan(t, dir)
		data, err := json.Marshal(job{actions, m.blobs})
		must(t, err)
		file := filepath.Join(t.TempDir(), "job")
		must(t, os.WriteFile(file, data, 0o600))
		cmd := exec.Command(self)
		log := filepath.Join(t.TempDir(), "log")
		cmd.Env = append(os.Environ(), "WORKSPACE_TEST_CHILD="+file, "COUNTERSTEP_FAIL_LOG="+log,
			fmt.Sprintf("COUNTERSTEP_FAIL=*:%d:28", nth)) // ENOSPC
		cmd.Run()
		passed, err := os.ReadFile(log)
		must(t, err)
		oldOrNew(t, nth, pre, post, scan(t, dir))
		if nth%2 == 0 {
			again(t, m, pre, post, dir)
		} else {
			allDone(t, apply(t, m, actions...))
			sameState(t, pre, scan(t, dir))
		}
		if t.Failed() {
			t.Fatalf("point %d", nth)
		}
		remove(t, dir)
		if strings.Count(string(passed), "\n") < nth {
			return
		}
	}
}

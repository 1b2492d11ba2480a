package git_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/git"
)

// TestRehearsalNotices spoils a step in ways that firing would stumble over.
func TestRehearsalNotices(t *testing.T) {
	for name, spoil := range map[string]func(w *world, r *git.Remote){
		"a tip that nobody has": func(_ *world, r *git.Remote) { r.Refs[0].Old = git.OID(strings.Repeat("12", 20)) },
		"a tip that is no commit": func(w *world, r *git.Remote) {
			r.Refs[0].Old = git.OID(w.run("work", "rev-parse", "HEAD^{tree}"))
		},
		"names that exclude each other": func(_ *world, r *git.Remote) {
			second := r.Refs[0]
			second.Name += "/below"
			r.Refs = append(r.Refs, second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.setup()
			plan, r := w.arm(w.call("-f", "origin", "main"))
			bad := r
			bad.Refs = []git.Ref{r.Refs[0]}
			spoil(w, &bad)
			if err := w.door.Rehearse(t.Context(), bad, &plan.Layout, w.store); !errors.Is(err, git.ErrNotRestored) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestRehearsalLeavesNothing compares every file around before and after.
func TestRehearsalLeavesNothing(t *testing.T) {
	w := newWorld(t)
	w.setup()
	plan, r := w.arm(w.call("--mirror", "origin"))
	list := func() map[string]string {
		out := map[string]string{}
		err := filepath.WalkDir(w.root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				out[path] = "directory"
				return err
			}
			data, err := os.ReadFile(path)
			out[path] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := list()
	if err := w.door.Rehearse(t.Context(), r, &plan.Layout, w.store); err != nil {
		t.Fatal(err)
	}
	after := list()
	for path, text := range after {
		if before[path] != text {
			t.Errorf("%s is new or changed", path)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d entries, %d before", len(after), len(before))
	}
}

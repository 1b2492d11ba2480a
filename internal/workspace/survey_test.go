package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// surveyed is a small tree and what a survey finds in it.
func surveyed(t *testing.T, o workspace.SurveyOptions, also ...string) (root string, v *workspace.View, seen map[string]*workspace.Seen) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"a": "one", "d/b": "two", "d/e/c": "three", "out/x": "x"} {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	roots := []string{root}
	for _, a := range also {
		roots = append(roots, filepath.Join(root, a))
	}
	if v, err = workspace.Survey(context.Background(), roots, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Close)
	seen = map[string]*workspace.Seen{}
	v.Each(func(s *workspace.Seen) {
		rel, _ := filepath.Rel(root, s.Path)
		if seen[rel] != nil {
			t.Errorf("%s was found twice", rel)
		}
		seen[rel] = s
	})
	return root, v, seen
}

func TestSurveyLeavesOutWhatIsAsked(t *testing.T) {
	because := errors.New("not this one")
	_, _, seen := surveyed(t, workspace.SurveyOptions{Leave: func(dir string) error {
		if filepath.Base(dir) == "out" {
			return because
		}
		return nil
	}}, "d", "none")
	if len(seen) != 8 || seen["out/x"] != nil || seen["out"].Trouble != because || seen["out"].Type != fingerprint.Dir {
		t.Errorf("found %v", seen)
	}
	if s := seen["a"]; s.Size != 3 || s.CTime == 0 || s.XXH != 0 || s.SHA != [32]byte{} {
		t.Errorf("a: %+v", s)
	}
	if seen["link"].Target != "" {
		t.Error("a link was read")
	}
}

// A root below a directory that is left out is looked at all the same.
func TestSurveyLooksAtANamedRoot(t *testing.T) {
	_, _, seen := surveyed(t, workspace.SurveyOptions{Leave: func(dir string) error {
		if filepath.Base(dir) == "d" {
			return errors.New("left")
		}
		return nil
	}}, "d/e", "a")
	if seen["d/b"] != nil || seen["d/e/c"] == nil {
		t.Errorf("found %v", seen)
	}
}

func TestReadCompletesWhatWasSeen(t *testing.T) {
	root, v, seen := surveyed(t, workspace.SurveyOptions{})
	if err := os.Remove(filepath.Join(root, "d", "b")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "a"), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	list := []*workspace.Seen{seen["a"], seen["link"], seen["d"], seen["d/b"], seen["d/e/c"]}
	if err := v.Read(context.Background(), list, workspace.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	if a := seen["a"]; a.Size != 7 || a.XXH != fingerprint.ContentOf([]byte("changed")) || a.Trouble != nil {
		t.Errorf("a: %+v", a)
	}
	if seen["link"].Target != "a" || seen["d/b"].Type != fingerprint.Absent {
		t.Errorf("link %+v, gone %+v", seen["link"], seen["d/b"])
	}
	want, err := workspace.Scan(context.Background(), filepath.Join(root, "d", "e", "c"))
	if err != nil || !fingerprint.Equal(want[0], seen["d/e/c"].Entry) || want[0].SHA != seen["d/e/c"].SHA {
		t.Errorf("c: %+v, %v", seen["d/e/c"], err)
	}
}

func TestReadStopsAndFollowsNoLink(t *testing.T) {
	root, v, seen := surveyed(t, workspace.SurveyOptions{})
	if err := os.Remove(filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("d/b", filepath.Join(root, "a")); err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	n := 0
	list := []*workspace.Seen{seen["a"], seen["out/x"]}
	err := v.Read(context.Background(), list, workspace.ReadOptions{Stop: func() error {
		if n++; n > 1 {
			return enough
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	var changed *workspace.ChangedError
	stopped := slices.IndexFunc(list, func(s *workspace.Seen) bool { return s.Trouble == enough })
	if stopped < 0 || stopped == 0 && seen["out/x"].Trouble != nil {
		t.Errorf("a: %v, x: %v", seen["a"].Trouble, seen["out/x"].Trouble)
	}
	if stopped != 0 && !errors.As(seen["a"].Trouble, &changed) {
		t.Errorf("a became a link: %v", seen["a"].Trouble)
	}
}

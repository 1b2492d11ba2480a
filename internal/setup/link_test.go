package setup

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLink(t *testing.T) {
	root, store := t.TempDir(), t.TempDir()
	path := filepath.Join(root, ".counterstep")
	for _, to := range []string{"/somewhere/else", store, store} {
		if err := Link(root, to); err != nil {
			t.Fatal(err)
		}
		if got, err := os.Readlink(path); err != nil || got != to {
			t.Errorf("link to %q, %v; want %q", got, err, to)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(path, "kept"), "x")
	if err := Link(root, store); err == nil || get(t, filepath.Join(path, "kept")) != "x" {
		t.Errorf("something in the way: %v", err)
	}
}

func TestExclude(t *testing.T) {
	top := t.TempDir()
	if added, err := Exclude(top); added || err != nil {
		t.Errorf("without a repository: %v, %v", added, err)
	}
	file := filepath.Join(top, ".git/info/exclude")
	put(t, file, "*.o")
	sub := filepath.Join(top, "a/b")
	worktree := filepath.Join(top, "wt")
	put(t, filepath.Join(worktree, ".git"), "gitdir: ../.git/worktrees/wt\n")
	put(t, filepath.Join(top, ".git/worktrees/wt/commondir"), "../..\n")
	for _, c := range []struct {
		root, want string
		added      bool
	}{
		{top, "*.o\n/.counterstep\n", true},
		{top, "*.o\n/.counterstep\n", false},
		{worktree, "*.o\n/.counterstep\n", false},
		{sub, "*.o\n/.counterstep\n/a/b/.counterstep\n", true},
	} {
		if added, err := Exclude(c.root); err != nil || added != c.added || get(t, file) != c.want {
			t.Errorf("%s: %v, %v, %q", c.root, added, err, get(t, file))
		}
	}
}

// TestExcludeNeverWritesThroughALink: an unpacked repository may have any .git.
func TestExcludeNeverWritesThroughALink(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "exclude")
	put(t, victim, "mine")
	for _, link := range []string{"info/exclude", "info"} {
		top := t.TempDir()
		path := filepath.Join(top, ".git", link)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		to := victim
		if link == "info" {
			to = filepath.Dir(victim)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		if _, err := Exclude(top); err == nil || get(t, victim) != "mine" {
			t.Errorf("%s: %v, %q", link, err, get(t, victim))
		}
	}
}

package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// home is a home directory with a state directory in it.
func home(t *testing.T) (workspace.Registry, string) {
	t.Helper()
	dir := realTemp(t)
	return workspace.Registry{Home: dir}, filepath.Join(dir, ".local", "state")
}

func realTemp(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func mkdirs(t *testing.T, paths ...string) {
	t.Helper()
	for _, p := range paths {
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindRegistered(t *testing.T) {
	r, state := home(t)
	outer, inner := filepath.Join(r.Home, "outer"), filepath.Join(r.Home, "outer", "in\xffner")
	deep := filepath.Join(inner, "a", "b")
	mkdirs(t, deep, filepath.Join(inner, "a", ".git"))
	os.WriteFile(filepath.Join(inner, "a", ".git", "HEAD"), nil, 0o600)
	for _, dir := range []string{outer, inner, inner} {
		ws, err := r.Register(state, dir)
		if err != nil || ws.Root != dir || !ws.Registered {
			t.Fatalf("register: %v, %v", ws, err)
		}
	}
	lines, _ := os.ReadFile(filepath.Join(state, "counterstep", "workspaces.jsonl"))
	if n := strings.Count(string(lines), "\n"); n != 2 {
		t.Errorf("%d lines in\n%s", n, lines)
	}
	// The nearest registered one wins, before any git work tree.
	for cwd, want := range map[string]string{
		deep: inner, inner: inner, outer: outer, filepath.Join(outer, "gone", "away"): outer,
	} {
		ws, err := r.Find(state, cwd)
		if err != nil || ws.Root != want || !ws.Registered {
			t.Errorf("find %q: %v, %v", cwd, ws, err)
		}
	}
}

// A directory that took the place of a registered one is not that one.
func TestFindDoesNotTakeAReplacement(t *testing.T) {
	r, state := home(t)
	dir := filepath.Join(r.Home, "w")
	mkdirs(t, dir)
	if _, err := r.Register(state, dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	mkdirs(t, dir)
	ws, err := r.Find(state, dir)
	if err != nil || ws.Registered || ws.Root != dir {
		t.Errorf("got %v, %v", ws, err)
	}
}

func TestFindGit(t *testing.T) {
	r, state := home(t)
	repo := filepath.Join(r.Home, "repo")
	linked := filepath.Join(repo, "trees", "x")
	mkdirs(t, filepath.Join(repo, ".git"), filepath.Join(repo, "sub", "dir"), filepath.Join(linked, "y"),
		filepath.Join(repo, "sub", ".git")) // not a repository: no HEAD
	os.WriteFile(filepath.Join(repo, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600)
	os.WriteFile(filepath.Join(linked, ".git"), []byte("gitdir: /elsewhere\n"), 0o600)
	find := func(cwd, want string, registered bool) {
		t.Helper()
		if ws, err := r.Find(state, cwd); err != nil || ws.Root != want || ws.Registered != registered {
			t.Errorf("find %q: %v, %v", cwd, ws, err)
		}
	}
	find(filepath.Join(repo, "sub", "dir"), repo, false)
	find(filepath.Join(linked, "y"), linked, false)
	if _, err := r.Register(state, repo); err != nil {
		t.Fatal(err)
	}
	find(filepath.Join(linked, "y"), repo, true)
}

func TestFindFallsBackToTheDirectory(t *testing.T) {
	r, state := home(t)
	dir := filepath.Join(r.Home, "plain", "sub")
	mkdirs(t, dir, filepath.Join(r.Home, ".git")) // dotfiles kept in git: never the workspace
	os.WriteFile(filepath.Join(r.Home, ".git", "HEAD"), nil, 0o600)
	link := filepath.Join(r.Home, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{dir, link} {
		if ws, err := r.Find(state, cwd); err != nil || ws.Root != dir || ws.Registered {
			t.Errorf("find %q: %v, %v", cwd, ws, err)
		}
	}
}

func TestFindRefusesHomeAndRoot(t *testing.T) {
	r, state := home(t)
	for _, dir := range []string{r.Home, "/", filepath.Dir(r.Home)} {
		if ws, err := r.Find(state, dir); err == nil || len(hint.Of(err)) == 0 {
			t.Errorf("find %q: %v, %v", dir, ws, err)
		}
		if ws, err := r.Register(state, dir); err == nil || len(hint.Of(err)) == 0 {
			t.Errorf("register %q: %v, %v", dir, ws, err)
		}
	}
	file := filepath.Join(r.Home, "file")
	os.WriteFile(file, nil, 0o600)
	if _, err := r.Register(state, file); err == nil {
		t.Error("a file was registered")
	}
	if _, err := r.Find(state, "relative"); err == nil {
		t.Error("a relative directory was found")
	}
}

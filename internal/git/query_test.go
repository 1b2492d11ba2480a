package git_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/git"
)

// TestQueryAnswersAsGit compares the door with git itself in an honest
// repository.
func TestQueryAnswersAsGit(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.write("work/.gitignore", "*.log\n")
	w.write("work/a.log", "x")
	w.write("work/new dir/ü", "x")
	w.write("work/sub/deep", "x")
	w.write("work/f-one", "changed")
	w.write("work/.git/info/exclude", "/hidden\n")
	w.write("work/hidden", "x")
	w.run("work", "add", "sub/deep")
	w.run("work", "stash", "push", "-q", "-u")
	w.run("work", "stash", "apply", "-q")
	w.copy(w.path("work"), w.path("single"))
	w.run("work", "worktree", "add", "-q", w.path("linked"), "dev")
	for _, in := range []string{"work", "work/sub", "linked"} {
		for _, args := range []string{
			"ls-files -z", "ls-files -s", "ls-files -o --exclude-standard", "ls-files -oi --exclude-standard", "ls-files -m",
			"status --porcelain -z", "status --porcelain=v2 --branch --ignored", "diff --name-only", "diff --name-status HEAD", "diff --cached --name-only -z",
			"rev-parse HEAD", "rev-parse --show-toplevel", "rev-parse --show-prefix", "rev-parse --abbrev-ref HEAD", "rev-parse --short HEAD~1",
			"symbolic-ref HEAD", "symbolic-ref -q --short HEAD", "for-each-ref", "for-each-ref --format=%(refname) refs/tags", "branch --list --all",
			"branch --show-current", "branch --list --merged=main", "tag -l", "merge-base main dev", "rev-list --count main..dev", "log --format=%H%x00%s -2",
			"ls-tree -r --name-only HEAD", "cat-file -t HEAD", "cat-file -p HEAD:f-one", "check-ignore a.log hidden f-one", "stash list", "remote -v",
			"clean -ndx", "clean -nd -- .",
		} {
			dir, list := in, strings.Fields(args)
			if list[0] == "branch" && list[1] == "--list" {
				_, err := w.door.Query(t.Context(), w.path(dir), list...)
				if !errors.Is(err, git.ErrNotQuery) {
					t.Errorf("branches beside other worktrees: %v", err)
				}
				dir = "single"
			}
			want, err := w.try(dir, list...)
			if err != nil {
				t.Fatal(err)
			}
			got, err := w.door.Query(t.Context(), w.path(dir), list...)
			if string(got) != string(want.Stdout) || (err == nil) != (want.Code == 0) {
				t.Errorf("%s: git %s\ngot  %q %v\nwant %q %d %s", dir, args, got, err, want.Stdout, want.Code, want.Stderr)
			}
		}
	}
}

func TestQueryRefusesWhatIsNoQuery(t *testing.T) {
	w := newWorld(t)
	w.setup()
	for _, args := range []string{
		"", "push", "commit -m x", "checkout main", "reset --hard", "gc", "-c core.pager=x log", "branch x", "branch -D main", "branch --list -D main",
		"tag v9", "tag -d v1", "clean -fd", "clean -fdx", "clean -e -n -f", "diff --output=x", "diff --outp=x", "diff --ext-diff", "log -p --ext-diff", "diff --textconv",
		"log --show-signature", "ls-files --recurse-submodules", "status --ignore-submodules=none", "rev-parse --git-dir", "symbolic-ref HEAD refs/heads/x",
		"symbolic-ref -d HEAD", "stash", "stash drop", "stash list drop", "remote remove origin", "remote show origin", "config x.y z", "ls-remote origin", "fetch",
		"cat-file --textconv HEAD:x", "cat-file --filters HEAD:x", "hash-object -w x", "archive HEAD", "grep -Ox y", "rev-list --disk-usage", "log --output=x",
	} {
		if out, err := w.door.Query(t.Context(), w.path("work"), strings.Fields(args)...); !errors.Is(err, git.ErrNotQuery) {
			t.Errorf("git %s: %q, %v", args, out, err)
		}
	}
	if _, err := w.door.Query(t.Context(), w.path("home"), "ls-files"); !errors.Is(err, git.ErrNoRepository) {
		t.Errorf("outside a repository: %v", err)
	}
}

func TestAlias(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.write("work/more", "[alias]\n\tincluded = \"!rm -rf /\"\n")
	w.run("work", "config", "include.path", w.path("work/more"))
	w.run("work", "config", "alias.nuke", "reset --hard")
	w.run("", "config", "--global", "alias.both", "log")
	w.run("work", "config", "alias.both", "push --force")
	w.run("", "config", "--global", "alias.mine", "status")
	w.mkdir("work/sub")
	for _, c := range []struct{ dir, name, want string }{
		{"work", "nuke", "reset --hard"},
		{"work/sub", "NUKE", "reset --hard"},
		{"work", "included", "!rm -rf /"},
		{"work", "both", "push --force"},
		{"home", "both", "log"},
		{"home", "mine", "status"},
		{"home", "nuke", ""},
		{"work", "none", ""},
	} {
		got, ok := w.door.Alias(w.path(c.dir), c.name)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s in %s: %q, %v", c.name, c.dir, got, ok)
		}
	}
}

package classify

import (
	"strings"
	"testing"
)

// gitDisk is a fake with a repository in the workspace, a linked work tree of
// it, and a linked work tree of a repository elsewhere.
type gitDisk map[string]string

func (d gitDisk) Lstat(p string) (Info, error) {
	text, ok := d[p]
	switch {
	case !ok:
		return Info{Type: '-'}, nil
	case text == "/":
		return Info{Type: 'd'}, nil
	default:
		return Info{Type: 'f', Size: int64(len(text))}, nil
	}
}

func (d gitDisk) ReadDir(string) ([]string, error)           { return nil, nil }
func (d gitDisk) Readlink(string) (string, error)            { return "", nil }
func (d gitDisk) ReadFile(p string, _ int64) ([]byte, error) { return []byte(d[p]), nil }

func TestLocalGitIsBoundedWhereTheRepositoryIsHeld(t *testing.T) {
	disk := gitDisk{
		"/": "/", "/w": "/", "/w/.git": "/", "/w/sub": "/", "/w/tree": "/", "/w/tree/.git": "gitdir: /w/.git/worktrees/tree\n", "/w/far": "/", "/w/far/.git": "gitdir: /other/.git/worktrees/far\n",
		"/w/.git/worktrees/tree/commondir": "../..\n", "/other/.git/worktrees/far/commondir": "../..\n", "/elsewhere": "/", "/elsewhere/.git": "/",
	}
	for _, c := range []struct {
		cwd, command string
		want         Class
	}{
		{"/w", "git reset --hard HEAD~1", Bounded},
		{"/w/sub", "git checkout -- .", Bounded},
		{"/w", "git clean -fdx", Bounded},
		{"/w", "git stash drop", Bounded},
		{"/w", "git branch -D old", Bounded},
		{"/w", "git rebase main", Bounded},
		{"/w", "git commit --amend -m x", Bounded},
		{"/w/tree", "git reset --hard", Bounded},
		{"/w/far", "git reset --hard", Bounded},
		{"/w", "git -C /elsewhere reset --hard", Bounded},
		{"/w", "git -C ../elsewhere reset --hard", Bounded},
		{"/w", "git -C sub reset --hard", Bounded},
		{"/w", "cd ../elsewhere && git reset --hard", Bounded},
		{"/w", "git --git-dir=/elsewhere/.git reset --hard", Bounded},
		{"/w", "GIT_DIR=/elsewhere/.git git reset --hard", Bounded},
		{"/w", "git gc --prune=now", Bounded},
		{"/w", "git worktree remove --force ../x", Bounded},
		{"/w", "git update-index --force-remove a", Bounded},
		{"/w", `git -C "$X" reset --hard`, Irreversible},
		{"/w", "GIT_INDEX_FILE=/x git reset --hard", Irreversible},
		{"/w", "git lfs prune", Irreversible},
		{"/w", "git status", Inert},
	} {
		v := Command(Context{Cwd: c.cwd, Home: "/home", FS: disk, Workspace: "/w"}, c.command)
		if v.Class != c.want {
			t.Errorf("in %s, %s: %s, want %s (%+v)", c.cwd, c.command, v.Class, c.want, v.Refusals)
		}
	}
}

func TestWhatIsTooWideIsNoBound(t *testing.T) {
	for dir, wide := range map[string]bool{
		"/": true, "/tmp": true, "/etc": true, "/usr/lib/x": true, "/home": true, "/home/dev": true, "/home/dev/p": false,
		"/tmp/x": false, "/app": false, "/etc/x": false, "/var/www": false, "/opt/x": false,
	} {
		if got := TooWide(dir, "/home/dev"); got != wide {
			t.Errorf("%s: %v, want %v", dir, got, wide)
		}
	}
	disk := gitDisk{"/": "/", "/w": "/", "/tmp": "/", "/tmp/x.py": "code", "/data": "/"}
	v := Command(Context{Cwd: "/w", Home: "/home", FS: disk, Workspace: "/w"}, "mytool /tmp/x.py /tmp /data /tmp/new")
	if got := strings.Join(v.Dirs, " "); got != "/tmp/x.py /data /tmp/new" || len(v.Wide) != 1 || v.Wide[0] != "/tmp" {
		t.Errorf("the bound reaches %q, too wide are %q", v.Dirs, v.Wide)
	}
}

//go:build linux

package oracle

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// repoState is what a repository holds, by meaning.
type repoState struct {
	Head           string
	Refs           map[string]string
	Stash          []string
	Commits, Trees map[string]bool
	Blobs          map[string]bool
	Index          map[string]string
}

// asks is the script that reads a repository, one tag a line.
const asks = `
export GIT_OPTIONAL_LOCKS=0 GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=false GIT_CONFIG_KEY_1=core.hooksPath GIT_CONFIG_VALUE_1=/dev/null
cd "$0" 2>/dev/null || exit 0
g=$(git rev-parse --absolute-git-dir 2>/dev/null) || exit 0
case $g in "$0" | "$0/.git") ;; *) exit 0 ;; esac
echo "H $(git symbolic-ref -q HEAD) $(git rev-parse -q --verify HEAD)"
git for-each-ref --format='R %(refname) %(objectname)'
git reflog show refs/stash --format='S %H' 2>/dev/null
git rev-list --all HEAD 2>/dev/null | sed 's/^/C /'
git ls-files -s 2>/dev/null | sed 's/^/I /'
git ls-tree -r HEAD 2>/dev/null | sed 's/^/T /'
git cat-file --batch-all-objects --unordered --batch-check='B %(objectname) %(objecttype)' 2>/dev/null | grep ' blob$'
`

// repos are the repositories of the fixture.
func repos() []string { return []string{app, home + "/remote.git", home + "/sibling"} }

// readRepo reads one; a repository that is gone has no refs at all.
func readRepo(dir string, env []string) repoState {
	s := repoState{Refs: map[string]string{}, Commits: map[string]bool{}, Trees: map[string]bool{}, Blobs: map[string]bool{}, Index: map[string]string{}}
	cmd := exec.Command("/usr/bin/dash", "-c", asks, dir)
	cmd.Env, cmd.Dir = env, "/"
	out, _ := cmd.Output()
	for line := range strings.Lines(string(out)) {
		tag, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		fields := strings.Fields(rest)
		switch {
		case tag == "H":
			s.Head = rest
		case tag == "R" && len(fields) == 2:
			s.Refs[fields[0]] = fields[1]
		case tag == "B" && len(fields) == 2:
			s.Blobs[fields[0]] = true
		case tag == "S":
			s.Stash = append(s.Stash, rest)
		case tag == "C":
			s.Commits[rest] = true
		case tag == "I" && len(fields) > 3:
			_, path, _ := strings.Cut(rest, "\t")
			s.Index[path] = fields[1]
		case tag == "T" && len(fields) > 2:
			s.Trees[fields[2]] = true
		}
	}
	return s
}

// lost says what of a is not in b any more. Staged content that was staged over
// or committed is not lost: git keeps it as an object.
func (a repoState) lost(b repoState) []string {
	var list []string
	for ref, id := range a.Refs {
		now, there := b.Refs[ref]
		switch {
		case ref == "refs/stash":
		case !there:
			list = append(list, "ref "+ref+" is gone")
		case now != id && !b.Commits[id]:
			list = append(list, "ref "+ref+" left commits behind")
		}
	}
	for _, id := range a.Stash {
		if !slices.Contains(b.Stash, id) {
			list = append(list, "a stash is gone")
		}
	}
	for path, id := range a.Index {
		if _, tracked := b.Index[path]; b.Index[path] != id && !a.Trees[id] && !(tracked && b.Blobs[id]) {
			list = append(list, "staged content of "+path+" is gone")
		}
	}
	slices.Sort(list)
	return list
}

// differs says in which way b is not what a was: for a firing. Where a remote
// was last seen is not part of it: the next fetch says so again.
func (a repoState) differs(b repoState) []string {
	var list []string
	if a.Head != b.Head {
		list = append(list, "HEAD")
	}
	for ref, id := range a.Refs {
		if b.Refs[ref] != id && !strings.HasPrefix(ref, "refs/remotes/") {
			list = append(list, ref)
		}
	}
	if !slices.Equal(a.Stash, b.Stash) {
		list = append(list, "stash")
	}
	for path, id := range a.Index {
		if b.Index[path] != id {
			list = append(list, "index of "+filepath.Base(path))
		}
	}
	slices.Sort(list)
	return list
}

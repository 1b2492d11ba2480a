package fire

import (
	"path"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// Of a repository's own files some only make sense together. What is checked
// out is one unit: HEAD, its branch, the index, and what is in progress. Every
// other ref is one with its reflog. When somebody moved a part of a unit since,
// the whole unit stays as it is, and the others go back: a branch that the call
// took away comes back although there is a new commit on another.

// headUnit is the unit of what is checked out.
const headUnit = "HEAD"

// unit names what a file of a git directory belongs to. Branches are those that
// are, or were, checked out.
func unit(name string, branches []string) string {
	for _, sub := range []string{"worktrees/", "modules/"} {
		if rest, ok := strings.CutPrefix(name, sub); ok {
			who, _, _ := strings.Cut(rest, "/")
			return sub + who
		}
	}
	ref := strings.TrimPrefix(name, "logs/")
	switch {
	case slices.Contains(branches, ref):
		return headUnit
	case strings.HasPrefix(ref, "refs/"):
		return ref
	case name == "packed-refs", name == "config", name == "shallow", strings.HasPrefix(name, "info/"), isScrap(name):
		return name
	}
	return headUnit
}

// isScrap reports a file in which git only remembers what it did last.
func isScrap(name string) bool {
	switch name {
	case "ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "gitk.cache", "description":
		return true
	}
	return strings.HasPrefix(name, "objects/")
}

// repositories keeps the units of each repository together. Nothing is ever put
// beside a ref, where git would take it for one.
func (j *job) repositories() {
	moved := map[[2]string]bool{}
	branches := map[string][]string{}
	of := func(p string) ([2]string, bool) {
		p = j.unsuffixed(p)
		dir, ok := j.gitDir(p)
		if !ok {
			return [2]string{}, false
		}
		if _, known := branches[dir]; !known {
			branches[dir] = j.branches(dir)
		}
		return [2]string{dir, unit(p[len(dir)+1:], branches[dir])}, true
	}
	for _, d := range j.undo.Drift {
		if u, ok := of(d.Path); ok {
			moved[u] = true
		}
	}
	if len(moved) == 0 {
		return
	}
	stays := func(p string) bool {
		u, ok := of(p)
		return ok && moved[u]
	}
	j.undo.Actions = slices.DeleteFunc(j.undo.Actions, func(a workspace.Action) bool { return stays(a.Entry.Path) })
	j.undo.Drift = slices.DeleteFunc(j.undo.Drift, func(d inverse.Drift) bool { return stays(d.Path) })
	j.undo.Bystanders = slices.DeleteFunc(j.undo.Bystanders, stays)
	for u := range moved {
		l := Line{Path: u[0], Do: "keep", Status: workspace.StatusKept, Reason: "the repository was used after the call, so what is checked out stays: HEAD, its branch and the index; see git reflog"}
		switch {
		case isScrap(u[1]):
			continue
		case u[1] != headUnit:
			l.Path, l.Reason = u[0]+"/"+u[1], "changed after the call"
		}
		j.skipped = append(j.skipped, l)
	}
	slices.SortFunc(j.skipped, func(a, b Line) int { return strings.Compare(a.Path, b.Path) })
}

// branches are the refs that HEAD of a git directory names or named.
func (j *job) branches(dir string) []string {
	head := path.Join(dir, "HEAD")
	var out []string
	add := func(text []byte) {
		if ref, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: "); ok && !slices.Contains(out, ref) {
			out = append(out, ref)
		}
	}
	for _, e := range j.pre {
		if e.Path == head {
			text, _ := j.before(e)
			add(text)
		}
	}
	for _, e := range j.post {
		if e.Path == head {
			text, _ := j.after(e)
			add(text)
		}
	}
	if _, text, err := Look(j.ctx, head); err == nil {
		add(text)
	}
	return out
}

package fire

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/ledger"
)

// maxRefsRead bounds how many refs of a repository are compared.
const maxRefsRead = 10_000

// MovedRef is a ref, or HEAD, that is not what it was at the point, and that the
// rewind leaves. Who moved it need not be known: a plain commit destroys nothing,
// so nothing is recorded of it.
type MovedRef struct {
	Repository ledger.Name `json:"repository"`
	// Ref is the full name of a ref, HEAD, or worktrees/NAME/HEAD.
	Ref string `json:"ref"`
	// Was and Now are object ids, or a ref that HEAD stands for; empty where there
	// was or is none.
	Was string `json:"was,omitempty"`
	Now string `json:"now,omitempty"`
}

// movedRefs compares the refs of the repositories in the checkpoint with those of
// now. Refs in reftables are not compared.
func (w *rewind) movedRefs(ctx context.Context) []MovedRef {
	if w.base == nil {
		return nil
	}
	was := map[string]map[string]string{} // git directory → file → what it says
	for _, e := range w.base.Under(w.o.Root) {
		dir, ok := gitDir(e.Path)
		if !ok || e.Type != fingerprint.File || !isRefFile(e.Path[len(dir)+1:]) {
			continue
		}
		if was[dir] == nil {
			was[dir] = map[string]string{}
		}
		if r, err := w.base.Open(e); err == nil {
			text, _ := readAll(r, e)
			was[dir][e.Path[len(dir)+1:]] = string(text)
		}
	}
	var out []MovedRef
	for _, dir := range sortedKeys(was) {
		if _, whole := was[dir]["HEAD"]; !whole || !w.among(dir) {
			continue
		}
		then, now := refsIn(was[dir]), refsIn(w.planned(dir, present(ctx, dir)))
		names := sortedKeys(then)
		for n := range now {
			if _, known := then[n]; !known {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		for _, n := range names {
			if then[n] != now[n] {
				out = append(out, MovedRef{Repository: ledger.Name(dir), Ref: n, Was: then[n], Now: now[n]})
			}
		}
	}
	return out
}

// planned is what the files of a git directory say once the rewind is done.
func (w *rewind) planned(dir string, files map[string]string) map[string]string {
	for _, a := range w.job.undo.Actions {
		name, ok := strings.CutPrefix(a.Entry.Path, dir+"/")
		switch {
		case !ok || !isRefFile(name):
		case a.Op == workspace.Remove:
			delete(files, name)
		case a.Op == workspace.Put && a.Entry.Type == fingerprint.File:
			if r, err := w.job.open(a.Entry); err == nil {
				text, _ := readAll(r, a.Entry)
				files[name] = string(text)
			}
		}
	}
	return files
}

// isRefFile reports a file of a git directory that says where a ref is.
func isRefFile(name string) bool {
	if rest, ok := strings.CutPrefix(name, "worktrees/"); ok {
		_, file, _ := strings.Cut(rest, "/")
		return file == "HEAD"
	}
	return name == "HEAD" || name == "packed-refs" || strings.HasPrefix(name, "refs/")
}

// present reads the files of a git directory that say where its refs are.
func present(ctx context.Context, dir string) map[string]string {
	out := map[string]string{}
	read := func(p string) {
		if _, text, err := Look(ctx, p); err == nil {
			out[p[len(dir)+1:]] = string(text)
		}
	}
	read(filepath.Join(dir, "HEAD"))
	read(filepath.Join(dir, "packed-refs"))
	for _, sub := range []string{"refs", "worktrees"} {
		n := 0
		err := filepath.WalkDir(filepath.Join(dir, sub), func(p string, d fs.DirEntry, err error) error {
			switch n++; {
			case err != nil || n > maxRefsRead || ctx.Err() != nil:
				return cmp.Or(err, ctx.Err(), fs.SkipAll)
			case d.Type().IsRegular() && isRefFile(p[len(dir)+1:]):
				read(p)
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return out // what could be read is compared; this is for people
		}
	}
	return out
}

// refsIn reads refs out of files: loose ones count before packed ones.
func refsIn(files map[string]string) map[string]string {
	refs := map[string]string{}
	for line := range strings.Lines(files["packed-refs"]) {
		id, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && strings.HasPrefix(name, "refs/") {
			refs[name] = id
		}
	}
	for name, text := range files {
		if name != "packed-refs" {
			refs[name] = strings.TrimPrefix(strings.TrimSpace(text), "ref: ")
		}
	}
	return refs
}

// ranGit are the numbers of the recorded calls since the point that ran git.
func (w *rewind) ranGit() []int {
	var out []int
	for _, s := range w.sagas {
		if s.Armed.Seq > w.to.since() && s.Number > 0 && s.Armed.Undoes == "" && slices.Contains(strings.Fields(s.Armed.Command), "git") {
			out = append(out, s.Number)
		}
	}
	return out
}

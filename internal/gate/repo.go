package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// errRepo marks a repository that cannot be held.
var errRepo = errors.New("what git would throw away cannot be held")

// local finds the repositories in which a call may throw something away, and
// takes what of them lies outside the workspace into the bound. A directory
// that has no repository has nothing to lose; whether it gets one from an
// earlier part of the line only matters where the bound does not reach.
func (g *Gate) local(ws workspace.Workspace, v *classify.Verdict) ([]git.Layout, error) {
	var out []git.Layout
	for _, r := range v.Repositories {
		l, err := git.At(classify.Push{Dir: r.Dir, GitDir: r.GitDir, WorkTree: r.WorkTree})
		switch {
		case errors.Is(err, git.ErrNoRepository) && within(r.Dir, ws.Root):
			continue
		case err != nil:
			return nil, fmt.Errorf("%w: %w", errRepo, err)
		}
		for _, dir := range []string{l.WorkTree, l.CommonDir, l.GitDir} {
			if dir != "" && classify.TooWide(dir, real(g.Home)) {
				return nil, fmt.Errorf("%w: its work tree %q is more than a checkpoint holds", errRepo, dir)
			}
			if dir != "" && !within(dir, ws.Root) && !slices.ContainsFunc(v.Dirs, func(d string) bool { return within(dir, d) }) {
				v.Dirs = append(v.Dirs, dir)
			}
		}
		if !slices.ContainsFunc(out, func(have git.Layout) bool { return have.CommonDir == l.CommonDir }) {
			out = append(out, l)
		}
	}
	return out, nil
}

// reach is the verdict with the bound reaching the repositories that it names;
// a refusal where one cannot be reached.
func (g *Gate) reach(ws workspace.Workspace, v classify.Verdict) classify.Verdict {
	if v.Class != classify.Bounded || len(v.Repositories) == 0 || !g.bounds(ws) {
		return v
	}
	if _, err := g.local(ws, &v); err != nil {
		v.Class = classify.Irreversible
		v.Refusals = append(v.Refusals, classify.Refusal{Reason: err.Error(), Instead: noRepo})
	}
	return v
}

// noRepo is what would work instead where a repository cannot be held.
const noRepo = "name a repository that is there and that this version can read"

// holdObjects holds the objects of repositories, each in a store of its own.
func (g *Gate) holdObjects(ctx context.Context, st *store.Store, layouts []git.Layout, v classify.Verdict) ([]git.Objects, error) {
	var out []git.Objects
	for _, l := range layouts {
		door, err := g.door()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errRepo, err)
		}
		o, err := door.HoldObjects(ctx, l, st.ObjectsDir(), span(g.Now()))
		if err != nil {
			return nil, err
		}
		o.All = slices.ContainsFunc(v.Repositories, func(r classify.Repository) bool { return r.Objects })
		out = append(out, o)
	}
	return out, nil
}

// takesObjects reports that what the call took away shows in no file that a
// checkpoint holds.
func takesObjects(b *inverse.Bound) bool {
	return slices.ContainsFunc(b.Repos, func(o git.Objects) bool { return o.All })
}

// span names the time that a store of objects collects for.
func span(now time.Time) string { return now.UTC().Truncate(keepTime).Format("20060102") }

// releaseObjects removes the stores of objects whose time is over and that no
// payload needs any more.
func (g *Gate) releaseObjects(ctx context.Context, st *store.Store, b *books, now time.Time) error {
	var needed map[string]bool
	return git.DropObjects(ctx, st.ObjectsDir(), func(name string) bool {
		_, text, _ := strings.Cut(strings.TrimSuffix(name, ".git"), "-")
		from, err := time.Parse("20060102", text)
		if err != nil || now.Sub(from) <= 2*keepTime {
			return true
		}
		if needed == nil {
			needed = b.objects(st)
		}
		return needed == nil || needed[name]
	})
}

// objects lists the stores of objects that payloads need; nil when that cannot
// be told.
func (b *books) objects(st *store.Store) map[string]bool {
	out := map[string]bool{}
	for _, s := range b.sagas {
		if s.Manifest == "" || s.Status == ledger.IsForgotten || s.Status == ledger.IsCall || s.Armed.Class != classify.Bounded.String() {
			continue
		}
		call, err := callOf(st, s)
		if errors.Is(err, store.ErrNoPayload) {
			continue
		}
		if err != nil {
			return nil
		}
		if call.Bound == nil {
			continue
		}
		for _, o := range call.Bound.Repos {
			out[o.Store] = true
		}
	}
	return out
}

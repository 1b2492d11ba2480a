package gate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/store"
)

// errRemote marks what a remote or a repository makes impossible, as opposed
// to trouble of ours.
var errRemote = errors.New("the push cannot be taken back")

// remotes works out what the pushes of a call can lose and holds it. Plain is
// what they change without losing anything.
func (g *Gate) remotes(ctx context.Context, st *store.Store, v classify.Verdict) (held []git.Remote, layouts []git.Layout, plain []string, err error) {
	for i, e := range v.Effects {
		if e.Kind != classify.RefUpdate || e.Remote == nil {
			continue
		}
		door, err := g.door()
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%w: %w", errRemote, err)
		}
		plan, err := door.PlanPush(ctx, *e.Remote, git.PlanOptions{Moves: i > 0 || len(v.Parts) > 1})
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%w: %w", errRemote, err)
		}
		plain = append(plain, plan.Plain...)
		if !plan.Loses() {
			if len(plan.Plain) == 0 {
				plain = append(plain, "git push")
			}
			continue
		}
		rs, err := door.Capture(ctx, plan, st.RemoteDir())
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%w: %w", errRemote, err)
		}
		for _, r := range rs {
			if known(held, r) {
				return nil, nil, nil, fmt.Errorf("%w: one call pushes to %s twice; push once per call", errRemote, git.Shown(r.URL))
			}
			held, layouts = append(held, r), append(layouts, plan.Layout)
		}
	}
	return held, layouts, plain, nil
}

func known(held []git.Remote, r git.Remote) bool {
	for _, h := range held {
		if h.URL == r.URL {
			return true
		}
	}
	return false
}

// rehearseRemotes fires every remote step on a stand-in.
func (g *Gate) rehearseRemotes(ctx context.Context, st *store.Store, remotes []git.Remote, layouts []git.Layout) error {
	for i, r := range remotes {
		door, err := g.door()
		if err != nil {
			return err
		}
		if err := door.Rehearse(ctx, r, &layouts[i], st.RemoteDir()); err != nil {
			return fmt.Errorf("%w: %w", errRemote, err)
		}
	}
	return nil
}

// settleRemotes reads what the pushes left and keeps it beside the post-state.
func (g *Gate) settleRemotes(ctx context.Context, st *store.Store, p pending) ([]git.Remote, error) {
	if len(p.Remotes) == 0 {
		return nil, nil
	}
	door, err := g.door()
	if err != nil {
		return nil, err
	}
	var out []git.Remote
	for _, r := range p.Remotes {
		var l *git.Layout
		if found, err := git.Find(filepath.Dir(r.GitDir)); err == nil {
			l = &found
		}
		settled, err := door.Settle(ctx, r, l, st.RemoteDir())
		if err != nil {
			return nil, err
		}
		out = append(out, settled)
	}
	return out, nil
}

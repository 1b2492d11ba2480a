package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/hint"
)

// Plan is what a push would do to other repositories.
type Plan struct {
	Layout Layout
	// Remotes lists what can be lost, one entry per URL. Empty when nothing
	// can.
	Remotes []Remote
	// Plain describes, for people, what the push changes without being able to
	// lose anything; no inverse covers it.
	Plain []string
}

// Loses reports whether some ref can be deleted or moved by force.
func (p Plan) Loses() bool { return len(p.Remotes) > 0 }

// PlanOptions says what else the call does.
type PlanOptions struct {
	// Moves says that an earlier part of the call may create or move branches
	// or check out another one. Then a push that depends on the current branch
	// may reach any branch, and every branch of the remote is in the plan.
	Moves bool
}

// pushPlan is the work on one push.
type pushPlan struct {
	door   *Door
	opts   pushOptions
	layout Layout
	config config
	local  refSet
	target target
	mirror bool // refs of all kinds, and what this side lacks is deleted
	follow bool
	moves  bool

	shown   view
	cleanup func()
}

// PlanPush works out what a push would do, reading the repository's files and,
// when something can be lost, the refs of each remote. A push that cannot lose
// anything costs no connection. What cannot be worked out is an error that
// says why; the call must then be refused. When a remote did not answer, the
// error wraps ErrUnreachable.
func (d *Door) PlanPush(ctx context.Context, call classify.Push, o PlanOptions) (Plan, error) {
	p := &pushPlan{door: d, moves: o.Moves}
	defer p.close()
	if err := p.look(ctx, call); err != nil {
		return Plan{}, fmt.Errorf("plan push: %w", err)
	}
	out := Plan{Layout: p.layout}
	if p.opts.dryRun {
		return out, nil
	}
	rules, err := p.rules()
	switch {
	case errors.Is(err, errNothing) && p.moves:
		rules.byHead = true
	case errors.Is(err, errNothing) && !p.forced(nil):
		return out, nil
	case err != nil:
		return Plan{}, fmt.Errorf("plan push: %w", err)
	}
	if err := p.submodules(); err != nil {
		return Plan{}, fmt.Errorf("plan push: %w", err)
	}
	if !p.forced(rules.list) {
		for _, u := range p.target.urls {
			out.Plain = append(out.Plain, "push to "+Shown(u))
		}
		return out, nil
	}
	for _, u := range p.target.urls {
		r, plain, err := p.remote(ctx, u, rules)
		if err != nil {
			return Plan{}, fmt.Errorf("plan push: %w", err)
		}
		if len(r.Refs) > 0 {
			out.Remotes = append(out.Remotes, r)
		}
		out.Plain = append(out.Plain, plain...)
	}
	return out, nil
}

// look reads the options, the repository and its configuration.
func (p *pushPlan) look(ctx context.Context, call classify.Push) (err error) {
	if p.opts, err = parsePush(call.Args); err != nil {
		return err
	}
	if p.opts.receivePack != "" {
		return errors.New("--receive-pack names a program to run")
	}
	if p.layout, err = At(call); err != nil {
		return err
	}
	if p.config, err = p.door.config(p.layout, call.Config); err != nil {
		return err
	}
	if p.local, err = p.door.refs(ctx, p.layout); err != nil {
		return err
	}
	if p.follow, err = p.config.flag("push.followtags", false); err != nil {
		return err
	}
	if p.opts.followSet {
		p.follow = p.opts.follow
	}
	name := p.opts.repo
	if len(p.opts.args) > 0 {
		name = p.opts.args[0]
	}
	if name == "" {
		name = pushRemoteOf(p.config, p.local.branch())
	}
	if p.target, err = findTarget(p.config, p.layout, name); err != nil {
		return err
	}
	p.mirror = p.opts.mirror || p.target.mirror
	return nil
}

// forced reports whether the push could delete or move something by force.
func (p *pushPlan) forced(list []refspec) bool {
	if p.opts.force || p.opts.lease || p.opts.prune || p.mirror || p.opts.remove {
		return true
	}
	return slices.ContainsFunc(list, func(r refspec) bool { return r.force || r.hasDst && r.src == "" })
}

// submodules refuses a push that goes on in submodules with force.
func (p *pushPlan) submodules() error {
	how := p.opts.recurse
	if how == "" {
		how, _ = p.config.last("push.recursesubmodules")
		if on, err := p.config.flag("submodule.recurse", false); how == "" && err == nil && on {
			how = "on-demand"
		}
	}
	if how != "on-demand" && how != "only" || p.layout.WorkTree == "" {
		return nil
	}
	if _, err := readRegular(filepath.Join(p.layout.WorkTree, ".gitmodules"), maxFile); err != nil {
		return nil
	}
	return hint.New("push with --recurse-submodules=no, and each submodule by itself", "the push goes on in submodules (%s)", how)
}

// remote plans what is lost at one URL.
func (p *pushPlan) remote(ctx context.Context, url string, r rules) (Remote, []string, error) {
	out := Remote{Name: p.target.name, URL: url, GitDir: p.layout.GitDir, Format: p.layout.Format, Open: p.moves && r.byHead}
	if path, ok := localPath(url); ok {
		out.Embedded = p.layout.holds(path)
	}
	there, err := p.door.read(ctx, url, p.layout.GitDir)
	if err != nil {
		return out, nil, err
	}
	if there.format != "" && there.format != p.layout.Format {
		return out, nil, fmt.Errorf("%s has %s objects, the repository has %s", Shown(url), there.format, p.layout.Format)
	}
	updates, err := p.match(ctx, r, there.list)
	if err != nil && !(out.Open && errors.Is(err, errNothing)) {
		return out, nil, err
	}
	if out.Open {
		updates = p.anyBranch(updates, there.list)
	}
	var plain []string
	for _, u := range updates {
		old := there.find(u.dst)
		if p.moves && u.src != "" {
			u.new = Unknown
		}
		switch {
		case u.src == "" && old == Absent && !p.moves:
			// Deleting what is not there: git refuses it, or does nothing.
		case p.losing(u):
			out.Refs = append(out.Refs, Ref{Name: u.dst, Src: u.src, Old: old, New: u.new, Post: Unknown})
		default:
			plain = append(plain, "push to "+u.dst+" of "+Shown(url))
		}
	}
	slices.SortFunc(out.Refs, func(a, b Ref) int { return strings.Compare(a.Name, b.Name) })
	return out, plain, nil
}

// holds reports whether the repository at path lies within l, in its work tree
// or as another of its worktrees.
func (l Layout) holds(path string) bool {
	places := []string{resolved(path)}
	if other, err := Find(path); err == nil {
		places = append(places, other.CommonDir)
	}
	for _, p := range places {
		if within(p, l.CommonDir) || l.WorkTree != "" && within(p, l.WorkTree) {
			return true
		}
	}
	return false
}

// losing reports whether u deletes or goes by force.
func (p *pushPlan) losing(u update) bool {
	if u.src == "" || u.force || p.opts.force || p.mirror || p.opts.leaseAll || p.opts.prune && p.moves {
		return true
	}
	return slices.ContainsFunc(p.opts.leased, func(name string) bool { return abbreviates(name, u.dst) })
}

// anyBranch adds every branch of the remote: which of them the push reaches is
// decided by a part of the call that has not run yet.
func (p *pushPlan) anyBranch(updates []update, there []ref) []update {
	have := map[string]bool{}
	for _, u := range updates {
		have[u.dst] = true
	}
	for _, r := range there {
		if !have[r.Name] && strings.HasPrefix(r.Name, "refs/heads/") {
			updates = append(updates, update{dst: r.Name, src: r.Name, new: Unknown, force: true})
		}
	}
	return updates
}

// view shows the repository to git, made when it is first needed.
func (p *pushPlan) view() (view, error) {
	if p.cleanup == nil {
		v, remove, err := p.door.view(p.layout, p.local)
		if err != nil {
			return view{}, err
		}
		p.shown, p.cleanup = v, remove
	}
	return p.shown, nil
}

func (p *pushPlan) close() {
	if p.cleanup != nil {
		p.cleanup()
	}
}

// resolved is path without links, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

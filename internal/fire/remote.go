package fire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/inverse"
)

// errIndeterminate says that it is not known what a remote has now.
var errIndeterminate = errors.New("it is not known whether the remote took it")

// readLeft fills in what the call left besides its exact scope.
func (j *job) readLeft(data []byte) error {
	var left inverse.Left
	if err := json.Unmarshal(data, &left); err != nil {
		return fmt.Errorf("read what the call left: %w", err)
	}
	if left.Bound != nil {
		j.call.Bound = left.Bound
	}
	for i := range j.remotes {
		for _, s := range left.Remotes {
			if s.URL == j.remotes[i].URL {
				j.remotes[i] = s
			}
		}
	}
	return nil
}

func (e *Engine) door() (*git.Door, error) {
	if e.Git == nil {
		return nil, errors.New("no git to reach the remote with")
	}
	return e.Git()
}

// warn tells what others lose by putting the remotes back.
func (e *Engine) warn(ctx context.Context, j *job) []Warning {
	var out []Warning
	for _, r := range j.remotes {
		w := Warning{Remote: git.Shown(r.Name), URL: git.Shown(r.URL), Commits: -1}
		for _, ref := range r.Refs {
			w.Refs = append(w.Refs, ref.Name)
		}
		if d, err := e.door(); err == nil {
			seen, unread := d.Observe(ctx, r)
			if v, err := d.Vanish(ctx, r, seen, e.Store.RemoteDir()); err == nil {
				if v.Known && unread == nil {
					w.Commits = v.Commits
				}
				for _, t := range v.Tips {
					w.Tips = append(w.Tips, string(t))
				}
			}
		}
		out = append(out, w)
	}
	return out
}

// Warning says what a remote loses when a saga is fired.
type Warning struct {
	Remote string   `json:"remote"`
	URL    string   `json:"url"`
	Refs   []string `json:"refs"`
	// Commits is how many commits no ref of the remote reaches any more; -1
	// when that cannot be told.
	Commits int `json:"commits"`
	// Tips are the object ids that bring them back.
	Tips []string `json:"tips,omitempty"`
}

// String is one line for people.
func (w Warning) String() string {
	refs := make([]string, len(w.Refs))
	for i, r := range w.Refs {
		refs[i] = strings.TrimPrefix(r, "refs/heads/")
	}
	text := fmt.Sprintf("%s %s", w.Remote, strings.Join(refs, ", "))
	switch {
	case w.Commits == 0:
		text += ": no commit vanishes"
	case w.Commits == 1:
		text += ": 1 commit vanishes from it"
	case w.Commits > 1:
		text += fmt.Sprintf(": %d commits vanish from it", w.Commits)
	default:
		text += ": how many commits vanish from it is not known"
	}
	if len(w.Tips) > 0 {
		short := make([]string, len(w.Tips))
		for i, t := range w.Tips {
			short[i] = t[:min(12, len(t))]
		}
		text += ", the tip is " + strings.Join(short, ", ")
	}
	return text
}

// hold arms the way back for the remotes.
func (e *Engine) hold(ctx context.Context, j *job) ([]git.Remote, error) {
	var out []git.Remote
	for _, r := range j.remotes {
		d, err := e.door()
		if err != nil {
			return nil, err
		}
		var layout *git.Layout
		if l, err := git.Find(r.GitDir); err == nil {
			layout = &l
		}
		seen, err := d.Observe(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("see what %s has now: %w", git.Shown(r.Name), err)
		}
		held, err := d.Hold(ctx, git.Reverse(r, seen), layout, e.Store.RemoteDir())
		if err != nil {
			return nil, fmt.Errorf("hold what %s has now: %w", git.Shown(r.Name), err)
		}
		out = append(out, held)
	}
	return out, nil
}

// fireRemotes puts the remotes back, each under its leases. It stops at the
// first one that does not take it.
func (e *Engine) fireRemotes(ctx context.Context, j *job) error {
	for _, r := range j.remotes {
		d, err := e.door()
		if err != nil {
			return err
		}
		outcomes, err := d.Fire(ctx, r, e.Store.RemoteDir())
		if err != nil {
			return err
		}
		for _, o := range outcomes {
			l := Line{Path: git.Shown(r.Name) + " " + o.Ref, Do: "ref", Status: string(o.State), Reason: o.Reason}
			j.refs = append(j.refs, l)
			switch o.State {
			case git.Fired:
				j.pushed = true
			case git.Indeterminate:
				err = fmt.Errorf("%s %s: %w", git.Shown(r.Name), o.Ref, errIndeterminate)
			case git.Refused, git.Lost:
				if err == nil {
					err = fmt.Errorf("%s %s: %s%s", git.Shown(r.Name), o.Ref, o.State, because(o.Reason))
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + hint.Clean(reason) + ")"
}

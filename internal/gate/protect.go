package gate

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/policy"
	"github.com/counterstep/counterstep/internal/workspace"
)

// context is what classification may know of the world.
func (g *Gate) context(cwd string, ws workspace.Workspace) classify.Context {
	p := g.protected(ws)
	return classify.Context{
		Cwd: cwd, Home: g.Home, Env: g.Env, Shell: g.Shell, Workspace: ws.Root,
		FS:             newMemo(),
		Deadline:       g.deadline(readTime),
		Overtime:       g.overtime(),
		Protected:      p.at,
		ProtectedBelow: p.below,
		ReadProtected:  p.read,
		GitAlias: func(dir, name string) (string, bool) {
			d, err := g.door()
			if err != nil {
				return "", false
			}
			return d.Alias(dir, name)
		},
		Git: func(dir string, args ...string) ([]byte, error) {
			d, err := g.door()
			if err != nil {
				return nil, err
			}
			ctx, cancel := context.WithTimeout(context.Background(), queryTime)
			defer cancel()
			return d.Query(ctx, dir, args...)
		},
	}
}

// readTime is how long the disk may be read while a call is classified; what is
// not known by then is not known.
const readTime = 150 * time.Millisecond

// evalTime is when the answer to a command that does much is due.
const evalTime = 220 * time.Millisecond

// overtime reports that an answer is due. It is asked only about commands that
// do much.
func (g *Gate) overtime() func() bool {
	if g.Now == nil {
		return nil
	}
	end := g.Now().Add(evalTime)
	return func() bool { return g.Now().After(end) }
}

// A busy machine must not make an ordinary command one that is not known: a
// time is over only after so many questions, or when it has passed many times.
const (
	freeQuestions = 2_000
	stalled       = 10
)

// deadline reports when some time has gone by.
func (g *Gate) deadline(limit time.Duration) func() bool {
	if g.Now == nil {
		return nil
	}
	start, asked := g.Now(), 0
	return func() bool {
		asked++
		spent := g.Now().Sub(start)
		return spent > limit && asked > freeQuestions || spent > stalled*limit
	}
}

// queryTime is how long one question to git may take while a call is
// classified.
const queryTime = 2 * time.Second

func (g *Gate) door() (*git.Door, error) {
	if g.Git == nil {
		return nil, errors.New("no git")
	}
	return g.Git()
}

// places are what no agent may change: what decides whether and how the gate
// works, and what it holds.
type places struct {
	store []string // trees
	files []place
	known map[[2]uint64]string
	reals map[string]string
}

type place struct{ path, what string }

func (g *Gate) protected(ws workspace.Workspace) *places {
	if p := g.places[ws.Root]; p != nil {
		return p
	}
	p := &places{known: map[[2]uint64]string{}, reals: map[string]string{}}
	if g.places == nil {
		g.places = map[string]*places{}
	}
	g.places[ws.Root] = p
	p.store = append(p.store, real(filepath.Join(g.StateHome, "counterstep")))
	if g.Store != "" {
		p.store = append(p.store, real(g.Store))
	}
	add := func(what string, names ...string) {
		for _, n := range names {
			if n == "" {
				continue
			}
			p.files = append(p.files, place{n, what})
			if r := real(n); r != n {
				p.files = append(p.files, place{r, what})
			}
		}
	}
	add("counterstep's own binary", g.Binary)
	add("counterstep's policy", append([]string{g.UserPolicy, filepath.Join(ws.Root, policy.Name)}, g.Policy...)...)
	if g.Settings != nil {
		add("the settings that hold counterstep's hooks", g.Settings(ws.Root)...)
	}
	for _, f := range p.files {
		if info, err := (workspace.Disk{}).Lstat(f.path); err == nil && info.Type == 'f' {
			p.known[[2]uint64{info.Dev, info.Ino}] = f.what
		}
	}
	return p
}

// real resolves the links in a path as far as it exists.
func real(path string) string {
	for dir, rest := path, ""; ; dir, rest = filepath.Dir(dir), filepath.Join(filepath.Base(dir), rest) {
		if r, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(r, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
	}
}

// real is real for many paths that have directories in common.
func (p *places) real(path string) string {
	if strings.Contains(path, "/..") || !filepath.IsAbs(path) {
		return real(path)
	}
	path = filepath.Clean(path)
	if r, ok := p.reals[path]; ok {
		return r
	}
	r := path
	if dir := filepath.Dir(path); dir != path {
		r = filepath.Join(p.real(dir), filepath.Base(path))
		if info, err := (workspace.Disk{}).Lstat(r); err == nil && info.Type == 'l' {
			r = real(r)
		}
	}
	p.reals[path] = r
	return r
}

// at reports whether a path itself is protected, under any of its names.
func (p *places) at(path string) (string, bool) {
	if reason, ok := p.read(path); ok {
		return reason, true
	}
	for _, f := range p.files {
		if path == f.path {
			return f.what + " (" + f.path + ")", true
		}
	}
	info, err := (workspace.Disk{}).Lstat(path)
	if err != nil || info.Type != 'f' || info.Links < 2 {
		return "", false
	}
	what, ok := p.known[[2]uint64{info.Dev, info.Ino}]
	return what, ok
}

// read reports whether a path lies in the store.
func (p *places) read(path string) (string, bool) {
	for _, s := range p.store {
		if within(path, s) || within(p.real(path), s) {
			return "counterstep's store (" + s + ")", true
		}
	}
	return "", false
}

// below names a protected thing at or under dir.
func (p *places) below(dir string) (string, string, bool) {
	for _, s := range p.store {
		if within(s, dir) {
			return s, "counterstep's store", true
		}
	}
	i := slices.IndexFunc(p.files, func(f place) bool { return within(f.path, dir) && exists(f.path) })
	if i < 0 {
		return "", "", false
	}
	return p.files[i].path, p.files[i].what, true
}

func exists(path string) bool {
	info, err := workspace.Disk{}.Lstat(path)
	return err == nil && info.Type != '-'
}

// within reports whether path is dir or lies below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

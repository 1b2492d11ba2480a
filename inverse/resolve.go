package inverse

import (
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// States are the three looks at a scope that decide what firing does.
type States struct {
	// ID names the saga; the armed version of a drifted file is put beside it
	// as NAME.counterstep-ID.
	ID string
	// Pre is the state that is armed, Post what the call left, Now the present.
	Pre, Post, Now []fingerprint.Entry
	// Settled says that Post was recorded. Without it, what the step predicts
	// to be gone counts as gone, and everything else that differs is drift.
	Settled bool
	Step    Step
	// Force takes the present state for what the call left.
	Force bool

	// Texts gives the contents that merging a file needs. Without it no content
	// is merged. Choice says what becomes of what both sides changed, and Time
	// is the modification time of a merged file.
	Texts func(pre, post, now fingerprint.Entry) Texts
	// Whole names paths that are never merged.
	Whole  func(path string) bool
	Choice Choice
	Time   int64
}

// Outcome of a look at one path.
type verdict uint8

const (
	nothing   verdict = iota // now is as it was before the call
	restore                  // now is what the call left: put the old state back
	remove                   // the call made it and it is as the call left it
	drift                    // somebody changed it since: leave it
	bystander                // it appeared later: not ours
)

// Drift is a path that was changed after the call.
type Drift struct {
	Path string
	// Beside is where the armed version goes; empty when there is none.
	Beside string
	// Created says that the call had made the path.
	Created bool
	// Chosen says that the live version was asked for.
	Chosen bool
}

// Undo is what firing does: actions in an order in which they can be taken,
// and what they leave alone.
type Undo struct {
	Actions []workspace.Action
	Drift   []Drift
	// Merges are drifted files in which only the call is taken back.
	Merges []Merged
	// Bystanders are paths in the scope that appeared after the call.
	Bystanders []string
}

// Resolve compares the three states path by path. It never plans to remove or
// replace anything but what the call left behind.
func Resolve(s States) Undo {
	r := resolver{s: s, pre: index(s.Pre), post: index(s.Post), now: index(s.Now), put: map[string]bool{}, gone: map[string]bool{}}
	for _, p := range r.paths() {
		r.decide(p)
	}
	r.lend()
	r.directories()
	return r.undo()
}

type resolver struct {
	s              States
	pre, post, now map[string]*fingerprint.Entry
	put, gone      map[string]bool
	// displaced maps a directory that cannot be put back in place to where it
	// goes instead.
	displaced [][2]string

	removes, lends, puts, metas []workspace.Action

	drift      []Drift
	merges     []Merged
	bystanders []string
}

func index(entries []fingerprint.Entry) map[string]*fingerprint.Entry {
	m := make(map[string]*fingerprint.Entry, len(entries))
	for i := range entries {
		m[entries[i].Path] = &entries[i]
	}
	return m
}

// paths lists every path of the three states, parents before children.
func (r *resolver) paths() []string {
	all := make([]string, 0, len(r.s.Pre)+len(r.s.Now))
	for _, list := range [][]fingerprint.Entry{r.s.Pre, r.s.Now} {
		for i := range list {
			all = append(all, list[i].Path)
		}
	}
	slices.SortFunc(all, ComparePaths)
	return slices.Compact(all)
}

// at returns what one state says about a path.
func at(m map[string]*fingerprint.Entry, p string) fingerprint.Entry {
	if e := m[p]; e != nil && e.Type != 0 {
		return *e
	}
	return fingerprint.Entry{Path: p, Type: fingerprint.Absent}
}

func (r *resolver) decide(p string) {
	pre, now := at(r.pre, p), at(r.now, p)
	switch r.verdict(p, pre, now) {
	case restore:
		r.restore(pre, now)
	case remove:
		r.gone[p] = true
		r.removes = append(r.removes, workspace.Action{Op: workspace.Remove, Entry: fingerprint.Entry{Path: p, Type: fingerprint.Absent}, Now: now})
	case drift:
		if !r.merged(p, pre, now) {
			r.leave(pre)
		}
	case bystander:
		r.bystanders = append(r.bystanders, p)
	}
}

func (r *resolver) verdict(p string, pre, now fingerprint.Entry) verdict {
	post, known := r.left(p, now)
	switch {
	case Same(pre, now) && r.parted(pre, now) && known && (post.Ino != pre.Ino || post.Dev != pre.Dev):
		return restore
	case Same(pre, now) && joined(pre, now) && known && post.Ino == now.Ino && post.Dev == now.Dev:
		return restore
	case Same(pre, now):
		return nothing
	case pre.Type == fingerprint.Absent && known && post.Type == fingerprint.Absent:
		return bystander
	case now.Type == fingerprint.Absent:
		return restore // nothing can be lost by it
	case !known || !Same(post, now):
		return drift
	case pre.Type == fingerprint.Absent:
		return remove
	default:
		return restore
	}
}

// parted reports whether a name has become a file of its own: another name
// still has the inode that both had, or one that this name does not have.
func (r *resolver) parted(pre, now fingerprint.Entry) bool {
	if pre.Group == 0 || pre.Type != fingerprint.File || now.Ino == pre.Ino && now.Dev == pre.Dev {
		return false
	}
	for _, e := range r.s.Pre {
		n := at(r.now, e.Path)
		if e.Group == pre.Group && n.Type == fingerprint.File && (n.Ino == pre.Ino && n.Dev == pre.Dev || n.Ino != now.Ino || n.Dev != now.Dev) {
			return true
		}
	}
	return false
}

// joined reports whether a file of its own has become another name of a file.
func joined(pre, now fingerprint.Entry) bool {
	return pre.Type == fingerprint.File && pre.Group == 0 && pre.Links == 1 && now.Links > 1 && (now.Ino != pre.Ino || now.Dev != pre.Dev)
}

// left is what the call left at p, as far as that is known.
func (r *resolver) left(p string, now fingerprint.Entry) (fingerprint.Entry, bool) {
	switch {
	case r.s.Force:
		return now, true
	case r.s.Settled:
		return at(r.post, p), true
	}
	for _, root := range r.s.Step.Roots {
		if root.Gone && (p == string(root.Path) || root.Tree && Within(p, string(root.Path))) {
			return fingerprint.Entry{Path: p, Type: fingerprint.Absent}, true
		}
	}
	return fingerprint.Entry{}, false
}

func (r *resolver) restore(pre, now fingerprint.Entry) {
	if to, moved := r.moved(pre.Path); moved {
		pre.Path, now = to, fingerprint.Entry{Path: to, Type: fingerprint.Absent}
		r.puts = append(r.puts, workspace.Action{Op: workspace.Put, Entry: pre, Now: now})
		return
	}
	a := workspace.Action{Op: workspace.Put, Entry: pre, Now: now}
	switch {
	case Same(pre, now): // only its inode is another one
		a.Relink = true
	case pre.Type == fingerprint.Dir && now.Type == fingerprint.Dir, content(pre, now) && (pre.Ino == now.Ino || pre.Type != fingerprint.File):
		a.Op = workspace.Meta
		r.metas = append(r.metas, a)
		return
	case pre.Type == fingerprint.File && now.Type == fingerprint.File && pre.Dev == now.Dev && pre.Ino == now.Ino && pre.Links > 1:
		a.InPlace = true
	}
	r.put[pre.Path] = true
	r.puts = append(r.puts, a)
}

// lend adds, for every inode of which a name is put back, its names that are
// still there: they lend their inode, so that the names are one file again.
func (r *resolver) lend() {
	groups := map[int]bool{}
	for _, a := range r.puts {
		if a.Entry.Group != 0 && !a.InPlace && r.put[a.Entry.Path] {
			groups[a.Entry.Group] = true
		}
	}
	for _, e := range r.s.Pre {
		if !groups[e.Group] || r.put[e.Path] {
			continue
		}
		if now := at(r.now, e.Path); Same(e, now) {
			r.lends = append(r.lends, workspace.Action{Op: workspace.Keep, Entry: e, Now: now})
		}
	}
}

// leave keeps a drifted path and plans the armed version beside it.
func (r *resolver) leave(pre fingerprint.Entry) {
	if _, moved := r.moved(pre.Path); moved {
		r.restore(pre, fingerprint.Entry{})
		return
	}
	d := Drift{Path: pre.Path, Created: pre.Type == fingerprint.Absent}
	if now := at(r.now, pre.Path); !d.Created && (pre.Type != fingerprint.Dir || now.Type != fingerprint.Dir) {
		d.Beside = pre.Path + ".counterstep-" + Tag(r.s.ID)
		r.displaced = append(r.displaced, [2]string{pre.Path, d.Beside})
		pre.Path = d.Beside
		r.puts = append(r.puts, workspace.Action{Op: workspace.Put, Entry: pre, Now: fingerprint.Entry{Path: d.Beside, Type: fingerprint.Absent}})
	}
	r.drift = append(r.drift, d)
}

// moved says where p goes when a directory above it could not be put back.
func (r *resolver) moved(p string) (string, bool) {
	for _, d := range r.displaced {
		if p != d[0] && Within(p, d[0]) {
			return d[1] + p[len(d[0]):], true
		}
	}
	return "", false
}

// Tag is the part of a saga's id that is used in the names of files.
func Tag(id string) string { return id[:min(len(id), 12)] }

// directories gives directories their times back when their listing will be
// what it was.
func (r *resolver) directories() {
	before, after := map[string]int{}, map[string]int{}
	differ := map[string]bool{}
	touched := map[string]bool{}
	for p, e := range r.pre {
		if e.Type != fingerprint.Absent {
			before[above(p)]++
		}
		if r.put[p] {
			touched[above(p)] = true
		}
	}
	for p, e := range r.now {
		if e.Type == fingerprint.Absent {
			continue
		}
		dir := above(p)
		if r.gone[p] {
			touched[dir] = true
			continue
		}
		after[dir]++
		if at(r.pre, p).Type == fingerprint.Absent {
			differ[dir] = true
		}
	}
	for p := range r.put {
		if at(r.now, p).Type == fingerprint.Absent {
			after[above(p)]++
		}
	}
	for p, pre := range r.pre {
		if pre.Type != fingerprint.Dir {
			continue
		}
		now := at(r.now, p)
		if now.Type != fingerprint.Dir || differ[p] || before[p] != after[p] {
			continue
		}
		if touched[p] || now.MTime != pre.MTime {
			r.metas = append(r.metas, workspace.Action{Op: workspace.Meta, Entry: *pre, Now: now})
		}
	}
	for p, pre := range r.pre {
		if r.put[p] {
			continue
		}
		now := at(r.now, p)
		if pre.Type == fingerprint.Dir || pre.Type == fingerprint.Absent || !Same(*pre, now) || now.MTime == pre.MTime {
			continue
		}
		if post, known := r.left(p, now); known && post.MTime == now.MTime {
			r.metas = append(r.metas, workspace.Action{Op: workspace.Meta, Entry: *pre, Now: now})
		}
	}
}

// above is the directory of a clean path.
func above(p string) string { return p[:max(strings.LastIndexByte(p, '/'), 1)] }

// undo orders the actions: what the call made goes first, children before
// their directories; then things are put back, directories first; then the
// metadata, the deepest first.
func (r *resolver) undo() Undo {
	slices.Reverse(r.removes)
	slices.SortFunc(r.metas, func(a, b workspace.Action) int { return ComparePaths(b.Entry.Path, a.Entry.Path) })
	r.metas = slices.CompactFunc(r.metas, func(a, b workspace.Action) bool { return a.Entry.Path == b.Entry.Path })
	r.lendWithTimes()
	return Undo{
		Actions:    slices.Concat(r.removes, r.lends, r.puts, r.metas),
		Drift:      r.drift,
		Merges:     r.merges,
		Bystanders: r.bystanders,
	}
}

// lendWithTimes makes one action of the two that a name has which gets its times
// back and lends its inode.
func (r *resolver) lendWithTimes() {
	if len(r.lends) == 0 {
		return
	}
	at := map[string]int{}
	for i, m := range r.metas {
		at[m.Entry.Path] = i
	}
	r.lends = slices.DeleteFunc(r.lends, func(l workspace.Action) bool {
		i, both := at[l.Entry.Path]
		if both {
			r.metas[i].Entry.Dev, r.metas[i].Entry.Ino = l.Now.Dev, l.Now.Ino
		}
		return both
	})
}

// Same reports whether two looks found the same state, owner included.
func Same(a, b fingerprint.Entry) bool {
	return fingerprint.Equal(a, b) && (a.Type == fingerprint.Absent || a.UID == b.UID && a.GID == b.GID)
}

// content reports whether two entries differ in metadata at most. A look may
// have done without SHA-256.
func content(a, b fingerprint.Entry) bool {
	var none [32]byte
	sha := a.SHA == b.SHA || a.SHA == none || b.SHA == none
	return a.Type == b.Type && a.Size == b.Size && a.XXH == b.XXH && sha && a.Target == b.Target && a.Rdev == b.Rdev
}

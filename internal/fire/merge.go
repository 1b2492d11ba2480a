package fire

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// MaxText is the size in bytes up to which a file is merged or compared as text.
const MaxText = 16 << 20

// states are what resolving compares, with the present as it was seen.
func (j *job) states(ctx context.Context, now []fingerprint.Entry, o Options) inverse.States {
	j.ctx = ctx
	return inverse.States{
		ID: j.saga.ID, Pre: j.pre, Post: j.post, Now: now, Settled: j.settled, Step: j.step(), Force: o.Force,
		Choice: o.Choice, Time: j.time,
		Whole: func(p string) bool { _, git := j.gitDir(p); return git },
		Texts: func(pre, post, now fingerprint.Entry) inverse.Texts { return j.texts(ctx, pre, post, now) },
	}
}

// texts finds the three contents of a file. The live one is read once more; when
// it is not what was seen before, it is not known.
func (j *job) texts(ctx context.Context, pre, post, now fingerprint.Entry) inverse.Texts {
	if max(pre.Size, post.Size, now.Size) > MaxText {
		return inverse.Texts{}
	}
	a, okA := j.before(pre)
	b, okB := j.after(post)
	c, okC := j.present(ctx, now)
	if !okC {
		j.unsteady = append(j.unsteady, now.Path)
	}
	return inverse.Texts{Pre: a, Post: b, Now: c, Known: okA && okB && okC}
}

// before is the content of a file before the call.
func (j *job) before(e fingerprint.Entry) ([]byte, bool) {
	r, err := j.open(e)
	if err != nil {
		return nil, false
	}
	return readAll(r, e)
}

// after is the content of a file as the call left it.
func (j *job) after(e fingerprint.Entry) ([]byte, bool) {
	if get := j.leftAt[e.Path]; get != nil {
		return get()
	}
	if j.left != nil && j.held[j.source(e.Path)] {
		from, why := j.left.Entry(j.source(e.Path))
		if why != checkpoint.Held {
			return nil, false
		}
		r, err := j.left.Open(from)
		if err != nil {
			return nil, false
		}
		return readAll(r, e)
	}
	return j.kept(e)
}

// kept finds a content among those that were kept of the post-state, and among
// those of the payload.
func (j *job) kept(e fingerprint.Entry) ([]byte, bool) {
	if j.texted == nil {
		j.texted = j.engine.Store.Kept(j.saga.ID)
	}
	for sha, data := range j.texted {
		if sha == e.SHA || e.SHA == [32]byte{} && int64(len(data)) == e.Size && fingerprint.ContentOf(data) == e.XXH {
			return data, true
		}
	}
	for _, p := range j.pre {
		if sameContent(p, e) {
			return j.before(p)
		}
	}
	return j.undone(e)
}

// sameContent compares two files; a look may have done without SHA-256.
func sameContent(a, b fingerprint.Entry) bool {
	none := [32]byte{}
	return a.Type == fingerprint.File && b.Type == fingerprint.File && a.Size == b.Size && a.XXH == b.XXH &&
		(a.SHA == b.SHA || a.SHA == none || b.SHA == none)
}

// undone finds a content that a firing put back: the saga that was fired holds
// it.
func (j *job) undone(e fingerprint.Entry) ([]byte, bool) {
	if j.call.Undoes == "" {
		return nil, false
	}
	if j.first == nil {
		s, err := j.engine.Find(j.call.Undoes)
		if err != nil {
			return nil, false
		}
		f, err := j.engine.load(s)
		if err != nil {
			return nil, false
		}
		j.first = f
		if f.bounded(j.ctx, j.engine) != nil {
			return nil, false
		}
	}
	for _, p := range j.first.pre {
		if sameContent(p, e) {
			return j.first.before(p)
		}
	}
	return nil, false
}

// present reads a live file. Of a firing that was interrupted, the state from
// before it is held by its redo.
func (j *job) present(ctx context.Context, e fingerprint.Entry) ([]byte, bool) {
	if j.redo != nil {
		for _, w := range j.was {
			if sameContent(w, e) {
				if r, err := j.redo.Open(w); err == nil {
					return readAll(r, w)
				}
			}
		}
	}
	got, data, err := Look(ctx, e.Path)
	return data, err == nil && sameContent(got, e)
}

// Look reads one live path. Of files over [MaxText] there is no content.
func Look(ctx context.Context, path string) (fingerprint.Entry, []byte, error) {
	g := &grab{}
	got, err := workspace.Capture(ctx, []workspace.Root{{Path: path}}, workspace.Options{Sink: g})
	if err != nil || len(got) != 1 {
		return fingerprint.Entry{}, nil, err
	}
	return got[0], g.data, nil
}

// grab is a sink that holds the content of one file.
type grab struct{ data []byte }

func (g *grab) Small(_ *fingerprint.Entry, data []byte) error {
	g.data = append([]byte{}, data...)
	return nil
}

func (g *grab) Big(e *fingerprint.Entry, f *os.File) error {
	k := store.Keeper{}
	if err := k.Big(e, f); err != nil || e.Size > MaxText {
		return err
	}
	g.data = make([]byte, e.Size)
	_, err := f.ReadAt(g.data, 0)
	if sha256.Sum256(g.data) != e.SHA {
		return fmt.Errorf("%q changed while it was read: %w", e.Path, err)
	}
	return nil
}

func readAll(r io.ReadCloser, e fingerprint.Entry) ([]byte, bool) {
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, MaxText+1))
	return data, err == nil && int64(len(data)) == e.Size
}

// reached is what an interrupted firing was to make of the paths it was to
// merge; j.was is the state it began with.
func (j *job) reached(ctx context.Context, o Options) []fingerprint.Entry {
	want := slices.Clone(j.pre)
	u := inverse.Resolve(j.states(ctx, j.was, o))
	j.wants = map[string]inverse.Merged{}
	for _, m := range u.Merges {
		j.wants[m.Path] = m
	}
	for i, e := range want {
		if m, ok := j.wants[e.Path]; ok {
			want[i] = m.Entry
		}
	}
	return want
}

// already shows what an interrupted firing has merged as it was before it, so
// that the same merge comes out again and finds itself done.
func (j *job) already(now []fingerprint.Entry) {
	for i, e := range now {
		m, ok := j.wants[e.Path]
		if !ok || !inverse.Same(m.Entry, e) || m.Entry.SHA != e.SHA {
			continue
		}
		for _, w := range j.was {
			if w.Path == e.Path {
				now[i] = w
			}
		}
	}
}

// mergedLines turns the lines of merged files into what they mean.
func (j *job) mergedLines() {
	j.merged = map[string]inverse.Merged{}
	for _, m := range j.undo.Merges {
		j.merged[m.Path] = m
	}
	for i, l := range j.lines {
		if m, ok := j.merged[l.Path]; ok && (l.Do == doRestore || l.Do == doMetadata) {
			j.lines[i].Do, j.lines[i].Reason = doMerge, mergeReason(m)
			j.lines[i].Conflicts = m.Conflicts
		}
		if from, ok := j.follows[l.Path]; ok && j.lines[i].Do != doBeside {
			if l.Do == doRestore || l.Do == doMetadata {
				j.lines[i].Do = doMerge
			}
			j.lines[i].Reason = strings.TrimPrefix(j.lines[i].Reason+", moved from "+from+" since", ", ")
		}
	}
	for _, m := range j.undo.Merges {
		if m.Same {
			j.lines = append(j.lines, Line{Path: m.Path, Do: doKeep, Status: workspace.StatusKept, Reason: "changed after the call; nothing of the call is left in it"})
		}
	}
}

func mergeReason(m inverse.Merged) string {
	switch m.Conflicts {
	case 0:
		return "later changes kept"
	case 1:
		return "1 place is marked for you to decide"
	default:
		return fmt.Sprintf("%d places are marked for you to decide", m.Conflicts)
	}
}

// The words of [Line.Do] that more than one place needs.
const (
	doRestore  = "restore"
	doMetadata = "metadata"
	doMerge    = "merge"
	doKeep     = "keep"
	doTimes    = "times"
	doBeside   = "beside"
)

// statusMerged is the status of a merged path.
const statusMerged = "merged"

// composed reports whether the content of a wanted file is made by merging.
func (j *job) composed(e fingerprint.Entry) bool {
	return slices.ContainsFunc(j.undo.Merges, func(m inverse.Merged) bool {
		return m.Path == e.Path && m.Text != nil && m.Entry.SHA == e.SHA
	})
}

// conflicted reports whether something is left to be decided.
func (j *job) conflicted() bool {
	return slices.ContainsFunc(j.lines, func(l Line) bool { return l.Do == doMerge && l.Conflicts > 0 && l.Status != workspace.StatusDrifted })
}

// written are the texts that this firing has made: nothing else holds them.
func (j *job) written() *store.Keeper {
	k := &store.Keeper{}
	for _, m := range j.undo.Merges {
		if m.Text != nil {
			k.Small(&m.Entry, m.Text) // never fails
		}
	}
	return k
}

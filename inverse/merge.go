package inverse

import (
	"crypto/sha256"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/merge"
	"github.com/counterstep/counterstep/internal/workspace"
)

// Choice says what becomes of what both the call and somebody later changed.
type Choice string

// The choices.
const (
	// Beside leaves the live file and puts the armed version next to it.
	Beside Choice = ""
	// Markers writes both into a text, between marker lines.
	Markers Choice = "markers"
	// Ours keeps the later change, Theirs the armed version.
	Ours   Choice = "ours"
	Theirs Choice = "theirs"
)

func (c Choice) side() merge.Side {
	switch c {
	case Markers:
		return merge.Marked
	case Ours:
		return merge.Ours
	case Theirs:
		return merge.Theirs
	default:
		return merge.Neither
	}
}

// Texts are the contents of one file before the call, after it, and now. Known
// is false when one of them is not held.
type Texts struct {
	Pre, Post, Now []byte
	Known          bool
}

// Merged is a file in which the call was taken back and later changes stay.
type Merged struct {
	Path string
	// Entry is the wanted state, Text its content; without Text the content is
	// that of before the call, or the live one.
	Entry fingerprint.Entry
	Text  []byte
	// Conflicts counts the stretches between markers.
	Conflicts int
	// Same says that the live file is that already.
	Same bool
}

// MergeFile takes what a call did to a file back and keeps what was changed
// since: modes, owners and attributes one by one, contents line by line. It
// reports false when that cannot be done and the live file has to stay.
func (s States) MergeFile(pre, post, now fingerprint.Entry) (Merged, bool) {
	if pre.Type != fingerprint.File || post.Type != fingerprint.File || now.Type != fingerprint.File {
		return Merged{}, false
	}
	m := Merged{Path: now.Path, Entry: now}
	if !s.attributes(&m.Entry, pre, post, now) {
		return Merged{}, false
	}
	switch {
	case content(pre, post) || content(pre, now):
	case content(post, now):
		take(&m.Entry, pre)
	default:
		if !s.text(&m, pre, post, now) {
			return Merged{}, false
		}
	}
	m.Same = content(m.Entry, now) && Same(m.Entry, now)
	return m, true
}

// take gives a wanted file the content of another one.
func take(want *fingerprint.Entry, from fingerprint.Entry) {
	want.Size, want.XXH, want.SHA, want.Extents, want.MTime = from.Size, from.XXH, from.SHA, from.Extents, from.MTime
	want.Off, want.Big = from.Off, from.Big
}

// text merges the contents.
func (s States) text(m *Merged, pre, post, now fingerprint.Entry) bool {
	if s.Texts == nil {
		return false
	}
	t := s.Texts(pre, post, now)
	if !t.Known || merge.Binary(t.Pre) || merge.Binary(t.Post) || merge.Binary(t.Now) {
		return false
	}
	r := merge.Three(t.Post, t.Now, t.Pre, merge.Options{
		Side: s.Choice.side(), OurName: "now", BaseName: "left by " + Tag(s.ID), TheirName: "before " + Tag(s.ID),
	})
	if len(r.Conflicts) > 0 && s.Choice != Markers {
		return false
	}
	m.Text, m.Conflicts = append([]byte{}, r.Text...), len(r.Conflicts) // never nil
	m.Entry.Size, m.Entry.Extents = int64(len(r.Text)), nil
	m.Entry.XXH, m.Entry.SHA = fingerprint.ContentOf(r.Text), sha256.Sum256(r.Text)
	if !content(m.Entry, now) {
		m.Entry.MTime = s.Time
	}
	return true
}

// attributes merges everything but content and times; where both sides changed
// the same thing differently, the choice counts, and without one it is false.
func (s States) attributes(want *fingerprint.Entry, pre, post, now fingerprint.Entry) bool {
	ok := true
	pick := func(callChanged, laterChanged, same bool) bool { // whether pre counts
		switch {
		case !callChanged || same:
			return false
		case laterChanged:
			ok = ok && (s.Choice == Ours || s.Choice == Theirs)
			return s.Choice == Theirs
		}
		return true
	}
	if pick(pre.Mode != post.Mode, now.Mode != post.Mode, now.Mode == pre.Mode) {
		want.Mode = pre.Mode
	}
	if pick(pre.UID != post.UID, now.UID != post.UID, now.UID == pre.UID) {
		want.UID = pre.UID
	}
	if pick(pre.GID != post.GID, now.GID != post.GID, now.GID == pre.GID) {
		want.GID = pre.GID
	}
	if pick(!sameXattrs(pre, post), !sameXattrs(now, post), sameXattrs(now, pre)) {
		want.Xattrs = pre.Xattrs
	}
	return ok
}

func sameXattrs(a, b fingerprint.Entry) bool { return slices.Equal(a.Xattrs, b.Xattrs) }

// merged plans the merge of a drifted path, or reports that it has to stay.
func (r *resolver) merged(p string, pre, now fingerprint.Entry) bool {
	post, known := r.left(p, now)
	if _, moved := r.moved(p); moved || !known || r.s.Whole != nil && r.s.Whole(p) {
		return false
	}
	m, ok := r.s.MergeFile(pre, post, now)
	if !ok {
		return r.chosen(pre, now)
	}
	r.merges = append(r.merges, m)
	switch {
	case m.Same:
	case content(m.Entry, now):
		r.metas = append(r.metas, workspace.Action{Op: workspace.Meta, Entry: m.Entry, Now: now})
	default:
		want := m.Entry
		want.Group = 0
		r.put[p] = true
		r.puts = append(r.puts, workspace.Action{Op: workspace.Put, Entry: want, Now: now, InPlace: now.Links > 1})
	}
	return true
}

// chosen settles what cannot be merged by a stated choice.
func (r *resolver) chosen(pre, now fingerprint.Entry) bool {
	directory := pre.Type == fingerprint.Dir || now.Type == fingerprint.Dir
	switch {
	case r.s.Choice == Ours:
		r.drift = append(r.drift, Drift{Path: pre.Path, Created: pre.Type == fingerprint.Absent, Chosen: true})
	case r.s.Choice != Theirs || directory:
		return false
	case pre.Type == fingerprint.Absent:
		r.gone[pre.Path] = true
		r.removes = append(r.removes, workspace.Action{Op: workspace.Remove, Entry: fingerprint.Entry{Path: pre.Path, Type: fingerprint.Absent}, Now: now})
	default:
		r.restore(pre, now)
	}
	return true
}

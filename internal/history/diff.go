package history

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/merge"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// File is how one path differs.
type File struct {
	Path inverse.Name `json:"path"`
	// Change is added, removed, changed, moved, type or metadata.
	Change string `json:"change"`
	// From is where a moved thing was.
	From inverse.Name `json:"from,omitempty"`
	// Mode is the mode before and after, where that differs: "644 600".
	Mode string `json:"mode,omitempty"`
	// Added and Removed count lines.
	Added   int `json:"added,omitempty"`
	Removed int `json:"removed,omitempty"`
	// Diff is as diff -u writes it; empty where a text is not held or is none.
	Diff string `json:"diff,omitempty"`
	// Note says why there is no diff.
	Note string `json:"note,omitempty"`
}

// Diff is how two states differ, by path.
type Diff struct {
	V     int    `json:"v"`
	From  string `json:"from"`
	To    string `json:"to"`
	Files []File `json:"files"`
	// Unsettled says that what the call left was not recorded.
	Unsettled bool `json:"unsettled,omitempty"`
	Unread    int  `json:"unread,omitempty"`
}

// side is one state of a path.
type side struct {
	entry fingerprint.Entry
	text  []byte
	known bool
}

// Call says what one call changed.
func (b Book) Call(ctx context.Context, s ledger.Saga) (Diff, error) {
	out := Diff{V: 1, From: "before " + name(s), To: "after " + name(s), Files: []File{}}
	if !holds(s) {
		return out, hint.New("counterstep show "+s.ID[:min(len(s.ID), 12)], "%s holds nothing: it is %s", name(s), s.Seen())
	}
	c, err := b.Engine.Changes(ctx, s)
	if err != nil {
		return out, err
	}
	defer c.Close()
	out.Unsettled = !c.Settled
	for _, ch := range c.List {
		if ch.Post.Type != 0 {
			out.add(sides(c, ch))
		}
	}
	for _, m := range c.Moves {
		out.Files = append(out.Files, File{Path: m.To, From: m.From, Change: "moved"})
	}
	return out, nil
}

// Between says what differs between what the call from left and what the call
// to left; with to nil, what is there now. Only paths that calls have changed
// are compared.
func (b Book) Between(ctx context.Context, from ledger.Saga, to *ledger.Saga) (Diff, error) {
	out := Diff{V: 1, From: "after " + name(from), To: "now", Files: []File{}}
	last := ^uint64(0)
	if to != nil {
		if to.Armed.Seq < from.Armed.Seq {
			return out, hint.Exit(hint.New(fmt.Sprintf("counterstep diff %s %s", bare(*to), bare(from)), "%s is older than %s", name(*to), name(from)), 2)
		}
		out.To, last = "after "+name(*to), to.Armed.Seq
	}
	first, then := map[string]side{}, map[string]side{}
	var err error
	out.Unread, err = b.each(ctx, func(c *fire.Changes) bool {
		if seq := c.Saga.Armed.Seq; seq <= from.Armed.Seq || seq > last {
			return true
		}
		for _, ch := range c.List {
			pre, post := sides(c, ch)
			if _, ok := first[ch.Path]; !ok {
				first[ch.Path] = pre
			}
			then[ch.Path] = post
		}
		return true
	})
	if err != nil {
		return out, err
	}
	for _, p := range slices.Sorted(maps.Keys(first)) {
		post := then[p]
		if to == nil {
			post = live(ctx, p)
		}
		out.add(first[p], post)
	}
	return out, nil
}

func live(ctx context.Context, p string) side {
	e, text, err := fire.Look(ctx, p)
	return side{entry: e, text: text, known: err == nil && e.Size <= fire.MaxText}
}

func sides(c *fire.Changes, ch fire.Change) (pre, post side) {
	pre.entry, post.entry = ch.Pre, ch.Post
	pre.text, pre.known = c.Before(ch)
	post.text, post.known = c.After(ch)
	return pre, post
}

// add notes how two states of a path differ, if they do.
func (d *Diff) add(pre, post side) {
	f := File{Path: inverse.Name(pre.entry.Path)}
	a, b := pre.entry, post.entry
	switch {
	case inverse.Same(a, b):
		return
	case a.Type == fingerprint.Absent:
		f.Change = "added"
	case b.Type == fingerprint.Absent:
		f.Change = "removed"
	case a.Type != b.Type:
		f.Change = "type"
		f.Note = fmt.Sprintf("%s became %s", kind(a.Type), kind(b.Type))
	case a.Target != b.Target:
		f.Change, f.Note = "changed", fmt.Sprintf("%q became %q", a.Target, b.Target)
	case a.Type == fingerprint.File && (a.Size != b.Size || a.XXH != b.XXH):
		f.Change = "changed"
	default:
		f.Change = "metadata"
	}
	if a.Type == b.Type && a.Mode != b.Mode {
		f.Mode = fmt.Sprintf("%o %o", a.Mode, b.Mode)
	}
	if a.Type == fingerprint.File || b.Type == fingerprint.File {
		f.texts(pre, post)
	}
	d.Files = append(d.Files, f)
}

// texts adds the diff of two texts.
func (f *File) texts(pre, post side) {
	switch {
	case f.Change == "metadata":
	case !pre.known || !post.known:
		f.Note = "the text is not held"
	case merge.Binary(pre.text) || merge.Binary(post.text):
		f.Note = "no text"
	default:
		from, to := "a"+hint.Clean(string(f.Path)), "b"+hint.Clean(string(f.Path))
		if pre.entry.Type == fingerprint.Absent {
			from = "/dev/null"
		}
		if post.entry.Type == fingerprint.Absent {
			to = "/dev/null"
		}
		f.Diff = string(merge.Unified(from, to, pre.text, post.text))
		f.Removed, f.Added = size(pre.text, post.text)
	}
}

// size counts removed and added lines.
func size(before, after []byte) (removed, added int) {
	for _, h := range merge.Diff(merge.Lines(before), merge.Lines(after)) {
		removed, added = removed+h.A1-h.A0, added+h.B1-h.B0
	}
	return removed, added
}

func kind(t fingerprint.Type) string {
	switch t {
	case fingerprint.File:
		return "a file"
	case fingerprint.Dir:
		return "a directory"
	case fingerprint.Symlink:
		return "a link"
	default:
		return "another thing"
	}
}

// name is what people call a saga.
func name(s ledger.Saga) string {
	if s.Number > 0 {
		return fmt.Sprintf("#%d", s.Number)
	}
	return s.ID[:min(len(s.ID), 12)]
}

// bare is name as it is typed.
func bare(s ledger.Saga) string {
	if s.Number > 0 {
		return fmt.Sprint(s.Number)
	}
	return name(s)
}

package history

import (
	"context"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/merge"
	"github.com/counterstep/counterstep/inverse"
)

// Where a line is from.
const (
	// ByCall: a call wrote it.
	ByCall = "call"
	// Existing: it is in the first state that is held.
	Existing = "pre-existing"
	// Untracked: it appeared later, in no call's record.
	Untracked = "untracked"
)

// Line is one line of a file and where it is from.
type Line struct {
	N    int    `json:"line"`
	Text string `json:"text"`
	By   string `json:"by"`
	// Call is set when By is [ByCall].
	Call *Ref `json:"call,omitempty"`
	// Unsure says that the text that the call left is not held, so that
	// somebody else may have written the line after it.
	Unsure bool `json:"unsure,omitempty"`
}

// Blame says which call each line of a file is from.
type Blame struct {
	V     int          `json:"v"`
	Path  inverse.Name `json:"path"`
	Lines []Line       `json:"lines"`
	// Known says that some state of the file from earlier is held. Without it
	// all lines are untracked.
	Known bool `json:"known"`
	// Unread counts calls whose record could not be read.
	Unread int `json:"unread,omitempty"`
}

// author is where a line is from.
type author struct {
	by     string
	call   *Ref
	unsure bool
}

// Blame reads a live text and the history of it, through renames.
func (b Book) Blame(ctx context.Context, path string) (Blame, error) {
	entry, text, err := fire.Look(ctx, path)
	exists := entry.Type != fingerprint.Absent
	known := entry.Type == fingerprint.File && entry.Size <= fire.MaxText
	switch {
	case err != nil:
		return Blame{}, err
	case !exists:
		return Blame{}, hint.New("counterstep search "+hint.Clean(path), "there is no file %q", path)
	case !known:
		return Blame{}, hint.New("counterstep search "+hint.Clean(path), "%q is no file of at most 16 MiB", path)
	case merge.Binary(text):
		return Blame{}, hint.New("counterstep search "+hint.Clean(path), "%q is no text", path)
	}
	names, err := b.names(ctx, path)
	if err != nil {
		return Blame{}, err
	}
	t := tracer{memory: map[string]author{}}
	out := Blame{V: 1, Path: inverse.Name(path), Lines: []Line{}}
	out.Unread, err = b.each(ctx, func(c *fire.Changes) bool {
		t.step(c, names[c.Saga.ID])
		return true
	})
	if err != nil {
		return Blame{}, err
	}
	t.advance(text, t.rest())
	out.Known = t.started
	for i, l := range t.lines {
		shown := strings.TrimSuffix(strings.TrimSuffix(string(l), "\n"), "\r")
		out.Lines = append(out.Lines, Line{N: i + 1, Text: shown, By: t.authors[i].by, Call: t.authors[i].call, Unsure: t.authors[i].unsure})
	}
	return out, nil
}

// names says under which name a file was known at the time of each saga.
func (b Book) names(ctx context.Context, path string) (map[string]string, error) {
	type move struct{ id, from, to string }
	var moves []move
	var ids []string
	_, err := b.each(ctx, func(c *fire.Changes) bool {
		ids = append(ids, c.Saga.ID)
		for _, m := range c.Moves {
			moves = append(moves, move{c.Saga.ID, string(m.From), string(m.To)})
		}
		return true
	})
	names := map[string]string{}
	for i := len(ids) - 1; i >= 0; i-- {
		for n := len(moves) - 1; n >= 0 && moves[n].id == ids[i]; n-- {
			if inverse.Within(path, moves[n].to) {
				path = moves[n].from + path[len(moves[n].to):]
			}
			moves = moves[:n]
		}
		names[ids[i]] = path
	}
	return names, err
}

// tracer follows a text through its states.
type tracer struct {
	started bool
	lines   [][]byte
	authors []author
	// unknown is the call that left a text that is not held.
	unknown *Ref
	// memory is the last author of a line that was ever there.
	memory map[string]author
}

// step goes through one call, or one firing.
func (t *tracer) step(c *fire.Changes, path string) {
	for _, ch := range c.List {
		if ch.Path == path {
			t.change(c, ch)
			return
		}
	}
	if !t.started {
		if text, _, known := c.Held(path); known {
			t.begin(text)
		}
	}
}

func (t *tracer) change(c *fire.Changes, ch fire.Change) {
	if before, known := c.Before(ch); known && !t.started {
		t.begin(before)
	} else if known {
		t.advance(before, t.rest())
	}
	ref := refTo(c.Saga, &c.Call)
	after, known := c.After(ch)
	if !known {
		t.started = t.started || ch.Post.Type == fingerprint.File
		t.unknown = &ref
		return
	}
	t.started, t.unknown = true, nil
	if c.Saga.Armed.Undoes == "" {
		t.advance(after, func(string) author { return author{by: ByCall, call: &ref} })
		return
	}
	t.advance(after, func(line string) author { // what a firing brings back is from whom it was
		if a, ok := t.memory[line]; ok {
			return a
		}
		return author{by: ByCall, call: &ref}
	})
}

func (t *tracer) begin(text []byte) {
	t.started = true
	t.advance(text, func(string) author { return author{by: Existing} })
}

// rest is who wrote what appears in no record.
func (t *tracer) rest() func(string) author {
	a := author{by: Untracked}
	if t.unknown != nil {
		a = author{by: ByCall, call: t.unknown, unsure: true}
	}
	return func(string) author { return a }
}

// advance goes to the next state; by names who wrote a new line.
func (t *tracer) advance(text []byte, by func(line string) author) {
	lines := merge.Lines(text)
	authors := make([]author, 0, len(lines))
	at := 0
	for _, h := range merge.Diff(t.lines, lines) {
		authors = append(authors, t.authors[at:h.A0]...)
		for _, l := range lines[h.B0:h.B1] {
			authors = append(authors, by(string(l)))
		}
		at = h.A1
	}
	t.lines, t.authors = lines, append(authors, t.authors[at:]...)
	for i, l := range t.lines {
		t.memory[string(l)] = t.authors[i]
	}
}

package history

import (
	"context"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/merge"
	"github.com/counterstep/counterstep/ledger"
)

// Counts are what calls add up to.
type Counts struct {
	Calls int `json:"calls"`
	// Classes counts calls by class.
	Classes map[string]int `json:"classes"`
	Armed   int            `json:"armed"`
	Created int            `json:"created"`
	Fired   int            `json:"fired"`
	Refused int            `json:"refused"`
	// Barriers are calls that no undo covers.
	Barriers int `json:"barriers"`
	// Files counts paths that calls changed, Added and Removed lines of texts.
	Files   int `json:"files"`
	Added   int `json:"lines_added"`
	Removed int `json:"lines_removed"`
	// Bytes is what the payloads of its calls hold.
	Bytes int64 `json:"bytes_held"`
	// Held is for how long calls were held before they were let go, Ran from
	// then until they were settled, in milliseconds, as far as it is recorded.
	Held int64 `json:"held_ms"`
	Ran  int64 `json:"ran_ms"`

	paths map[string]bool
}

// Session is what one session did.
type Session struct {
	ID    string    `json:"id"`
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	Counts
}

// Stats counts what a workspace has seen.
type Stats struct {
	V     int    `json:"v"`
	Total Counts `json:"total"`
	// Sessions are the newest first.
	Sessions []Session `json:"sessions"`
	// Checkpoints is the space that checkpoints take.
	Checkpoints int64 `json:"checkpoint_bytes"`
	Unread      int   `json:"unread,omitempty"`
}

// Stats counts everything. Undos are counted with the calls they took back.
func (b Book) Stats(ctx context.Context) (Stats, error) {
	out := Stats{V: 1, Total: newCounts(), Sessions: []Session{}}
	all, err := b.sagas()
	if err != nil {
		return out, err
	}
	sessions := map[string]*Session{}
	var order []*Session
	for _, s := range all {
		if s.Armed.Undoes != "" || s.Armed.Kind == "" || s.Armed.Kind == ledger.Checkpoint {
			continue
		}
		ses := sessions[s.Armed.Session]
		if ses == nil {
			ses = &Session{ID: s.Armed.Session, First: s.Armed.Time, Counts: newCounts()}
			sessions[s.Armed.Session] = ses
			order = append(order, ses)
		}
		ses.Last = s.Last.Time
		ses.count(s)
		out.Total.count(s)
	}
	out.Unread, err = b.each(ctx, func(c *fire.Changes) bool {
		if ses := sessions[c.Saga.Armed.Session]; ses != nil && c.Saga.Armed.Undoes == "" {
			ses.changes(c, &out.Total)
		}
		return true
	})
	for _, ses := range slices.Backward(order) {
		out.Sessions = append(out.Sessions, *ses)
	}
	return out, err
}

func newCounts() Counts { return Counts{Classes: map[string]int{}, paths: map[string]bool{}} }

// count adds one call.
func (c *Counts) count(s ledger.Saga) {
	c.Calls++
	if s.Armed.Class != "" {
		c.Classes[s.Armed.Class]++
	}
	switch s.Armed.Kind {
	case ledger.Armed:
		c.Armed++
		if id, err := ulid.ParseStrict(s.ID); err == nil {
			c.Held += max(0, s.Armed.Time.Sub(ulid.Time(id.Time())).Milliseconds())
		}
	case ledger.Created:
		c.Created++
	case ledger.Refused:
		c.Refused++
	case ledger.Barrier:
		c.Barriers++
	}
	switch s.Status {
	case ledger.IsFired, ledger.IsStale, ledger.IsConflict:
		c.Fired++
	}
	if s.Settle != nil {
		c.Ran += max(0, s.Settle.Time.Sub(s.Armed.Time).Milliseconds())
	}
	if holds(s) {
		c.Bytes += s.Armed.Bytes
	}
}

// changes adds what one call changed, to a session and to the total.
func (c *Session) changes(ch *fire.Changes, total *Counts) {
	for _, one := range ch.List {
		if one.Post.Type == 0 || one.Pre.Type == fingerprint.Dir || one.Post.Type == fingerprint.Dir {
			continue
		}
		before, okB := ch.Before(one)
		after, okA := ch.After(one)
		removed, added := 0, 0
		if okA && okB && !merge.Binary(before) && !merge.Binary(after) {
			removed, added = size(before, after)
		}
		for _, n := range []*Counts{&c.Counts, total} {
			if !n.paths[one.Path] {
				n.paths[one.Path] = true
				n.Files++
			}
			n.Added, n.Removed = n.Added+added, n.Removed+removed
		}
	}
}

// Package history answers questions about what was done: which call a line is
// from, which call added or removed something, what differs between two calls.
// It only reads. docs/format/history-v1.md lists what it answers.
package history

import (
	"context"
	"slices"
	"time"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// Book is the history of one store.
type Book struct {
	Engine *fire.Engine
}

// Ref names a call.
type Ref struct {
	// Number is the action number, 0 for what has none.
	Number  int           `json:"number,omitempty"`
	ID      string        `json:"id"`
	Session string        `json:"session,omitempty"`
	Time    time.Time     `json:"time,omitzero"`
	Status  ledger.Status `json:"status,omitempty"`
	Tool    string        `json:"tool,omitempty"`
	Command string        `json:"command,omitempty"`
	// Intent is the agent's own words about the call.
	Intent string `json:"intent,omitempty"`
}

// refTo names a saga; call may be nil.
func refTo(s ledger.Saga, call *inverse.Call) Ref {
	a := s.Armed
	r := Ref{Number: s.Number, ID: s.ID, Session: a.Session, Time: a.Time, Status: s.Seen(), Tool: a.Tool, Command: a.Command}
	if r.Intent = s.Intent; r.Intent == "" && call != nil {
		r.Intent = call.Description
	}
	return r
}

// sagas are all sagas, the oldest first.
func (b Book) sagas() ([]ledger.Saga, error) {
	all, err := b.Engine.Sagas()
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	return all, nil
}

// each opens the changes of all sagas that hold something, the oldest first,
// undos among them, until do returns false. It returns how many could not be
// read: those are passed over.
func (b Book) each(ctx context.Context, do func(*fire.Changes) bool) (unread int, err error) {
	all, err := b.sagas()
	if err != nil {
		return 0, err
	}
	for _, s := range all {
		if err := ctx.Err(); err != nil {
			return unread, err
		}
		if !holds(s) {
			continue
		}
		more, ok := b.open(ctx, s, do)
		if !ok {
			unread++
		}
		if !more {
			break
		}
	}
	return unread, nil
}

func (b Book) open(ctx context.Context, s ledger.Saga, do func(*fire.Changes) bool) (more, ok bool) {
	c, err := b.Engine.Changes(ctx, s)
	if err != nil {
		return true, false
	}
	defer c.Close()
	return do(c), true
}

// holds reports whether a saga has a payload to be read.
func holds(s ledger.Saga) bool {
	return s.Manifest != "" && s.Status != ledger.IsForgotten && s.Status != ledger.IsCall && s.Status != ledger.IsRefused
}

package git

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterstep/counterstep/internal/fail"
)

// State says what firing did to one ref.
type State string

// The states of a ref after firing. Only Fired changed something.
const (
	// Fired: the remote has what it had before the call.
	Fired State = "fired"
	// Already: it had that before anything was sent.
	Already State = "already-there"
	// Refused: the server did not take it; the ref is as the call left it.
	Refused State = "refused-by-server"
	// Lost: the ref is no longer what the call left, so it was not touched.
	Lost State = "lease-lost"
	// Indeterminate: it could not be found out. Firing again is safe.
	Indeterminate State = "indeterminate"
)

// Outcome is what firing did to one ref.
type Outcome struct {
	Ref    string `json:"ref"`
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"`
	// Now is what the remote has, Unknown when it could not be read.
	Now OID `json:"now"`
}

// ErrDamaged says that a private store lacks what it once held.
var ErrDamaged = errors.New("the private store is damaged")

// Fire puts the refs of r back to Old, from the private store below dir: each
// under a lease on what the call left there, never by plain force. A ref that
// the call created is deleted, one that it deleted is created. There is one
// outcome per ref, in the order of r.Refs, decided by reading the remote after
// the push.
//
// An error means that nothing was sent: the remote cannot be read
// (ErrUnreachable), or the store lacks a tip (ErrDamaged). Firing again is
// always safe.
func (d *Door) Fire(ctx context.Context, r Remote, dir string) ([]Outcome, error) {
	store, err := openStore(dir, r)
	if err != nil {
		return nil, fmt.Errorf("fire %s: %w: %w", Shown(r.URL), ErrDamaged, err)
	}
	before, err := d.read(ctx, r.URL, r.GitDir)
	if err != nil {
		return nil, fmt.Errorf("fire %s: %w", Shown(r.URL), err)
	}
	out := make([]Outcome, len(r.Refs))
	var moves []move
	for i, u := range r.Refs {
		out[i] = beforeFiring(u, before.find(u.Name))
		if out[i].State != "" {
			continue
		}
		if u.Old.Is() {
			if !isKept(store, u.Old) {
				return nil, fmt.Errorf("fire %s: %w: %s is not held", Shown(r.URL), ErrDamaged, u.Old)
			}
		}
		moves = append(moves, move{u.Name, u.expected(), u.Old})
	}
	if len(moves) == 0 {
		return out, nil
	}
	if err := fail.Point("git.fire"); err != nil {
		return nil, fmt.Errorf("fire %s: %w", Shown(r.URL), err)
	}
	answers, pushErr := d.push(ctx, store, r, moves)
	after, readErr := d.read(ctx, r.URL, r.GitDir)
	for i, u := range r.Refs {
		switch {
		case out[i].State != "":
		case readErr != nil:
			out[i] = Outcome{u.Name, Indeterminate, "the remote could not be read afterwards: " + readErr.Error(), Unknown}
		default:
			out[i] = afterFiring(u, after.find(u.Name), answers[u.Name], pushErr)
		}
	}
	return out, nil
}

// beforeFiring decides what can be decided without sending anything; the state
// is empty when the ref is to be moved.
func beforeFiring(u Ref, now OID) Outcome {
	want := u.expected()
	switch {
	case now == u.Old:
		return Outcome{u.Name, Already, "", now}
	case !want.Known():
		return Outcome{u.Name, Lost, "what the call left there is not recorded", now}
	case now != want:
		return Outcome{u.Name, Lost, "it was moved by someone else", now}
	}
	return Outcome{Ref: u.Name, Now: now}
}

// afterFiring decides from what the remote has now; what git reported only
// explains it.
func afterFiring(u Ref, now OID, a answer, pushErr error) Outcome {
	moved := a.flag != 0 && a.flag != '!'
	switch {
	case now == u.Old:
		return Outcome{u.Name, Fired, "", now}
	case moved:
		return Outcome{u.Name, Fired, "it was moved again by someone else since", now}
	case now != u.expected():
		return Outcome{u.Name, Lost, "it was moved by someone else", now}
	case a.flag == '!':
		return Outcome{u.Name, Refused, a.reason, now}
	case pushErr != nil:
		return Outcome{u.Name, Indeterminate, pushErr.Error(), now}
	}
	return Outcome{u.Name, Indeterminate, "git gave no answer about it", now}
}

// Reverse is the step that undoes the firing of r: what the remote has now,
// as Observe found it, is what it puts back. Refs that firing r will not touch
// are left out. It must be held before r is fired, see Hold.
func Reverse(r Remote, seen map[string]OID) Remote {
	out := r
	out.Store, out.Open, out.Refs = "", false, nil
	for _, u := range r.Refs {
		now := seen[u.Name]
		if now == u.expected() && now != u.Old {
			out.Refs = append(out.Refs, Ref{Name: u.Name, Src: string(u.Old), Old: now, New: u.Old, Post: Unknown})
		}
	}
	return out
}

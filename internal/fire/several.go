package fire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

// Several is what firing more than one call did.
type Several struct {
	V int `json:"v"`
	// Status is fired when all were; stopped when one could not be taken back
	// completely, and then the older ones were not tried; "would fire" for a dry
	// run.
	Status string `json:"status"`
	// Fired are the results, in the order of firing: the newest call first. In
	// a dry run they say what would be done.
	Fired []Fired `json:"fired"`
	// Already counts the calls among them that had been taken back before.
	Already int `json:"already_fired"`
	// Stopped is the call at which it stopped, the last of Fired.
	Stopped string `json:"stopped_at,omitempty"`
	// Left are the calls that were not tried, the newest first.
	Left []string `json:"left,omitempty"`
	// Uncovered are what ran among them without an undo.
	Uncovered []string `json:"no_undo,omitempty"`
}

// Fired is one of several calls.
type Fired struct {
	Number  int    `json:"number,omitempty"`
	Command string `json:"command,omitempty"`
	Inverse string `json:"inverse,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Result
}

// FireSeveral takes calls back, the newest first, whatever their order in
// sagas. It stops at the first one that cannot be taken back completely, so
// that no older one is compared with a state that it does not know. Called
// again with the same calls, also after it was killed, it goes on: what is
// fired already is passed over.
//
// Calls that ran at the same time do not stand in each other's way when all of
// them are among the sagas. The error says why it stopped; the Several says
// what was done until then.
func (e *Engine) FireSeveral(ctx context.Context, sagas []ledger.Saga, o Options) (Several, error) {
	out := Several{V: 1, Status: "fired", Fired: []Fired{}}
	var todo []ledger.Saga
	o.among = map[string]bool{}
	for _, s := range newestFirst(sagas) {
		switch {
		case s.Status == ledger.IsFired || s.Status == ledger.IsStale || s.Status == ledger.IsConflict:
			out.Already++
			o.among[s.ID] = true
		case s.Fireable():
			todo = append(todo, s)
			o.among[s.ID] = true
		case s.Status == ledger.IsBarrier || s.Status == ledger.IsForgotten:
			out.Uncovered = append(out.Uncovered, s.ID)
		}
	}
	if o.DryRun {
		out.Status = "would fire"
		var err error
		out.Fired, err = e.drySeveral(ctx, todo, o)
		return out, err
	}
	for i, s := range todo {
		r, err := e.Fire(ctx, s, o)
		if err == nil && (r.Status == "stale" && !r.asAsked() || r.Status == "conflict") {
			err = hint.Exit(hint.New("counterstep show "+short(s.ID), "not everything could be taken back: something was changed since"), ExitStale)
		}
		if _, other := errors.AsType[*untouchedError](err); other {
			continue
		}
		if r.ID != "" {
			out.Fired = append(out.Fired, fired(s, r))
		}
		if err == nil {
			continue
		}
		if r.ID == "" {
			out.Fired = append(out.Fired, fired(s, Result{ID: s.ID, Status: "not fired", Armed: s.Armed.Fingerprint, Lines: []Line{}}))
		}
		out.Fired[len(out.Fired)-1].Reason = hint.Clean(err.Error())
		out.Status, out.Stopped = "stopped", s.ID
		for _, l := range todo[i+1:] {
			out.Left = append(out.Left, l.ID)
		}
		return out, stoppedAt(s, err, len(out.Left))
	}
	return out, nil
}

func fired(s ledger.Saga, r Result) Fired {
	return Fired{Number: s.Number, Command: s.Armed.Command, Inverse: s.Armed.Inverse, Result: r}
}

// stoppedAt keeps the exit code and the hints of a cause.
func stoppedAt(s ledger.Saga, cause error, left int) error {
	if errors.Is(cause, context.Canceled) {
		return hint.New("", "interrupted before %s; what was fired until then stays fired", name(s))
	}
	err := fmt.Errorf("stopped at %s: %w", name(s), cause)
	if left > 0 {
		err = fmt.Errorf("stopped at %s, %d older ones were not tried; the same command goes on behind it: %w", name(s), left, cause)
	}
	return err
}

// name is what people call a saga.
func name(s ledger.Saga) string {
	if s.Number > 0 {
		return fmt.Sprintf("#%d", s.Number)
	}
	return short(s.ID)
}

// newestFirst orders sagas by when they began, each of them once.
func newestFirst(sagas []ledger.Saga) []ledger.Saga {
	out := slices.Clone(sagas)
	slices.SortStableFunc(out, func(a, b ledger.Saga) int { return cmp.Compare(b.Armed.Seq, a.Armed.Seq) })
	return slices.CompactFunc(out, func(a, b ledger.Saga) bool { return a.ID == b.ID })
}

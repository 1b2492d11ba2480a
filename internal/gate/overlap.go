package gate

import (
	"slices"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// A call that has not come back after these times is taken for one that never
// ran: a person may have said no to it after the hook.
const (
	callTime       = 10 * time.Minute
	backgroundTime = 2 * time.Hour
)

// overlapping lists other calls that ran at some time while this one, whose
// writes are not known, did: bounded are those of which nobody can say whose a
// change is, exact those whose effects name what they change, firings included.
func overlapping(st *store.Store, id string) (bounded, exact []string) {
	records, err := ledger.Tail(st.LedgerDir(), 500)
	if err != nil {
		return nil, nil
	}
	open := map[string]ledger.Record{} // armed and not settled, at a moment
	mine := false
	add := func(r ledger.Record) {
		list := &exact
		if r.Class == classify.Bounded.String() && r.Undoes == "" {
			list = &bounded
		}
		if r.ID != id && !slices.Contains(*list, r.ID) {
			*list = append(*list, r.ID)
		}
	}
	for _, r := range slices.Backward(records) { // the oldest first
		switch {
		case r.ID == id && r.Kind == ledger.Armed && !mine:
			mine = true
			for _, o := range open {
				if lasts := r.Time.Sub(o.Time); lasts < callTime || o.Background && lasts < backgroundTime {
					add(o)
				}
			}
		case r.Kind == ledger.Armed, r.Kind == ledger.Created:
			if mine {
				add(r)
			}
			if r.Kind == ledger.Armed {
				open[r.ID] = r
			}
		case r.Kind == ledger.Settled && r.Background:
			if o, ok := open[r.ID]; ok {
				o.Background = true
				open[r.ID] = o
			}
		case r.Kind == ledger.Settled, r.Kind == ledger.Call:
			delete(open, r.ID)
		case r.Kind == ledger.Fired, r.Kind == ledger.Stale, r.Kind == ledger.Failed:
			delete(open, r.ID)
			for other, o := range open {
				if o.Undoes == r.ID {
					delete(open, other) // the firing is over
				}
			}
		}
	}
	slices.Sort(bounded)
	slices.Sort(exact)
	return bounded, exact
}

// scopes are the paths that the effects of calls name. What cannot be read
// names nothing.
func scopes(st *store.Store, ids []string) (out []inverse.Root) {
	for _, id := range ids {
		p, err := st.Payload(id, [32]byte{})
		if err != nil {
			continue
		}
		data, err := p.Call()
		p.Close()
		if err != nil {
			continue
		}
		call, err := inverse.ReadCall(data)
		if err != nil || call.Bound != nil {
			continue
		}
		out = append(out, call.Step.Roots...)
		for _, m := range call.Step.Moves {
			out = append(out, inverse.Root{Path: m.From, Tree: true}, inverse.Root{Path: m.To, Tree: true})
		}
	}
	return out
}

package fire

import (
	"time"

	"github.com/counterstep/counterstep/ledger"
)

// A call that has not come back after these times is taken for one that never
// ran, or that nobody reported.
const (
	callTime       = 10 * time.Minute
	backgroundTime = 2 * time.Hour
)

// inFlight are agents' calls that may be running: let go, not settled, and
// neither too old for that nor followed by the session's next prompt.
func inFlight(e *Engine, sagas []ledger.Saga) []ledger.Saga {
	later := map[string]uint64{} // session → its newest prompt
	for _, s := range sagas {
		if s.Armed.Kind == ledger.Checkpoint {
			later[s.Armed.Session] = max(later[s.Armed.Session], s.Armed.Seq)
		}
	}
	var out []ledger.Saga
	for _, s := range sagas {
		a := s.Armed
		background := a.Background || s.Settle != nil && s.Settle.Background
		limit := callTime
		if background {
			limit = backgroundTime
		}
		switch {
		case a.Kind != ledger.Armed || a.Undoes != "" || settledAt(s) > 0:
		case s.Status != ledger.IsArmed && s.Status != ledger.IsOpen:
		case e.Now().Sub(a.Time) > limit, !background && a.Seq < later[a.Session]:
		default:
			out = append(out, s)
		}
	}
	return out
}

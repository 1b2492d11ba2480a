package fire

import (
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

// Done says why a saga that was taken back, but not completely, cannot be fired
// again: its files hold other things since.
func Done(s ledger.Saga) error {
	switch {
	case s.Status == ledger.IsConflict:
		return hint.New("counterstep resolve "+short(s.ID), "%s was taken back with markers that wait to be resolved", short(s.ID))
	case s.Status == ledger.IsStale && !s.Part():
		return hint.New("counterstep redo, then fire it again", "%s was taken back as far as that went", short(s.ID))
	}
	return nil
}

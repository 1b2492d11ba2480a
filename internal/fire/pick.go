package fire

import (
	"slices"
	"strings"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

// Pick says which calls are meant. Fields that are set must all hold.
type Pick struct {
	// Since is an action number or the beginning of an id: that call and all
	// later ones.
	Since string
	// Session is the beginning of a session's id.
	Session string
	// Prompt is the number of a prompt: the calls that it led to.
	Prompt int
	// From and To are action numbers, both included; 0 is open.
	From, To int
}

// Calls are the calls that a pick means, the newest first: actions, whatever
// has become of them, and barriers. Undos are not among them.
func (e *Engine) Calls(p Pick) ([]ledger.Saga, error) {
	keep, err := e.picker(p)
	if err != nil {
		return nil, err
	}
	all, err := e.Sagas()
	if err != nil {
		return nil, err
	}
	out := slices.DeleteFunc(all, func(s ledger.Saga) bool {
		return s.Armed.Undoes != "" || !s.Armed.IsAction() && s.Status != ledger.IsBarrier || !keep(s)
	})
	if len(out) == 0 {
		return nil, hint.New("counterstep list", "no call is meant by that")
	}
	return out, nil
}

// picker looks up what a pick names.
func (e *Engine) picker(p Pick) (func(ledger.Saga) bool, error) {
	var since uint64
	if p.Since != "" {
		s, err := e.Find(p.Since)
		if err != nil {
			return nil, err
		}
		since = s.Armed.Seq
	}
	var prompt ledger.Saga
	if p.Prompt > 0 {
		id, err := ledger.Prompt(e.Store.LedgerDir(), p.Prompt)
		if err != nil {
			return nil, err
		}
		if id == "" {
			return nil, hint.New("counterstep checkpoints", "there is no prompt %d", p.Prompt)
		}
		if prompt, err = e.Find(id); err != nil {
			return nil, err
		}
	}
	return func(s ledger.Saga) bool {
		switch a := s.Armed; {
		case a.Seq < since, !strings.HasPrefix(a.Session, p.Session):
			return false
		case p.From > 0 && (s.Number == 0 || s.Number < p.From), p.To > 0 && (s.Number == 0 || s.Number > p.To):
			return false
		case p.Prompt > 0:
			return a.Session == prompt.Armed.Session && a.Prompt == prompt.Armed.Prompt && a.Seq > prompt.Armed.Seq
		}
		return true
	}, nil
}

package fire

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

// Target is a point to which a workspace can be rewound: a prompt, or a call.
type Target struct {
	Saga ledger.Saga
}

// since is the place in the ledger after which calls are taken back.
func (t Target) since() uint64 {
	if t.Saga.Armed.Kind == ledger.Checkpoint {
		return t.Saga.Armed.Seq
	}
	return t.Saga.Armed.Seq - 1
}

// words name the point.
func (t Target) words() string {
	if t.Saga.Armed.Kind == ledger.Checkpoint {
		return "--prompt " + strconv.Itoa(t.Saga.Number)
	}
	return "--before-call " + word(t.Saga)
}

func (t Target) retry() string { return "counterstep rewind " + t.words() }

func (t Target) point() Point {
	a := t.Saga.Armed
	p := Point{ID: t.Saga.ID, Harness: a.Harness, Session: a.Session, Time: a.Time, Prompt: a.Prompt}
	if a.Kind == ledger.Checkpoint {
		p.Number, p.UUID, p.Text = t.Saga.Number, t.Saga.UUID, a.Command
	} else {
		p.Call = t.Saga.Number
	}
	return p
}

// gone says that a prompt is known and its checkpoint is not there any more.
func gone(s ledger.Saga) error {
	return hint.New("counterstep checkpoints", "no checkpoint for this prompt any more: that of prompt %d was let go, as gc does with old ones", s.Number)
}

// ErrNoPrompt says that nothing is known of a prompt.
type ErrNoPrompt struct{ Word string }

func (e *ErrNoPrompt) Error() string { return fmt.Sprintf("no checkpoint for prompt %q", e.Word) }

// Prompt returns the prompt that a word names: its number, or the beginning of
// the id of its checkpoint, of the prompt, or of its message. The error is an
// *ErrNoPrompt when nothing has such an id.
func (e *Engine) Prompt(what string) (Target, error) {
	prompts, err := e.Prompts(0)
	if err != nil {
		return Target{}, err
	}
	n, isNumber := Number(what)
	var found []ledger.Saga
	for _, s := range prompts {
		if isNumber && s.Number == n || !isNumber && named(s, what) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 0 && isNumber && len(prompts) > 0:
		return Target{}, hint.New("counterstep checkpoints", "no checkpoint for prompt %d: there are %d prompts", n, prompts[0].Number)
	case len(found) == 0 || what == "":
		return Target{}, &ErrNoPrompt{what}
	case len(found) > 1 && !oneState(found):
		return Target{}, hint.New("counterstep checkpoints", "ambiguous id: %q is the beginning of %d ids", what, len(found))
	case found[0].Status == ledger.IsForgotten:
		return Target{}, gone(found[0])
	}
	return Target{found[0]}, nil
}

// oneState reports prompts with the same state before them: whichever is meant,
// the same is put back.
func oneState(prompts []ledger.Saga) bool {
	for _, s := range prompts {
		if s.Armed.Checkpoint == "" || s.Armed.Checkpoint != prompts[0].Armed.Checkpoint {
			return false
		}
	}
	return true
}

// BeforeCall is the point before an action.
func (e *Engine) BeforeCall(what string) (Target, error) {
	s, err := e.Find(what)
	if err != nil {
		return Target{}, err
	}
	if !s.Armed.IsAction() {
		return Target{}, hint.New("counterstep list", "%s is no call that can be rewound to: it is a %s", name(s), s.Status)
	}
	return Target{s}, nil
}

// named reports whether one of a prompt's ids begins with a word.
func named(s ledger.Saga, what string) bool {
	a := s.Armed
	for _, id := range []string{s.ID, a.Checkpoint} {
		if strings.HasPrefix(id, strings.ToUpper(what)) {
			return true
		}
	}
	return strings.HasPrefix(a.Prompt, what) || strings.HasPrefix(s.UUID, what)
}

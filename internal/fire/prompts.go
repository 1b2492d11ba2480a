package fire

import (
	"slices"

	"github.com/counterstep/counterstep/ledger"
)

// Prompts are the newest n prompts that have a checkpoint, or had one, the newest
// first; n is 0 for all. Of the ledger only their own records are read.
func (e *Engine) Prompts(n int) ([]ledger.Saga, error) {
	var records []ledger.Record
	found := 0
	err := ledger.Marked(e.Store.LedgerDir(), func(r ledger.Record) bool {
		records = append(records, r)
		if r.Kind == ledger.Checkpoint {
			found++
		}
		return n == 0 || found < n
	}, `"kind":"checkpoint"`, `"uuid":"`, `"kind":"forgotten"`)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ledger.Fold(records), func(s ledger.Saga) bool { return s.Armed.Kind != ledger.Checkpoint }), nil
}

// PromptWork is what a prompt led to.
type PromptWork struct {
	// Calls counts what was let go: actions, barriers, and calls that destroyed
	// nothing.
	Calls int
	// Actions are the numbers of those that can be fired, the oldest first.
	Actions []int
	// Files is the number of paths that they changed. More are counted once for
	// each call.
	Files int
}

// Work tells of each of the newest n prompts what it led to; n is 0 for all.
func (e *Engine) Work(n int) (map[string]PromptWork, error) {
	prompts := 0
	if n == 0 {
		all, err := e.Sagas()
		if err != nil {
			return nil, err
		}
		return workOf(all), nil
	}
	sagas, err := ledger.Recent(e.Store.LedgerDir(), func(sagas []ledger.Saga) bool {
		prompts = 0
		for _, s := range sagas {
			if s.Armed.Kind == ledger.Checkpoint {
				prompts++
			}
		}
		return prompts >= n
	})
	if err != nil {
		return nil, err
	}
	return workOf(sagas), nil
}

// workOf is what the prompts among sagas, given newest first, led to.
func workOf(sagas []ledger.Saga) map[string]PromptWork {
	work := map[string]PromptWork{}
	paths := map[string]map[ledger.Name]bool{}
	at := map[[2]string]string{} // session and prompt id → checkpoint
	for _, s := range slices.Backward(sagas) {
		key := [2]string{s.Armed.Session, s.Armed.Prompt}
		if s.Armed.Kind == ledger.Checkpoint {
			at[key], paths[s.ID] = s.ID, map[ledger.Name]bool{}
			work[s.ID] = PromptWork{}
			continue
		}
		id, ok := at[key]
		if !ok || s.Armed.Undoes != "" || s.Status == ledger.IsRefused {
			continue
		}
		w := work[id]
		w.Calls++
		if s.Armed.IsAction() && s.Status != ledger.IsCall {
			w.Actions = append(w.Actions, s.Number)
		}
		changed, more := s.Changed()
		w.Files += more
		for _, p := range changed {
			if !paths[id][p] {
				paths[id][p] = true
				w.Files++
			}
		}
		work[id] = w
	}
	return work
}

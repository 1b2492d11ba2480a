package fire

import (
	"strconv"
	"strings"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

// Sagas are all sagas of the store, the newest first.
func (e *Engine) Sagas() ([]ledger.Saga, error) {
	records, _, err := ledger.ReadAll(e.Store.LedgerDir())
	if err != nil {
		return nil, err
	}
	return ledger.Fold(records), nil
}

// Number reads an action number as people type it: a decimal without a leading
// zero, with or without a # before it. It is never the beginning of an id: all
// ids begin with a zero.
func Number(word string) (n int, ok bool) {
	word = strings.TrimPrefix(word, "#")
	if word == "" || word[0] == '0' || strings.Trim(word, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(word)
	return n, err == nil
}

// Find returns the saga that a word names: an action number, or the beginning
// of an id.
func (e *Engine) Find(word string) (ledger.Saga, error) {
	dir := e.Store.LedgerDir()
	prefix := strings.ToUpper(word)
	if n, ok := Number(word); ok {
		id, err := ledger.Action(dir, n)
		if err != nil {
			return ledger.Saga{}, err
		}
		if id == "" {
			return ledger.Saga{}, hint.New("counterstep list", "there is no action #%d", n)
		}
		prefix = id
	}
	// Its status also depends on the sagas that undo it.
	records, err := ledger.Trace(dir, prefix)
	if err != nil {
		return ledger.Saga{}, err
	}
	var sagas []ledger.Saga
	for _, s := range ledger.Fold(records) {
		if strings.HasPrefix(s.ID, prefix) {
			sagas = append(sagas, s)
		}
	}
	switch {
	case len(sagas) == 0:
		return ledger.Saga{}, hint.New("counterstep ledger", "no record has an id that begins with %q", word)
	case len(sagas) > 1:
		return ledger.Saga{}, hint.New("counterstep ledger", "%q is the beginning of %d ids", word, len(sagas))
	case sagas[0].Number == 0 && sagas[0].Armed.IsAction():
		return e.whole(sagas[0].ID) // of an earlier version, which wrote no counts
	}
	return sagas[0], nil
}

// whole finds a saga in the whole ledger.
func (e *Engine) whole(id string) (ledger.Saga, error) {
	all, err := e.Sagas()
	if err != nil {
		return ledger.Saga{}, err
	}
	for _, s := range all {
		if s.ID == id {
			return s, nil
		}
	}
	return ledger.Saga{}, hint.New("counterstep ledger", "no record has the id %s", id)
}

// Last returns the newest call that can be fired.
func (e *Engine) Last() (ledger.Saga, error) {
	var last *ledger.Saga
	_, err := ledger.Recent(e.Store.LedgerDir(), func(sagas []ledger.Saga) bool {
		for _, s := range sagas {
			if s.Armed.Undoes == "" && s.Fireable() {
				last = &s
				return true
			}
		}
		return false
	})
	if err != nil {
		return ledger.Saga{}, err
	}
	if last == nil {
		return ledger.Saga{}, hint.New("counterstep ledger", "no call is armed")
	}
	return *last, nil
}

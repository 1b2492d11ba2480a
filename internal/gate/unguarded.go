package gate

import (
	"context"
	"path"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// lookBack is how many records are searched for the beginning of a call: those
// of a call that just ran are among the newest.
var lookBack = [...]int{16, 4096}

// unguarded records a call that may have changed something and that no hook
// was asked about: nothing can take it back, and nothing may claim to.
func (g *Gate) unguarded(ctx context.Context, r Request, stores []*store.Store) error {
	if !g.mutating(r) {
		return nil
	}
	for _, st := range stores {
		known, err := announced(st, r)
		if err != nil || known {
			return err
		}
	}
	rec := g.record(ledger.Unguarded, g.NewID(), r, classify.Verdict{})
	rec.Class, rec.Reason = "", "the call ran and no hook was asked before it"
	_, err := g.append(ctx, stores[0], rec, ledger.AppendOptions{Sync: true})
	return err
}

// announced reports whether the ledger has a record from before the call.
func announced(st *store.Store, r Request) (bool, error) {
	command := hint.CleanText(Redact(what(r)))
	for _, n := range lookBack {
		records, err := ledger.Tail(st.LedgerDir(), n)
		if err != nil {
			return false, err
		}
		for _, rec := range records {
			if rec.Session != r.Session || rec.Harness != r.Harness {
				continue
			}
			if r.CallID != "" && rec.Call == r.CallID || r.CallID == "" && rec.Tool == r.Tool && rec.Command == command {
				return true, nil
			}
		}
		if len(records) < n {
			break
		}
	}
	return false, nil
}

// mutating reports whether a call that has run may have changed something. Its
// targets may be gone by now, so what counts is which programs it names.
func (g *Gate) mutating(r Request) bool {
	switch r.Input.Kind {
	case Read, External:
		return false
	case Shell, PowerShell:
	default:
		return true
	}
	v := g.Classify(r, g.Workspace(r.Cwd))
	if v.Class != classify.Inert || len(v.Effects) > 0 || len(v.Barriers) > 0 {
		return true
	}
	quiet := map[string]bool{}
	for _, m := range classify.Models() {
		for _, name := range m.Names {
			quiet[name] = m.Class == classify.Inert
		}
	}
	for _, p := range v.Parts {
		if len(p.Argv) > 0 && !quiet[path.Base(p.Argv[0])] {
			return true
		}
	}
	return false
}

package gate

import (
	"context"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/ledger"
)

// refuse answers a call that has no inverse. The refusal stands whether or not
// it can be recorded.
func (g *Gate) refuse(ctx context.Context, r Request, ws workspace.Workspace, v classify.Verdict) Decision {
	st, err := g.open(ws)
	if err != nil {
		d := refusal(v)
		d.Note = "not recorded: " + hint.Clean(err.Error())
		return d
	}
	return g.refuseIn(ctx, r, st, v)
}

func (g *Gate) refuseIn(ctx context.Context, r Request, st *store.Store, v classify.Verdict) Decision {
	ws := g.Workspace(r.Cwd)
	if g.allowed(r, st, ws, v) {
		return g.excepted(ctx, r, st, v, "a person allowed it once")
	}
	d := refusal(v)
	if p, err := g.policy(ws); err == nil && p.Ask && r.CanAsk && askable(v) {
		if e := g.excepted(ctx, r, st, v, "a person is asked"); e.Fault {
			return e
		}
		d.Ask = true
		return d
	}
	v.Class = classify.Irreversible
	rec := g.record(ledger.Refused, g.NewID(), r, v)
	rec.Reason, rec.Hint = d.Reason, d.Hint
	if _, err := g.append(ctx, st, rec, ledger.AppendOptions{}); err != nil {
		d.Note = "not recorded: " + hint.Clean(err.Error())
	}
	return d
}

// refusal puts the first reason and the nearest form that works into words for
// a model.
func refusal(v classify.Verdict) Decision {
	d := Decision{Refused: true, Reason: "this call has no undo"}
	if len(v.Refusals) > 0 {
		d.Reason = hint.Clean(v.Refusals[0].Reason)
		d.Hint = hint.Clean(v.Refusals[0].Instead)
	}
	return d
}

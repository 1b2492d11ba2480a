package fire

import (
	"context"

	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// View is a saga with what it holds and what firing it would do now.
type View struct {
	// Call is nil when the saga holds nothing.
	Call *inverse.Call
	// Now is what firing would do; nil when that cannot be told.
	Now *Result
}

// Look opens a saga and compares it with the present. It changes nothing.
func (e *Engine) Look(ctx context.Context, s ledger.Saga) (View, error) {
	if s.Manifest == "" {
		return View{}, nil
	}
	j, err := e.load(s)
	if err != nil {
		return View{}, err
	}
	defer j.close()
	v := View{Call: &j.call}
	if err := j.bounded(ctx, e); err != nil {
		return v, err
	}
	j.follow(ctx, e)
	if err := j.compare(ctx, Options{DryRun: true}); err != nil {
		return v, err
	}
	r := j.result("would fire")
	v.Now = &r
	return v, nil
}

package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// roomy is the size in bytes up to which checkpoints are left alone.
const roomy = 256 << 20

// collect drops checkpoints that no held call needs, once they take room. What
// is needed is read from every payload that is still there; when one cannot be
// read, nothing is dropped.
func (g *Gate) collect(ctx context.Context, st *store.Store) error {
	set := checkpoint.In(st)
	if size, err := set.Size(); err != nil || size < roomy && !g.pressed(st) {
		return err
	}
	ids, err := st.IDs()
	if err != nil {
		return err
	}
	var needed []string
	for _, id := range ids {
		more, err := checkpointsOf(st, id)
		if err != nil {
			return fmt.Errorf("see which checkpoints %s needs: %w", id, err)
		}
		needed = append(needed, more...)
	}
	prompts, err := promptCheckpoints(st.LedgerDir(), g.Now())
	if err != nil {
		return err
	}
	needed = append(needed, prompts...)
	_, err = set.Collect(ctx, checkpoint.CollectOptions{Keep: needed, Young: day, Now: g.Now()})
	return err
}

// promptCheckpoints are the ids of the checkpoints that prompts of the last
// keepTime need. Time goes on from the newest prompt by a day at most, so that a
// clock that jumped ahead makes none old.
func promptCheckpoints(dir string, now time.Time) ([]string, error) {
	var ids []string
	var since time.Time
	gone := map[string]bool{}
	err := ledger.Marked(dir, func(r ledger.Record) bool {
		switch {
		case r.Kind == ledger.Forgotten:
			gone[r.ID] = true
		case r.Kind != ledger.Checkpoint || r.Checkpoint == "" || gone[r.ID]:
		default:
			if since.IsZero() {
				since = now
				if late := r.Time.Add(day); late.Before(now) {
					since = late
				}
				since = since.Add(-keepTime)
			}
			if r.Time.After(since) {
				ids = append(ids, r.Checkpoint)
			}
		}
		return true
	}, `"kind":"checkpoint"`, `"kind":"forgotten"`)
	return ids, err
}

// checkpointsOf are the checkpoints that firing a saga needs.
func checkpointsOf(st *store.Store, id string) ([]string, error) {
	p, err := st.Payload(id, [32]byte{})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	data, err := p.Call()
	if err != nil {
		return nil, err
	}
	call, err := inverse.ReadCall(data)
	if err != nil || call.Bound == nil {
		return nil, err
	}
	out := []string{call.Bound.Checkpoint}
	refs, ok, err := st.Refs(id)
	if err != nil || !ok {
		return out, err
	}
	var left inverse.Left
	if err := json.Unmarshal(refs, &left); err != nil {
		return nil, err
	}
	if left.Bound != nil && left.Bound.Post != "" {
		out = append(out, left.Bound.Post)
	}
	return out, nil
}

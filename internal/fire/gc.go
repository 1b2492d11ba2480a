package fire

import (
	"context"
	"fmt"
	"time"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/ledger"
)

// Day is the youngest age at which anything is collected: younger things may
// belong to a call that is just running.
const Day = 24 * time.Hour

// Garbage says what a collection removed, or would remove.
type Garbage struct {
	// Forgotten are the ids of calls that can no longer be taken back.
	Forgotten []string `json:"forgotten"`
	// Prompts is how many prompts can no longer be rewound to.
	Prompts int `json:"prompts"`
	// Checkpoints is how many were dropped, Kept how many stay.
	Checkpoints int `json:"checkpoints"`
	Kept        int `json:"kept"`
	// Before and After are the bytes that checkpoints take.
	Before int64 `json:"bytes_before"`
	After  int64 `json:"bytes_after"`
}

// CollectOptions say what to keep.
type CollectOptions struct {
	// Keep is how old a call must be to be forgotten, a day at least.
	Keep time.Duration
	// Newest keeps the newest prompts of each session, however old they are.
	Newest bool
	// DryRun only says what would be done.
	DryRun bool
}

// Collect forgets old calls and drops the checkpoints and contents that no
// remaining call needs.
func (e *Engine) Collect(ctx context.Context, o CollectOptions) (Garbage, error) {
	keep, dry := o.Keep, o.DryRun
	g := Garbage{Forgotten: []string{}}
	unlock, err := e.lock(ctx)
	if err != nil {
		return g, err
	}
	defer unlock()
	records, report, err := ledger.ReadAll(e.Store.LedgerDir())
	if err != nil {
		return g, err
	}
	sagas := ledger.Fold(records)
	// A clock that jumped ahead makes nothing old: time goes on from the newest
	// record, by a day at most.
	now := e.Now()
	if n := len(records); n > 0 && now.Sub(records[n-1].Time) > Day {
		now = records[n-1].Time.Add(Day)
	}
	limit := now.Add(-max(keep, Day))
	var favoured map[string]bool
	if o.Newest {
		favoured = ledger.Newest(records, ledger.KeepPrompts)
	}
	var needed []string
	for _, s := range sagas {
		if s.Manifest == "" || s.Status == ledger.IsForgotten || s.Status == ledger.IsCall {
			continue
		}
		if s.Armed.Time.Before(limit) && !favoured[s.ID] && s.Status != ledger.IsFiring {
			g.Forgotten = append(g.Forgotten, s.ID)
			if !dry {
				if err := e.forget(ctx, s, fmt.Sprintf("older than %s", keep)); err != nil {
					return g, err
				}
			}
			continue
		}
		ids, err := e.checkpoints(s, report.Damage)
		if err != nil {
			return g, fmt.Errorf("see what %s needs: %w", short(s.ID), err)
		}
		needed = append(needed, ids...)
	}
	prompts, err := e.promptCheckpoints(sagas, limit, &g, dry)
	if err != nil {
		return g, err
	}
	needed = append(needed, prompts...)
	c, err := checkpoint.In(e.Store).Collect(ctx, checkpoint.CollectOptions{Keep: needed, Young: Day, Now: e.Now(), DryRun: dry})
	if err != nil {
		return g, fmt.Errorf("collect checkpoints: %w", err)
	}
	g.Checkpoints, g.Kept, g.Before, g.After = c.Dropped, c.Kept, c.Before, c.After
	return g, nil
}

// checkpoints are the checkpoints that firing a saga needs.
func (e *Engine) checkpoints(s ledger.Saga, damage []ledger.Damage) ([]string, error) {
	j, err := e.loadWith(s, damage)
	if err != nil {
		return nil, err
	}
	defer j.close()
	if j.call.Bound == nil {
		return nil, nil
	}
	return []string{j.call.Bound.Checkpoint, j.call.Bound.Post}, nil
}

// promptCheckpoints are those that prompts younger than limit need. Older ones
// can no longer be rewound to, and their records get a forgotten one.
func (e *Engine) promptCheckpoints(sagas []ledger.Saga, limit time.Time, g *Garbage, dry bool) ([]string, error) {
	var needed []string
	for _, s := range sagas {
		if s.Status != ledger.IsCheckpoint || s.Armed.Checkpoint == "" {
			continue
		}
		if !s.Armed.Time.Before(limit) {
			needed = append(needed, s.Armed.Checkpoint)
			continue
		}
		g.Prompts++
		if dry {
			continue
		}
		rec := ledger.Record{ID: s.ID, Kind: ledger.Forgotten, Time: e.Now(), Reason: "collected"}
		if _, err := ledger.Append(context.Background(), e.Store.LedgerDir(), rec, ledger.AppendOptions{}); err != nil {
			return nil, err
		}
	}
	return needed, nil
}

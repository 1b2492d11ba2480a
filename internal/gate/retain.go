package gate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

const (
	day = 24 * time.Hour
	// keepTime is how long a payload is kept at least.
	keepTime = 14 * day
	// orphanTime is how long a payload that no record names is kept at least:
	// longer than a jump of the clock can make it seem.
	orphanTime = 2 * day
	// retainBatch and retainTime bound what one call does about old payloads.
	retainBatch = 200
	retainTime  = 5 * time.Second
)

// retain lets payloads go that are older than keepTime and not of the newest
// prompts of their session, and more when the store is close to its quota: first a forgotten
// record for each, durably, then the payload. It also removes what killed
// processes left and payloads that no record names. It runs once a day at most,
// once an hour when the quota presses; any other time it reads one small file. What does not get done, or fails, is
// left for the next time.
func (g *Gate) retain(ctx context.Context, st *store.Store) error {
	now := g.Now()
	mark := filepath.Join(st.CacheDir(), "retained")
	if !retainDue(mark, now, day) && (!retainDue(mark, now, time.Hour) || !g.pressed(st)) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, retainTime)
	defer cancel()
	unlock, err := lockFire(ctx, st)
	if err != nil {
		return nil // a fire is at work, and may need what would go
	}
	defer unlock()
	if err := os.WriteFile(mark, now.UTC().AppendFormat(nil, time.RFC3339), 0o600); err != nil {
		return fmt.Errorf("note the time of a retention: %w", err)
	}
	_, swept := st.Sweep(now, g.RuntimeDir)
	more, err := g.letGo(ctx, st, now)
	if more {
		os.Remove(mark) // the next call goes on
	} else if err == nil {
		err = g.collect(ctx, st)
	}
	return errors.Join(swept, err)
}

// retainDue reports whether the last retention is so long ago, or at a time
// that has not come yet.
func retainDue(mark string, now time.Time, after time.Duration) bool {
	data, err := os.ReadFile(mark)
	if err != nil {
		return true
	}
	last, err := time.Parse(time.RFC3339, string(data))
	return err != nil || now.Sub(last) >= after || last.After(now)
}

// lockFire keeps firings out. It waits for none.
func lockFire(ctx context.Context, st *store.Store) (func() error, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
	defer cancel()
	return durable.Lock(ctx, filepath.Join(st.Dir(), "fire.lock"))
}

// letGo removes one batch of payloads, and says whether there are more.
func (g *Gate) letGo(ctx context.Context, st *store.Store, now time.Time) (more bool, err error) {
	ids, err := st.IDs()
	if err != nil {
		return false, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		u, err := ulid.ParseStrict(id)
		return err != nil || now.Sub(ulid.Time(u.Time())) <= day
	})
	if len(ids) == 0 {
		return false, nil
	}
	b, err := readBooks(st, now)
	if err != nil {
		return false, err
	}
	var expired []ledger.Record
	var gone []string
	for _, id := range ids {
		reason, ok := b.expired(id, now)
		if !ok {
			continue
		}
		if len(gone) == retainBatch {
			more = true
			break
		}
		gone = append(gone, id)
		if reason != "" {
			expired = append(expired, ledger.Record{ID: id, Kind: ledger.Forgotten, Time: now, Reason: reason})
		}
	}
	if !more && g.pressed(st) {
		squeezed, err := g.squeeze(st, b, ids, now)
		if err != nil {
			return false, err
		}
		for _, id := range squeezed {
			if len(gone) == retainBatch {
				more = true
				break
			}
			if !slices.Contains(gone, id) {
				gone = append(gone, id)
				expired = append(expired, ledger.Record{ID: id, Kind: ledger.Forgotten, Time: now, Reason: "the store was over its quota"})
			}
		}
	}
	remotes := b.remotes(ctx, st, gone)
	for i, rec := range expired {
		// One sync makes all of them durable.
		if _, err := g.append(ctx, st, rec, ledger.AppendOptions{Sync: i == len(expired)-1}); err != nil {
			return more, err
		}
	}
	if err := fail.Point("gate.forgotten"); err != nil {
		return more, err
	}
	for _, id := range gone {
		if err := ctx.Err(); err != nil {
			return true, err
		}
		if err := st.Remove(id); err != nil {
			return more, err
		}
	}
	return more, errors.Join(g.release(ctx, st, b, gone, remotes, now), g.releaseObjects(ctx, st, b, now))
}

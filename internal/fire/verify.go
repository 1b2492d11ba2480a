package fire

import (
	"context"
	"fmt"
	"time"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/ledger"
)

// Finding is one thing that is not as it was written.
type Finding struct {
	// ID is the saga that is affected; empty when it is the ledger as a whole.
	ID   string `json:"id,omitempty"`
	What string `json:"what"`
	// Path is a damaged path in a payload.
	Path string `json:"path,omitempty"`
	// Fires says whether the saga can still be fired in spite of it.
	Fires bool `json:"fires"`
}

// Report is what verifying a store found.
type Report struct {
	Records  int       `json:"records"`
	Payloads int       `json:"payloads"`
	Good     []string  `json:"good"`
	Findings []Finding `json:"findings"`
	// Notes are damages that were healed.
	Notes []string `json:"notes,omitempty"`
}

// Verify checks the chain of the ledger and, for every saga that can be fired,
// its manifest, call.json and payload; with readData every held byte is read
// and hashed.
func (e *Engine) Verify(ctx context.Context, readData bool) (Report, error) {
	records, scan, err := ledger.ReadAll(e.Store.LedgerDir())
	if err != nil {
		return Report{}, err
	}
	r := Report{Records: len(records), Good: []string{}, Findings: []Finding{}}
	for _, d := range scan.Damage {
		text := fmt.Sprintf("ledger, byte %d, %d bytes: %s (%s)", d.Offset, d.Len, d.State, d.Reason)
		if d.State == ledger.Corrupt {
			r.Findings = append(r.Findings, Finding{What: text})
		} else {
			r.Notes = append(r.Notes, text)
		}
	}
	if readData {
		held, err := checkpoint.In(e.Store).Verify(ctx)
		if err != nil {
			return r, err
		}
		for _, d := range held.Damage {
			r.Findings = append(r.Findings, Finding{What: hint.Clean(d.Error()), Path: d.Path})
		}
	}
	for _, s := range ledger.Fold(records) {
		if s.Manifest == "" || s.Status == ledger.IsCall || s.Status == ledger.IsForgotten {
			continue
		}
		if err := ctx.Err(); err != nil {
			return r, err
		}
		r.Payloads++
		if f, ok := e.verifyOne(ctx, s, scan.Damage, readData); !ok {
			r.Findings = append(r.Findings, f)
			continue
		}
		r.Good = append(r.Good, s.ID)
	}
	return r, nil
}

func (e *Engine) verifyOne(ctx context.Context, s ledger.Saga, damage []ledger.Damage, readData bool) (Finding, bool) {
	j, err := e.loadWith(s, damage)
	if err != nil {
		return Finding{ID: s.ID, What: hint.Clean(err.Error())}, false
	}
	defer j.payload.Close()
	if readData {
		if err := j.payload.Verify(ctx, nil); err != nil {
			return Finding{ID: s.ID, What: hint.Clean(err.Error())}, false
		}
	}
	if b := j.call.Bound; b != nil {
		c, err := checkpoint.In(e.Store).Load(b.Checkpoint)
		if err != nil {
			return Finding{ID: s.ID, What: hint.Clean(err.Error())}, false
		}
		c.Close()
		for _, o := range b.Repos {
			if err := git.CheckObjects(o, e.Store.ObjectsDir()); err != nil {
				return Finding{ID: s.ID, What: hint.Clean(err.Error())}, false
			}
		}
	}
	for _, r := range j.remotes {
		d, err := e.door()
		if err == nil {
			err = d.Verify(ctx, r, e.Store.RemoteDir(), readData)
		}
		if err != nil {
			return Finding{ID: s.ID, What: hint.Clean(git.Shown(r.Name) + ": " + err.Error())}, false
		}
	}
	return Finding{}, true
}

// Forget deletes what a saga holds for good. The record of it stays, with one
// more that says so: nothing goes silently. It waits for a firing.
func (e *Engine) Forget(ctx context.Context, s ledger.Saga, why string) error {
	unlock, err := e.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return e.forget(ctx, s, why)
}

func (e *Engine) forget(ctx context.Context, s ledger.Saga, why string) error {
	var remotes []git.Remote
	if j, err := e.load(s); err == nil {
		remotes = j.remotes
		j.payload.Close()
	}
	rec := ledger.Record{ID: s.ID, Kind: ledger.Forgotten, Time: e.Now(), Reason: why}
	if _, err := ledger.Append(ctx, e.Store.LedgerDir(), rec, ledger.AppendOptions{Sync: true}); err != nil {
		return err
	}
	if err := e.Store.Remove(s.ID); err != nil {
		return err
	}
	return e.release(ctx, remotes)
}

// release lets the private stores of remotes go of what no other saga needs.
func (e *Engine) release(ctx context.Context, remotes []git.Remote) error {
	if len(remotes) == 0 {
		return nil
	}
	records, report, err := ledger.ReadAll(e.Store.LedgerDir())
	if err != nil {
		return err
	}
	sagas := ledger.Fold(records)
	var others []git.Remote
	for _, s := range sagas {
		if s.Manifest == "" || s.Status == ledger.IsForgotten {
			continue
		}
		j, err := e.loadWith(s, report.Damage)
		if err != nil {
			return fmt.Errorf("see what %s needs: %w", short(s.ID), err)
		}
		others = append(others, j.remotes...)
		j.payload.Close()
	}
	d, err := e.door()
	if err != nil {
		return err
	}
	for _, r := range remotes {
		if err := d.Release(ctx, r, others, e.Now().Add(-armingTime), e.Store.RemoteDir()); err != nil {
			return fmt.Errorf("let go of %s: %w", git.Shown(r.Name), err)
		}
	}
	return nil
}

// armingTime is longer than any hook takes: what was taken in use within it may
// belong to a call that is just being armed.
const armingTime = 10 * time.Minute

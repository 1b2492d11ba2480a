package fire

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// armRedo captures the present state of the scope and records the saga that
// takes this firing back. A firing that was interrupted has one already.
func (e *Engine) armRedo(ctx context.Context, j *job) (string, error) {
	if j.saga.Status == ledger.IsFiring && j.saga.UndoneBy != "" {
		return j.saga.UndoneBy, nil
	}
	remotes, err := e.hold(ctx, j)
	if err != nil {
		return "", err
	}
	id := e.NewID()
	staging, err := e.Store.Begin(id)
	if err != nil {
		return "", err
	}
	now, err := workspace.Capture(ctx, j.roots, workspace.Options{Sink: staging})
	if err != nil {
		staging.Abort()
		return "", fmt.Errorf("hold the present state: %w", err)
	}
	call := inverse.Call{
		V: 1, ID: id, Harness: "counterstep", Tool: "fire", Cwd: j.call.Cwd,
		Command: "fire " + short(j.saga.ID), Class: "invertible", Step: j.reverse(), Remotes: remotes, Undoes: j.saga.ID,
	}
	for i, p := range call.Step.Parents {
		if mtime, names, err := (workspace.Disk{}).Listing(string(p.Path)); err == nil {
			call.Step.Parents[i].MTime, call.Step.Parents[i].Names = mtime, names
		}
	}
	data, err := json.Marshal(call)
	if err != nil {
		staging.Abort()
		return "", fmt.Errorf("write call.json: %w", err)
	}
	sealed, err := staging.Finish(ctx, now, data)
	if err != nil {
		staging.Abort()
		return "", err
	}
	if err := e.proveHeld(ctx, id, sealed.Manifest); err != nil {
		return "", err
	}
	if err := fail.Point("fire.redo"); err != nil {
		return "", err
	}
	rec := ledger.Record{
		ID: id, Kind: ledger.Armed, Time: e.Now(), Undoes: j.saga.ID, Tool: "fire", Cwd: ledger.Name(j.call.Cwd),
		Class: call.Class, Command: call.Command, Inverse: "redo " + short(j.saga.ID),
		Fingerprint: fingerprint.Hex(inverse.Fingerprint(now, remotes)), Proof: &ledger.Proof{Kind: "restored"},
		Manifest: hex.EncodeToString(sealed.Manifest[:]), CallSHA: hex.EncodeToString(sealed.Call[:]), Files: sealed.Files, Bytes: sealed.Bytes,
	}
	_, err = ledger.Append(ctx, e.Store.LedgerDir(), rec, ledger.AppendOptions{Sync: true})
	return id, err
}

// reverse is the step of the redo: it has everything that this firing touches
// in its exact scope.
func (j *job) reverse() inverse.Step {
	s := j.step().Reverse()
	for p := range j.held {
		s.Roots = append(s.Roots, inverse.Root{Path: inverse.Name(p)})
	}
	for p := range j.follows {
		s.Roots = append(s.Roots, inverse.Root{Path: inverse.Name(p)})
	}
	s.Sort()
	s.Parents = append(s.Parents, j.around...)
	return s
}

// proveHeld reads every byte of a payload again.
func (e *Engine) proveHeld(ctx context.Context, id string, manifest [32]byte) error {
	payload, err := e.Store.Payload(id, manifest)
	if err != nil {
		return err
	}
	defer payload.Close()
	return payload.Verify(ctx, nil)
}

// settleRedo records what the firing left, which is what a redo starts from.
func (e *Engine) settleRedo(ctx context.Context, id string, after []fingerprint.Entry, k *store.Keeper) error {
	if e.Store.PutKept(id, k) != nil { // a later change is then not merged but left alone
		k.Files, k.Bytes, k.Left = 0, 0, k.Files+k.Left
	}
	if _, err := e.Store.PutPost(id, after); err != nil {
		return err
	}
	rec := ledger.Record{ID: id, Kind: ledger.Settled, Time: e.Now(), Fingerprint: fingerprint.Hex(fingerprint.Sum(after))}
	if k.Files+k.Left > 0 {
		rec.Kept = &ledger.Kept{Files: k.Files, Bytes: k.Bytes, Left: k.Left, Cap: store.KeptFile}
	}
	_, err := ledger.Append(ctx, e.Store.LedgerDir(), rec, ledger.AppendOptions{Sync: true})
	return err
}

// Redo takes the newest firing back: what it had undone is done again.
func (e *Engine) Redo(ctx context.Context, o Options) (Result, error) {
	var undos []ledger.Record
	err := ledger.Marked(e.Store.LedgerDir(), func(r ledger.Record) bool {
		undos = append(undos, r)
		return true
	}, `"undoes":"`)
	if err != nil {
		return Result{}, err
	}
	for _, r := range ledger.Fold(undos) {
		if r.Armed.Kind != ledger.Armed || r.Status == ledger.IsFired || r.Status == ledger.IsStale || r.Status == ledger.IsConflict {
			continue
		}
		s, err := e.Find(r.Armed.Undoes)
		if err != nil {
			return Result{}, err
		}
		if s.Armed.Undoes == "" && s.UndoneBy == r.ID && (s.Status == ledger.IsFired || s.Status == ledger.IsStale || s.Status == ledger.IsConflict) {
			if r, err = e.Find(r.ID); err != nil {
				return Result{}, err
			}
			return e.Fire(ctx, r, o)
		}
	}
	return Result{}, hint.New("counterstep ledger", "nothing was fired that could be redone")
}

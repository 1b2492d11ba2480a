package gate

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// release lets the private stores of remotes go of what only the payloads held
// that are gone now.
func (g *Gate) release(ctx context.Context, st *store.Store, b *books, gone []string, remotes []git.Remote, now time.Time) error {
	if len(remotes) == 0 {
		return nil
	}
	var others []git.Remote
	for id, s := range b.sagas {
		if s.Manifest == "" || s.Status == ledger.IsForgotten || s.Status == ledger.IsCall || slices.Contains(gone, id) {
			continue
		}
		held, err := remotesOf(st, s)
		if err != nil {
			return fmt.Errorf("see what %s needs: %w", Short(id), err)
		}
		others = append(others, held...)
	}
	d, err := g.door()
	if err != nil {
		return err
	}
	for _, r := range remotes {
		if err := d.Release(ctx, r, others, now.Add(-day), st.RemoteDir()); err != nil {
			return err
		}
	}
	return nil
}

// remotes lists what the payloads hold of remotes. Where nothing is held of
// any, no payload is opened; one that is damaged holds nothing.
func (b *books) remotes(ctx context.Context, st *store.Store, ids []string) []git.Remote {
	if list, err := os.ReadDir(st.RemoteDir()); err != nil || len(list) == 0 {
		return nil
	}
	var all []git.Remote
	for _, id := range ids {
		s, ok := b.sagas[id]
		if !ok || s.Manifest == "" || ctx.Err() != nil {
			continue
		}
		if held, err := remotesOf(st, s); err == nil {
			all = append(all, held...)
		}
	}
	return all
}

// remotesOf reads what a saga holds of remotes.
func remotesOf(st *store.Store, s ledger.Saga) ([]git.Remote, error) {
	call, err := callOf(st, s)
	return call.Remotes, err
}

// callOf reads call.json of a saga.
func callOf(st *store.Store, s ledger.Saga) (inverse.Call, error) {
	var manifest [32]byte
	if n, err := hex.Decode(manifest[:], []byte(s.Manifest)); err != nil || n != len(manifest) {
		return inverse.Call{}, fmt.Errorf("record of %s: the hash of its manifest is damaged", Short(s.ID))
	}
	p, err := st.Payload(s.ID, manifest)
	if err != nil {
		return inverse.Call{}, err
	}
	defer p.Close()
	data, err := p.Call()
	if err != nil {
		return inverse.Call{}, err
	}
	return inverse.ReadCall(data)
}

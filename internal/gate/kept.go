package gate

import (
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// keep writes down the texts that a call left. They serve merging later changes
// and the history; a call is settled without them just as well.
func keep(st *store.Store, id string, k *store.Keeper) *ledger.Kept {
	if k.Files+k.Left == 0 {
		return nil
	}
	if st.PutKept(id, k) != nil {
		k.Files, k.Bytes, k.Left = 0, 0, k.Files+k.Left
	}
	return &ledger.Kept{Files: k.Files, Bytes: k.Bytes, Left: k.Left, Cap: store.KeptFile}
}

// heldBy are the contents that the payload of a call holds.
func heldBy(st *store.Store, p pending) map[[32]byte]bool {
	held := map[[32]byte]bool{}
	if !p.Armed {
		return held
	}
	payload, err := st.Payload(p.ID, [32]byte{})
	if err != nil {
		return held
	}
	defer payload.Close()
	for _, e := range payload.Entries() {
		held[e.SHA] = true
	}
	return held
}

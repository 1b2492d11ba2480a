package ledger

import "testing"

func TestFoldCallThatCreated(t *testing.T) {
	sagas := Fold([]Record{
		{Seq: 1, ID: "A", Kind: Call, Command: "touch new"},
		{Seq: 2, ID: "A", Kind: Created, Command: "touch new", Inverse: "remove 1 new file", Manifest: "m"},
	})
	if len(sagas) != 1 || sagas[0].Armed.Kind != Created || sagas[0].Manifest != "m" || !sagas[0].Fireable() {
		t.Errorf("got %+v", sagas)
	}
}

package doctor

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// A call that was let go and never came back is named once it should have.
func TestNamesUnsettledCalls(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	st, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for _, r := range []ledger.Record{
		{ID: "01KBA3Y5M0000000000000000A", Kind: ledger.Armed, Time: now, Command: "rm a", Manifest: "x"},
		{ID: "01KBA3Y5M0000000000000000B", Kind: ledger.Armed, Time: now, Command: "rm b", Manifest: "x"},
		{ID: "01KBA3Y5M0000000000000000B", Kind: ledger.Settled, Time: now},
		{ID: "01KBA3Y5M0000000000000000C", Kind: ledger.Armed, Time: now, Command: "make", Background: true, Manifest: "x"},
	} {
		if _, err := ledger.Append(context.Background(), st.LedgerDir(), r, ledger.AppendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	at := func(after time.Duration) []Finding {
		return calls(context.Background(), Options{StoreDir: dir, Now: func() time.Time { return now.Add(after) }})
	}
	if all := at(time.Minute); len(all) != 0 {
		t.Errorf("a call that may still run: %v", all)
	}
	if all := at(time.Hour); len(all) != 1 || !has(all, Note, "never settled, so what it left is only predicted: #1 rm a, 1h ago") {
		t.Errorf("%v", all)
	}
	if all := at(60 * 24 * time.Hour); len(all) != 0 {
		t.Errorf("long ago: %v", all)
	}
}

package gate

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/counterstep/counterstep/ledger"
)

// The checkpoints of prompts stay for as long as what calls hold, whatever the
// clock does.
func TestCheckpointsOfPromptsAreNeeded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for _, r := range []ledger.Record{
		{ID: "A", Kind: ledger.Checkpoint, Checkpoint: "old", Time: at.Add(-20 * day)},
		{ID: "B", Kind: ledger.Checkpoint, Checkpoint: "young", Time: at.Add(-13 * day)},
		{ID: "C", Kind: ledger.Checkpoint, Checkpoint: "forgotten", Time: at.Add(-day)},
		{ID: "C", Kind: ledger.Forgotten, Time: at},
		{ID: "D", Kind: ledger.Checkpoint, Checkpoint: "new", Time: at},
	} {
		if _, err := ledger.Append(t.Context(), dir, r, ledger.AppendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for what, now := range map[string]time.Time{"now": at, "a jump of ten years": at.Add(3650 * day), "a jump back": at.Add(-300 * day)} {
		got, err := promptCheckpoints(dir, now)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"new", "young"} {
			if !slices.Contains(got, want) && (want == "new" || what == "now" || what == "a jump back") {
				t.Errorf("%s: %s is not needed: %v", what, want, got)
			}
		}
		if slices.Contains(got, "forgotten") || what == "now" && slices.Contains(got, "old") {
			t.Errorf("%s: too much is needed: %v", what, got)
		}
	}
}

package ledger

import (
	"math/rand/v2"
	"testing"
)

// story folds records given as kind and id, "armed A", with what an armed
// record undoes behind a third word.
func story(t *testing.T, shuffle bool, records ...Record) map[string]Saga {
	t.Helper()
	for i := range records {
		records[i].Seq = uint64(i + 1)
	}
	if shuffle {
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(records), func(i, j int) {
			records[i], records[j] = records[j], records[i]
		})
	}
	got := map[string]Saga{}
	for _, s := range Fold(records) {
		got[s.ID] = s
	}
	return got
}

func rec(id string, k Kind) Record { return Record{ID: id, Kind: k} }

func TestFoldStatus(t *testing.T) {
	for _, tt := range []struct {
		name  string
		kinds []Kind
		want  Status
		seen  Status
	}{
		{"nothing but armed", []Kind{Armed}, IsArmed, IsArmed},
		{"settled", []Kind{Armed, Settled}, IsSettled, IsArmed},
		{"created", []Kind{Created}, IsCreated, IsCreated},
		{"interrupted", []Kind{Armed, Settled, Firing}, IsFiring, IsFiring},
		{"fired", []Kind{Armed, Settled, Firing, Fired}, IsFired, IsFired},
		{"stale", []Kind{Armed, Firing, Stale}, IsStale, IsStale},
		{"failed", []Kind{Armed, Firing, Failed}, IsFailed, IsFailed},
		{"settled after it was fired", []Kind{Armed, Firing, Fired, Settled}, IsFired, IsFired},
		{"refused", []Kind{Refused}, IsRefused, IsRefused},
		{"armed but the line was not durable", []Kind{Armed, Refused}, IsRefused, IsRefused},
		{"a barrier of its own", []Kind{Barrier}, IsBarrier, IsBarrier},
		{"a barrier beside", []Kind{Armed, Barrier}, IsArmed, IsArmed},
		{"forgotten", []Kind{Armed, Settled, Forgotten, Fired}, IsForgotten, IsForgotten},
		{"unknown kinds change nothing", []Kind{Armed, "dreamt"}, IsArmed, IsArmed},
		{"a recovered record is no saga's", []Kind{Armed, Recovered}, IsArmed, IsArmed},
		{"repacked", []Kind{Checkpoint, Repacked}, IsCheckpoint, IsCheckpoint},
		{"only the end was read", []Kind{Settled}, IsSettled, IsArmed},
		{"unguarded", []Kind{Unguarded}, IsUnguarded, IsUnguarded},
		{"inert", []Kind{Call}, IsCall, IsCall},
	} {
		var records []Record
		for _, k := range tt.kinds {
			records = append(records, rec("A", k))
		}
		s := story(t, true, records...)["A"]
		if s.Status != tt.want || s.Seen() != tt.seen {
			t.Errorf("%s: %s (seen as %s), want %s (%s)", tt.name, s.Status, s.Seen(), tt.want, tt.seen)
		}
	}
}

func TestFoldBackgroundStaysOpen(t *testing.T) {
	a := Record{ID: "A", Kind: Armed, Background: true}
	if s := story(t, false, a)["A"]; s.Status != IsOpen {
		t.Errorf("armed: %s", s.Status)
	}
	if s := story(t, false, a, Record{ID: "A", Kind: Settled, Background: true})["A"]; s.Status != IsOpen || s.Settle == nil {
		t.Errorf("settled while it runs: %s", s.Status)
	}
	if s := story(t, false, a, rec("A", Settled))["A"]; s.Status != IsSettled {
		t.Errorf("ended: %s", s.Status)
	}
}

// Undo, redo, undo the redo: what stands changes each time.
func TestFoldRedo(t *testing.T) {
	records := []Record{
		rec("A", Armed), rec("A", Settled),
		{ID: "B", Kind: Armed, Undoes: "A"},
		rec("A", Firing), rec("A", Fired),
	}
	want := func(step string, want map[string]Status) {
		t.Helper()
		got := story(t, false, records...)
		for id, status := range want {
			if got[id].Status != status {
				t.Errorf("%s: %s is %s, want %s", step, id, got[id].Status, status)
			}
		}
	}
	want("undo", map[string]Status{"A": IsFired, "B": IsArmed})
	if by := story(t, false, records...)["A"].UndoneBy; by != "B" {
		t.Errorf("undone by %q", by)
	}
	records = append(records, Record{ID: "C", Kind: Armed, Undoes: "B"}, rec("B", Firing), rec("B", Fired))
	want("redo", map[string]Status{"A": IsSettled, "B": IsFired, "C": IsArmed})
	records = append(records, Record{ID: "D", Kind: Armed, Undoes: "C"}, rec("C", Firing), rec("C", Fired))
	want("undo the redo", map[string]Status{"A": IsFired, "B": IsArmed, "C": IsFired, "D": IsArmed})
	records = append(records, rec("D", Firing), rec("D", Fired))
	want("and again", map[string]Status{"A": IsSettled, "B": IsFired, "C": IsArmed, "D": IsFired})
}

func TestFoldKeepsWhatBelongsToASaga(t *testing.T) {
	a := Record{ID: "A", Kind: Armed, Manifest: "m1", Barrier: []string{"curl"}, Tool: "Bash"}
	got := story(t, false, rec("0", Call), a, Record{ID: "A", Kind: Barrier, Barrier: []string{"make"}},
		Record{ID: "A", Kind: Repacked, Manifest: "m2"})
	s := got["A"]
	if s.Armed.Tool != "Bash" || s.Manifest != "m2" || len(s.Barriers) != 2 || s.Last.Kind != Repacked {
		t.Errorf("%+v", s)
	}
	if sagas := Fold([]Record{{ID: "A", Kind: Armed, Seq: 1}, {ID: "B", Kind: Armed, Seq: 2}}); sagas[0].ID != "B" {
		t.Error("the newest saga is not first")
	}
	if !s.Fireable() || got["0"].Fireable() {
		t.Error("what can be fired")
	}
}

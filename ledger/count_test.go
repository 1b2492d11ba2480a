package ledger

import (
	"bytes"
	"crypto/sha256"
	"os"
	"regexp"
	"testing"
)

// numbers gives the numbers of sagas by id.
func numbers(records []Record) map[string]int {
	out := map[string]int{}
	for _, s := range Fold(records) {
		if s.Number != 0 {
			out[s.ID] = s.Number
		}
	}
	return out
}

// life appends what can happen, and says which numbers there are.
func life(t *testing.T, dir string) map[string]int {
	t.Helper()
	for _, r := range []Record{
		rec("P1", Checkpoint),
		rec("I", Call), rec("A", Armed), rec("A", Settled), rec("N", Call), rec("N", Created), rec("X", Refused), rec("Y", Barrier),
		rec("P2", Checkpoint),
		rec("B", Armed), rec("A", Firing),
		{ID: "RA", Kind: Armed, Undoes: "A"},
		rec("A", Fired), rec("C", Armed), rec("B", Forgotten), rec("C", Call),
		rec("P3", Checkpoint),
		rec("D", Armed),
	} {
		if _, err := Append(t.Context(), dir, r, AppendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]int{"A": 1, "N": 2, "B": 3, "C": 4, "D": 5, "P1": 1, "P2": 2, "P3": 3}
}

func sameNumbers(t *testing.T, what string, got, want map[string]int) {
	t.Helper()
	for id := range want {
		if got[id] != want[id] {
			t.Errorf("%s: %s has number %d, want %d", what, id, got[id], want[id])
		}
	}
	for id := range got {
		if want[id] == 0 {
			t.Errorf("%s: %s has number %d, want none", what, id, got[id])
		}
	}
}

// Numbers count mutating calls and prompts, each from 1; what becomes of them
// changes none. A part of the ledger gives the same ones.
func TestNumbersAreStable(t *testing.T) {
	dir := newDir(t)
	want := life(t, dir)
	records, _, err := ReadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	sameNumbers(t, "whole", numbers(records), want)
	for from := range records {
		for id, n := range numbers(records[from:]) {
			if want[id] != n {
				t.Errorf("from record %d on, %s has number %d, want %d", from, id, n, want[id])
			}
		}
	}
}

// without takes the counts out, as an earlier version would have written it.
func without(t *testing.T, dir string, upTo int) {
	t.Helper()
	lines, _ := scan(t, load(t, dir))
	var buf bytes.Buffer
	e := end{prev: noPrev}
	re := regexp.MustCompile(`,"count":\{[^}]*\}`)
	for i, l := range lines {
		if i >= upTo {
			break
		}
		r := l.Record
		r.V, r.Seq, r.Prev, r.Count = Version, e.seq+1, e.prev, nil
		_, line, err := fit(r)
		if err != nil || re.Match(line) {
			t.Fatal(err)
		}
		e.seq, e.prev = r.Seq, prevOf(sha256.Sum256(line))
		buf.Write(append(line, '\n'))
	}
	if err := os.WriteFile(Path(dir), buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A ledger of an earlier version is numbered too, and the next record goes on
// from there.
func TestNumbersOfAnEarlierVersion(t *testing.T) {
	dir := newDir(t)
	want := life(t, dir)
	without(t, dir, 1000)
	records, _, err := ReadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	sameNumbers(t, "without counts", numbers(records), want)
	for _, r := range []Record{rec("Z", Call), rec("E", Armed), rec("P4", Checkpoint)} {
		if _, err := Append(t.Context(), dir, r, AppendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	want["E"], want["P4"] = 6, 4
	if records, _, err = ReadAll(dir); err != nil {
		t.Fatal(err)
	}
	sameNumbers(t, "going on", numbers(records), want)
	if last := records[len(records)-1]; last.Count == nil || *last.Count != (Count{Actions: 6, Prompts: 4}) {
		t.Errorf("the last record counts %v", last.Count)
	}
	sameNumbers(t, "from the end", numbers(records[9:]), map[string]int{"B": 3, "C": 4, "D": 5, "E": 6, "P3": 3, "P4": 4})
}

// A torn tail takes no number: it was never acknowledged.
func TestNumbersAfterATornTail(t *testing.T) {
	dir := newDir(t)
	want := life(t, dir)
	f, err := os.OpenFile(Path(dir), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"v":1,"seq":19,"id":"T","kind":"armed","time":"2026`)
	f.Close()
	if _, err := Append(t.Context(), dir, rec("E", Armed), AppendOptions{}); err != nil {
		t.Fatal(err)
	}
	want["E"] = 6
	records, _, err := ReadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	sameNumbers(t, "healed", numbers(records), want)
}

// What is looked up by number is found in a ledger of any version, and what is
// traced has the status that the whole ledger gives it.
func TestLookingUpByNumber(t *testing.T) {
	for _, upTo := range []int{0, 9, 1000} { // how many records are of an earlier version
		dir := newDir(t)
		want := life(t, dir)
		if upTo > 0 {
			without(t, dir, upTo)
		}
		whole := map[string]Saga{}
		records, _, err := ReadAll(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range Fold(records) {
			whole[s.ID] = s
		}
		for id := range whole {
			n, get := want[id], Action
			if id[0] == 'P' {
				get = Prompt
			}
			if n == 0 || n > 3 && upTo == 9 {
				continue
			}
			if got, err := get(dir, n); err != nil || got != id {
				t.Errorf("%d old: number %d is %q, %v; want %s", upTo, n, got, err, id)
			}
		}
		for _, n := range []int{-1, 0, 6, 99} {
			if got, err := Action(dir, n); err != nil || got != "" {
				t.Errorf("%d old: number %d is %q, %v", upTo, n, got, err)
			}
		}
		for id, w := range whole {
			traced, err := Trace(dir, id)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range Fold(traced) {
				if s.ID == id && (s.Status != w.Status || s.UndoneBy != w.UndoneBy || s.Number != 0 && s.Number != w.Number) {
					t.Errorf("%d old: %s traced: %s %q %d, want %s %q %d", upTo, id, s.Status, s.UndoneBy, s.Number, w.Status, w.UndoneBy, w.Number)
				}
			}
		}
	}
}

// The newest part of a ledger gives whole sagas, and all of it when that is
// not enough.
func TestRecentIsWhole(t *testing.T) {
	dir := newDir(t)
	fill(t, dir, 1000)
	records, _, err := ReadAll(dir)
	if err != nil {
		t.Fatal(err)
	}
	whole := Fold(records)
	for _, n := range []int{1, 50, 300, 5000} {
		got, err := Recent(dir, func(s []Saga) bool { return len(s) >= n })
		if err != nil {
			t.Fatal(err)
		}
		if len(got) < min(n, len(whole)) {
			t.Fatalf("%d sagas, want %d", len(got), min(n, len(whole)))
		}
		for i, s := range got {
			if w := whole[i]; s.ID != w.ID || s.Status != w.Status || s.Number != w.Number {
				t.Fatalf("want %d: saga %d is %s %s %d, want %s %s %d", n, i, s.ID, s.Status, s.Number, w.ID, w.Status, w.Number)
			}
		}
	}
}

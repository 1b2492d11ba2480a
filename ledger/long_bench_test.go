package ledger

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// session is a ledger as a year of work leaves it: n records, of which one in a
// hundred is a prompt, and most calls are settled.
func session(t testing.TB, n int) (dir string) {
	t.Helper()
	dir = newDir(t)
	var buf bytes.Buffer
	e := end{prev: noPrev}
	for i := range n {
		r := some(i)
		r.Prompt, r.Session = fmt.Sprintf("prompt-%d", i/100), fmt.Sprintf("s-%d", i/1000)
		if i%100 == 0 {
			r.Kind, r.Checkpoint, r.Command = Checkpoint, id(i), "Please look at the tests that fail"
		}
		if _, err := e.write(&buf, r, "ledger.write"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(Path(dir), buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// actions reads until there are n actions.
func actions(t testing.TB, dir string, n int) (found, read int) {
	sagas, err := Recent(dir, func(sagas []Saga) bool {
		found = 0
		for _, s := range sagas {
			if s.Armed.IsAction() {
				found++
			}
		}
		return found >= n
	})
	if err != nil {
		t.Fatal(err)
	}
	return found, len(sagas)
}

// What is listed of a long ledger costs what is listed, not the ledger.
func TestListingReadsTheTailOnly(t *testing.T) {
	dir := session(t, 20_000)
	if found, read := actions(t, dir, 50); found < 50 || read > 500 {
		t.Errorf("%d actions were found among %d sagas", found, read)
	}
}

// BenchmarkRecent lists the last 50 actions of 100,000 records.
func BenchmarkRecent(b *testing.B) {
	dir := session(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		actions(b, dir, 50)
	}
}

// BenchmarkAction looks the oldest action of 100,000 records up, and one that is
// not there.
func BenchmarkAction(b *testing.B) {
	dir := session(b, 100_000)
	for b.Loop() {
		if got, err := Action(dir, 1); err != nil || got == "" {
			b.Fatal(got, err)
		}
	}
}

// BenchmarkTrace reads what one saga of 100,000 records needs.
func BenchmarkTrace(b *testing.B) {
	dir := session(b, 100_000)
	for b.Loop() {
		if got, err := Trace(dir, id(5001)); err != nil || len(got) == 0 {
			b.Fatal(len(got), err)
		}
	}
}

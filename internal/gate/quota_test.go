package gate

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/ledger"
)

// TestQuota: a store that fills up says so first; then it frees what is old,
// what is not of the newest prompts first, and never what is younger than a
// day; when that is not enough, nothing more is held.
func TestQuota(t *testing.T) {
	w := newWorld(t)
	big := strings.Repeat("0123456789abcdef", 64<<10) // 1 MiB less a bit of tar
	call := 0
	arm := func(prompt string) string {
		t.Helper()
		call++
		name := fmt.Sprintf("f%d", call)
		w.write(name, big)
		r := w.request(Before, name, "rm "+name)
		r.Prompt = prompt
		if d := w.g.Decide(context.Background(), r); d.Refused || d.Fault {
			t.Fatalf("%s: %+v", name, d)
		}
		for _, s := range w.sagas() {
			if s.Armed.Call == name {
				return s.ID
			}
		}
		t.Fatal("not armed")
		return ""
	}
	w.g.Quota = 5 << 20
	oldest := arm("p1")
	third := arm("p2")
	loose := arm("") // of no prompt
	late := func(by time.Duration) { w.now = w.now.Add(by) }
	if d := w.pass("ls", "echo quiet"); d.Message != "" {
		t.Errorf("warned early: %q", d.Message)
	}
	w.write("g", big[:800<<10])
	if d := w.pass("g", "rm g"); strings.Contains(d.Message, "quota") {
		t.Errorf("warned early: %q", d.Message)
	}
	w.write("h", big[:800<<10])
	if d := w.pass("h", "rm h"); !strings.Contains(d.Message, "of its quota of 5.2 MB; free some with: counterstep gc --keep 7d") {
		t.Errorf("not warned: %q", d.Message)
	}
	w.write("i", big[:512<<10])
	if d := w.pass("i", "rm i"); strings.Contains(d.Message, "of its quota") {
		t.Errorf("warned twice in an hour: %q", d.Message)
	}
	w.write("j", "x")
	if d := w.before("j", "rm j"); !d.Refused || !strings.Contains(d.Reason, "quota") || !strings.Contains(d.Hint, "counterstep gc") {
		t.Errorf("grows over its quota: %+v", d)
	}
	if d := w.before("k", "echo still > new"); d.Refused || d.Fault {
		t.Errorf("an inert call needs no room: %+v", d)
	}

	held := func(id string) bool {
		ids, err := w.store().IDs()
		if err != nil {
			t.Fatal(err)
		}
		for _, have := range ids {
			if have == id {
				return true
			}
		}
		return false
	}
	later := func() {
		t.Helper()
		if err := w.g.retain(context.Background(), w.store()); err != nil {
			t.Fatal(err)
		}
	}
	late(23 * time.Hour)
	w.pass("n1", "echo a day > later")
	later()
	for _, id := range []string{oldest, loose, third} {
		if !held(id) {
			t.Errorf("%s went though it is not a day old", id)
		}
	}
	late(2 * time.Hour)
	w.pass("n2", "echo a day > later")
	later()
	late(2 * time.Hour)
	w.pass("n3", "echo a day > later")
	later()
	if held(loose) || !held(third) {
		t.Errorf("what is of no prompt goes first: loose held %v, third held %v", held(loose), held(third))
	}
	if n := w.count(loose, ledger.Forgotten); n != 1 {
		t.Errorf("%d records say that it went", n)
	}
	w.write("l", "x")
	w.pass("l", "rm l")
}

func (w *world) count(id string, kind ledger.Kind) (n int) {
	w.Helper()
	records, _, err := ledger.ReadAll(w.store().LedgerDir())
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range records {
		if r.ID == id && r.Kind == kind {
			n++
		}
	}
	return n
}

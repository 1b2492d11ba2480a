package gate

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// Calls with unknown writes that run at the same time share what changed; one
// after another they do not, and one that never came back does so only for a
// while.
func TestOverlappingCallsShareWhatChanged(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "p")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	now, ids := time.Now(), 0
	g := &Gate{
		StateHome: filepath.Join(base, "state"), Home: filepath.Join(base, "home"), Now: func() time.Time { return now },
		NewID: func() string {
			ids++
			return "01M8QBQFPE0HAAAAAAAAAAAA" + string(rune('A'+ids/26)) + string(rune('A'+ids%26))
		},
	}
	send := func(event Event, call string) {
		t.Helper()
		r := Request{Event: event, Harness: "t", Session: "s", CallID: call, Tool: "Bash", Cwd: dir, Input: Input{Kind: Shell, Command: "./opaque " + call}}
		if d := g.Decide(context.Background(), r); d.Refused || d.Fault || d.Note != "" {
			t.Fatalf("%s %s: %+v", event, call, d)
		}
	}
	work := func(call string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, call), []byte(call), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []string{">a", ">b", "a", "<a", "b", "<b", ">c", "c", "<c", ">never", ">d", "d", "<d"} {
		switch step[0] {
		case '>':
			send(Before, step[1:])
		case '<':
			send(After, step[1:])
		default:
			work(step)
		}
	}
	now = now.Add(callTime + time.Second)
	send(Before, "e")
	work("e")
	send(After, "e")

	st, err := store.Open(g.Dir(g.Workspace(dir)))
	if err != nil {
		t.Fatal(err)
	}
	records, _, err := ledger.ReadAll(st.LedgerDir())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, r := range records {
		if r.Kind == ledger.Settled {
			got[r.Call] = len(r.Candidates)
		}
	}
	want := map[string]int{"a": 1, "b": 1, "c": 0, "d": 1, "e": 0}
	for call, n := range want {
		if g, ok := got[call]; !ok || g != n {
			t.Errorf("call %s: %d others (settled: %v), want %d", call, g, ok, n)
		}
	}
}

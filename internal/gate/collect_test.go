package gate

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/store"
)

// A checkpoint is needed as long as the payload of its call is there, before
// the call was settled and after.
func TestCheckpointsOfACallAreNeeded(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "p")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "f")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("before")
	n := 0
	g := &Gate{
		StateHome: filepath.Join(base, "state"), Home: filepath.Join(base, "home"), Now: time.Now,
		NewID: func() string {
			n++
			return "01M8QBQFPE0HAAAAAAAAAAAA" + string(rune('A'+n/26)) + string(rune('A'+n%26))
		},
	}
	r := Request{Event: Before, Harness: "t", Session: "s", CallID: "1", Tool: "Bash", Cwd: dir, Input: Input{Kind: Shell, Command: "./opaque"}}
	if d := g.Decide(context.Background(), r); d.Refused || d.Fault {
		t.Fatalf("%+v", d)
	}
	st, err := store.Open(g.Dir(g.Workspace(dir)))
	if err != nil {
		t.Fatal(err)
	}
	ids, err := st.IDs()
	if err != nil || len(ids) != 1 {
		t.Fatalf("%v, %v", ids, err)
	}
	needs := func() []string {
		t.Helper()
		out, err := checkpointsOf(st, ids[0])
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if got := needs(); len(got) != 1 {
		t.Errorf("before the settle: %v", got)
	}
	write("after, and longer")
	r.Event = After
	if d := g.Decide(context.Background(), r); d.Note != "" {
		t.Fatal(d.Note)
	}
	got := needs()
	list, err := checkpoint.In(st).List()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(list) != 2 || !slices.ContainsFunc(list, func(i checkpoint.Info) bool { return i.ID == got[1] }) {
		t.Errorf("after the settle: %v of %v", got, list)
	}
}

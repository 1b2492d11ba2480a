package gate

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/counterstep/counterstep/internal/policy"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// world is a project with a gate in front of it.
type world struct {
	*testing.T
	g   *Gate
	dir string
	now time.Time
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: filepath.Join(base, "p"), now: time.Now()}
	for _, d := range []string{w.dir, filepath.Join(base, "home")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.g = w.gate()
	return w
}

// gate is that of the next process.
func (w *world) gate() *Gate {
	base := filepath.Dir(w.dir)
	return &Gate{
		UserPolicy: filepath.Join(base, policy.Name),
		StateHome:  filepath.Join(base, "state"), Home: filepath.Join(base, "home"), Now: func() time.Time { return w.now },
		NewID: func() string { return ulid.MustNew(ulid.Timestamp(w.now), rand.Reader).String() },
	}
}

func (w *world) write(name, text string) {
	w.Helper()
	w.now = time.Now()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// request is a shell call.
func (w *world) request(event Event, call, command string) Request {
	return Request{Event: event, Harness: "t", Session: "s", CallID: call, Tool: "Bash", Cwd: w.dir, Input: Input{Kind: Shell, Command: command}}
}

func (w *world) before(call, command string) Decision {
	w.Helper()
	return w.g.Decide(context.Background(), w.request(Before, call, command))
}

func (w *world) pass(call, command string) Decision {
	w.Helper()
	d := w.before(call, command)
	if d.Refused || d.Fault {
		w.Fatalf("%s: %+v", command, d)
	}
	return d
}

func (w *world) store() *store.Store {
	w.Helper()
	st, err := store.Open(w.g.Dir(w.g.Workspace(w.dir)))
	if err != nil {
		w.Fatal(err)
	}
	return st
}

func (w *world) sagas() []ledger.Saga {
	w.Helper()
	records, report, err := ledger.ReadAll(w.store().LedgerDir())
	if err != nil || report.Corrupt() {
		w.Fatal(err, report)
	}
	return ledger.Fold(records)
}

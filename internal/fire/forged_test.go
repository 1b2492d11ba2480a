package fire_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

const id = "01HZZZZZZZZZZZZZZZ00000001"

// armed is a saga that holds the files a and b of a directory, both deleted
// since. scope are the paths that its call.json names; change may alter the
// record.
func armed(t *testing.T, scope []string, change func(*ledger.Record)) (*fire.Engine, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Create(filepath.Join(t.TempDir(), "state", "store"))
	if err != nil {
		t.Fatal(err)
	}
	call := inverse.Call{V: 1, ID: id, Tool: "Bash", Command: "rm a b"}
	for _, name := range scope {
		call.Step.Roots = append(call.Step.Roots, inverse.Root{Path: inverse.Name(filepath.Join(dir, name)), Gone: true})
	}
	sealed := seal(t, st, dir, call)
	rec := ledger.Record{
		ID: id, Kind: ledger.Armed, Time: time.Now(), Command: call.Command,
		Manifest: hex.EncodeToString(sealed.Manifest[:]), CallSHA: hex.EncodeToString(sealed.Call[:]),
	}
	if change != nil {
		change(&rec)
	}
	for _, r := range []ledger.Record{rec, {ID: "01HZZZZZZZZZZZZZZZ00000002", Kind: ledger.Call, Time: time.Now()}} {
		if _, err := ledger.Append(t.Context(), st.LedgerDir(), r, ledger.AppendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	n := 10
	newID := func() string { n++; return fmt.Sprintf("01HZZZZZZZZZZZZZZZ%08d", n) }
	return &fire.Engine{Store: st, Now: time.Now, NewID: newID}, dir
}

// seal writes the payload with a and b, and deletes them.
func seal(t *testing.T, st *store.Store, dir string, call inverse.Call) store.Sealed {
	t.Helper()
	var roots []workspace.Root
	for _, name := range []string{"a", "b"} {
		path := filepath.Join(dir, name)
		roots = append(roots, workspace.Root{Path: path})
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
	}
	staging, err := st.Begin(id)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := workspace.Capture(t.Context(), roots, workspace.Options{Sink: staging})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(call)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := staging.Finish(t.Context(), entries, data)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

// refused fires the saga, which must fail with that text and change nothing.
func refused(ctx context.Context, t *testing.T, e *fire.Engine, dir, want string) {
	t.Helper()
	s, err := e.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Fire(ctx, s, fire.Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("something was put back: %v, %v", list, err)
	}
}

// TestForgedSagas: what the ledger, call.json and the manifest say must belong
// together, and nothing outside the scope is ever written.
func TestForgedSagas(t *testing.T) {
	e, dir := armed(t, []string{"a", "b"}, nil)
	s, err := e.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Fire(t.Context(), s, fire.Options{}); err != nil {
		t.Fatalf("one that is whole does not fire: %v", err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(data) != "b" {
		t.Errorf("b is %q, %v", data, err)
	}
	e, dir = armed(t, []string{"a"}, nil)
	refused(t.Context(), t, e, dir, "outside its scope")
	e, dir = armed(t, []string{"a", "b"}, func(r *ledger.Record) { r.CallSHA = strings.Repeat("0", 64) })
	refused(t.Context(), t, e, dir, "is not what was recorded")
}

// TestADamagedLedgerIsNotFired: a record that was altered is not acted upon.
func TestADamagedLedgerIsNotFired(t *testing.T) {
	e, dir := armed(t, []string{"a", "b"}, nil)
	path := ledger.Path(e.Store.LedgerDir())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := bytes.Cut(bytes.Replace(data, []byte("rm a b"), []byte("rm a c"), 1), []byte("\n"))
	body := first[:bytes.LastIndex(first, []byte(`,"sum":"`))]
	sum := sha256.Sum256(body) // so that the line itself looks whole
	altered := fmt.Sprintf("%s,\"sum\":\"%x\"}\n%s", body, sum[:8], rest)
	if err := os.WriteFile(path, []byte(altered), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t.Context(), t, e, dir, "the ledger is damaged")
}

// TestFiresWaitForEachOther: while one works, another gives up.
func TestFiresWaitForEachOther(t *testing.T) {
	e, dir := armed(t, []string{"a", "b"}, nil)
	unlock, err := durable.Lock(t.Context(), filepath.Join(e.Store.Dir(), "fire.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	refused(ctx, t, e, dir, "another fire is at work")
}

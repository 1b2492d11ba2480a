//go:build linux

package faults

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/ledger"
)

// TestEveryPrefix cuts the ledger of 20 calls after every byte: what is whole
// is listed and can be taken back, and the next call goes on behind it.
func TestEveryPrefix(t *testing.T) {
	t.Parallel()
	const calls = 20
	w := newWorld(t)
	for i := range calls {
		w.must(os.WriteFile(w.file(i), fmt.Append(nil, "content of ", i), 0o640))
	}
	for i := range calls {
		w.agent(fmt.Sprintf("rm f%d", i))
	}
	whole, err := os.ReadFile(w.ledgerFile())
	w.must(err)
	e, _ := w.engine()
	stride := 211
	if long {
		stride = 1
	}
	for n := len(whole); n >= 0; n -= stride {
		w.must(os.Truncate(w.ledgerFile(), int64(n)))
		w.listed(e, whole[:n])
		flips.Add(1)
	}
	for i, n := 0, 0; n < len(whole); i++ {
		n += bytes.IndexByte(whole[n:], '\n') + 1
		if long || i%9 == 4 {
			w.goesOn(e, whole, n, i)
		}
	}
}

func (w *world) file(i int) string  { return filepath.Join(w.dir, fmt.Sprint("f", i)) }
func (w *world) ledgerFile() string { return filepath.Join(w.storeDir(), "ledger/ledger.jsonl") }

// listed checks that every whole record counts and nothing but the end is
// damaged.
func (w *world) listed(e *fire.Engine, prefix []byte) {
	w.t.Helper()
	lines := bytes.Count(prefix, []byte("\n"))
	records, report, err := ledger.ReadAll(e.Store.LedgerDir())
	if err != nil || len(records) != lines && len(records) != lines+1 || report.Corrupt() {
		w.t.Fatalf("of %d bytes with %d lines: %d records, %+v, %v", len(prefix), lines, len(records), report, err)
	}
	armed := 0
	for _, r := range records {
		if r.Kind == ledger.Armed {
			armed++
		}
	}
	for _, s := range ledger.Fold(records) {
		if s.Fireable() {
			armed--
		}
	}
	if armed != 0 {
		w.t.Fatalf("of %d bytes: %d armed calls are not listed", len(prefix), armed)
	}
}

// goesOn fires the newest call that the first n bytes hold, with a torn line
// behind them, and lets a hook add a call.
func (w *world) goesOn(e *fire.Engine, whole []byte, n, i int) {
	w.t.Helper()
	torn := append(bytes.Clone(whole[:n]), whole[n:min(len(whole), n+100)]...)
	w.must(os.WriteFile(w.ledgerFile(), torn, 0o600))
	s, err := e.Last()
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := e.Fire(context.Background(), s, fire.Options{})
	if err != nil || r.Status != "fired" {
		w.t.Fatalf("line %d: fire: %+v, %v", i, r, err)
	}
	// Two records to a call: its own and its settle.
	data, err := os.ReadFile(w.file(i / 2))
	if err != nil || string(data) != fmt.Sprint("content of ", i/2) {
		w.t.Fatalf("line %d: fired, but %q, %v", i, data, err)
	}
	w.agent(fmt.Sprintf("rm f%d", i/2))
	w.sound()
}

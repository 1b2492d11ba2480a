package ledger

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// newDir is an empty ledger directory.
func newDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ledger")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// id is a well-formed id with number n.
func id(n int) string { return fmt.Sprintf("01HZZZZZZZZZZZZZZZ%08d", n) }

// some is a record like those of real life.
func some(n int) Record {
	r := Record{
		ID: id(n), Kind: Call, Time: time.Unix(1_700_000_000+int64(n), 5e8),
		Harness: "claude", Session: "s-1", Tool: "Bash", Cwd: "/home/u/src", Class: "inert",
	}
	switch n % 4 {
	case 1:
		r.Kind, r.Class, r.Command = Armed, "invertible", "rm -rf <src> & 'x'"
		r.Paths, r.More = []Name{"/home/u/src/a", "/home/u/src/b\n\xff"}, n
		r.Proof, r.Files, r.Bytes = &Proof{Kind: "simulated"}, 2, 4096
	case 2:
		r.Kind, r.ID = Settled, id(n-1)
	case 3:
		r.Kind, r.Reason, r.Hint = Refused, "the target is not known", "counterstep explain 'rm \"$x\"'"
	}
	return r
}

// fill appends n records and returns the bytes of the ledger.
func fill(t testing.TB, dir string, n int) []byte {
	t.Helper()
	for i := range n {
		if _, err := Append(t.Context(), dir, some(i), AppendOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return load(t, dir)
}

func load(t testing.TB, dir string) []byte {
	t.Helper()
	data, err := os.ReadFile(Path(dir))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// scan scans data and fails on a read error.
func scan(t testing.TB, data []byte) ([]Line, Report) {
	t.Helper()
	var lines []Line
	report, err := Scan(bytes.NewReader(data), func(l Line) error {
		lines = append(lines, l)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, report
}

// memory is a ledger file in memory whose n-th write or sync, counted from 1,
// fails after part of the bytes; 0 never fails.
type memory struct {
	*bytes.Reader
	data  []byte
	fail  int
	part  int
	ops   int
	syncs int
}

func inMemory(data []byte) *memory {
	return &memory{Reader: bytes.NewReader(data), data: bytes.Clone(data)}
}

func (m *memory) Write(p []byte) (int, error) {
	if m.ops++; m.ops == m.fail {
		n := min(m.part, len(p))
		m.data = append(m.data, p[:n]...)
		return n, os.ErrDeadlineExceeded
	}
	m.data = append(m.data, p...)
	return len(p), nil
}

func (m *memory) Sync() error {
	m.syncs++
	if m.ops++; m.ops == m.fail {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// add appends to data in memory and returns what it is then.
func add(t testing.TB, data []byte, r Record) []byte {
	t.Helper()
	m := inMemory(data)
	if _, err := appendTo(m, int64(len(data)), r, true); err != nil {
		t.Fatal(err)
	}
	return m.data
}

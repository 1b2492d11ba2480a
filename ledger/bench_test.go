package ledger

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// grown is a ledger of n records, written at once.
func grown(t testing.TB, n int) (dir string) {
	t.Helper()
	dir = newDir(t)
	var buf bytes.Buffer
	e := end{prev: noPrev}
	for i := range n {
		if _, err := e.write(&buf, some(i), "ledger.write"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(Path(dir), buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// BenchmarkAppend: compare records=100000 with records=0; the ratio is the
// cost of a long history and should be 1.
func BenchmarkAppend(b *testing.B) {
	for _, n := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			dir := grown(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Append(b.Context(), dir, some(1), AppendOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTail lists the last 50 of 100,000 records.
func BenchmarkTail(b *testing.B) {
	dir := grown(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		if got, err := Tail(dir, 50); err != nil || len(got) != 50 {
			b.Fatal(len(got), err)
		}
	}
}

// BenchmarkScan reads and checks all of 100,000 records.
func BenchmarkScan(b *testing.B) {
	dir := grown(b, 100_000)
	data := load(b, dir)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if report, err := Scan(bytes.NewReader(data), nil); err != nil || report.Records != 100_000 {
			b.Fatal(report, err)
		}
	}
}

// BenchmarkFind looks for one id among 100,000 records.
func BenchmarkFind(b *testing.B) {
	dir := grown(b, 100_000)
	for b.Loop() {
		if got, err := Find(dir, id(50_001)); err != nil || len(got) != 2 {
			b.Fatal(len(got), err)
		}
	}
}

// TestALongLedgerIsRead from its end: the cost of an append and of a listing
// is counted in bytes read, which no busy machine changes.
func TestALongLedgerIsReadFromItsEnd(t *testing.T) {
	var buf bytes.Buffer
	e := end{prev: noPrev}
	for i := range 5000 {
		if _, err := e.write(&buf, some(i), "ledger.write"); err != nil {
			t.Fatal(err)
		}
	}
	c := &counter{Reader: bytes.NewReader(buf.Bytes())}
	if _, err := findEnd(c, int64(buf.Len())); err != nil || c.n > 8<<10 {
		t.Errorf("an append reads %d bytes, %v", c.n, err)
	}
}

type counter struct {
	*bytes.Reader
	n int
}

func (c *counter) ReadAt(p []byte, off int64) (int, error) {
	c.n += len(p)
	return c.Reader.ReadAt(p, off)
}

package ledger

import (
	"bytes"
	"runtime"
	"testing"
)

// FuzzScan: any bytes can be scanned in bounded memory, both directions see
// the same records, and an append behind them is found again.
func FuzzScan(f *testing.F) {
	good := add(f, add(f, nil, some(1)), some(3))
	f.Add(good)
	f.Add(good[:len(good)-7])
	f.Add(add(f, good[:len(good)-7], some(2)))
	f.Add(append(bytes.Clone(good), make([]byte, 600)...))
	f.Add([]byte("\n\n{}\n"))
	f.Add([]byte(`{"v":1,"sum":"0123456789abcdef"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		lines, report := scan(t, data)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20+32*uint64(len(data)) {
			t.Fatalf("%d bytes of input took %d bytes", len(data), used)
		}
		if report.End != int64(len(data)) || report.Records != len(lines) {
			t.Fatalf("report %+v of %d bytes, %d lines", report, len(data), len(lines))
		}
		b, err := backward(bytes.NewReader(data), int64(len(data)), 64)
		if err != nil {
			t.Fatal(err)
		}
		for i := len(lines) - 1; ; {
			off, line, err := b.line()
			if err != nil {
				if i != -1 {
					t.Fatalf("%d records are not seen from the end", i+1)
				}
				break
			}
			if _, err := decode(line); err != nil {
				continue
			}
			if i < 0 || lines[i].Offset != off {
				t.Fatalf("another record at %d", off)
			}
			i--
		}
		grown := add(t, data, some(5))
		again, report := scan(t, grown)
		last := again[len(again)-1].Record
		if len(again) < len(lines)+1 || last.ID != id(5) {
			t.Fatalf("the append is lost: %+v", report)
		}
		if n := len(report.Damage); n > 0 && report.Damage[n-1].State == Torn {
			t.Fatalf("still torn: %+v", report.Damage[n-1])
		}
	})
}

package store

import (
	"fmt"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
)

// BenchmarkPayload writes 10,000 small files, durably, and reads them back.
// Compare with cp -a of the same tree on the same file system.
func BenchmarkPayload(b *testing.B) {
	const files = 10_000
	data := make([]byte, 4000)
	entries := make([]fingerprint.Entry, files)
	for i := range entries {
		entries[i] = entry(fmt.Sprintf("/home/user/src/project/dir%03d/file%05d.go", i/100, i), string(data))
	}
	n := 0
	write := func(b *testing.B, s *Store) Sealed {
		n++
		st, err := s.Begin(ulid(n))
		if err != nil {
			b.Fatal(err)
		}
		for i := range entries {
			if err := st.Small(&entries[i], data); err != nil {
				b.Fatal(err)
			}
		}
		sealed, err := st.Finish(b.Context(), entries, []byte("{}"))
		if err != nil {
			b.Fatal(err)
		}
		return sealed
	}
	b.Run("op=write", func(b *testing.B) {
		s := newStore(b)
		b.ReportAllocs()
		for b.Loop() {
			write(b, s)
			b.StopTimer()
			s.Remove(ulid(n))
			b.StartTimer()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/files, "ns/file")
	})
	b.Run("op=verify", func(b *testing.B) {
		s := newStore(b)
		sealed := write(b, s)
		b.ReportAllocs()
		for b.Loop() {
			p, err := s.Payload(ulid(n), sealed.Manifest)
			if err == nil {
				err = p.Verify(b.Context(), nil)
				p.Close()
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/files, "ns/file")
	})
}

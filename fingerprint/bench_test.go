package fingerprint_test

import (
	"fmt"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
)

// The sum of what a walk found. It must stay far below the walk itself, which
// takes about 3 µs a file.
func BenchmarkSum(b *testing.B) {
	for _, n := range []int{200, 10_000} {
		entries := make([]fingerprint.Entry, n)
		for i := range entries {
			entries[i] = fingerprint.Entry{
				Path: fmt.Sprintf("/home/u/project/dir%03d/file%06d.go", i/100, i),
				Type: fingerprint.File, Mode: 0o644, Size: int64(i), XXH: uint64(i),
			}
		}
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fingerprint.Sum(entries)
			}
		})
	}
}

func BenchmarkContent(b *testing.B) {
	for _, size := range []int{1 << 10, 1 << 20} {
		data := make([]byte, size)
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				fingerprint.ContentOf(data)
			}
		})
	}
}

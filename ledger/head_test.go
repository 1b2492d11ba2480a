package ledger

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whatever is damaged, checking the chain finds what reading everything finds.
func TestCheckFindsWhatReadingFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	dir := newDir(t)
	whole := fill(t, dir, 12)
	for round := range 300 {
		data := bytes.Clone(whole)
		for range rng.IntN(4) {
			switch at := rng.IntN(len(data)); rng.IntN(4) {
			case 0:
				data[at] ^= 1 << rng.IntN(8)
			case 1:
				data = append(data[:at:at], data[min(at+rng.IntN(400), len(data)):]...)
			case 2:
				data = data[:at]
			case 3:
				data = append(data[:at:at], append([]byte("\n\x00{"), data[at:]...)...)
			}
			if len(data) == 0 {
				data = []byte("x")
			}
		}
		if rng.IntN(2) == 0 {
			data = add(t, data, some(99))
		}
		if err := os.WriteFile(Path(dir), data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, want, err := ReadAll(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Check(dir)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
	}
}

// BenchmarkCheck checks the chain of 100,000 records.
func BenchmarkCheck(b *testing.B) {
	dir := session(b, 100_000)
	for b.Loop() {
		if r, err := Check(dir); err != nil || r.Records != 100_000 {
			b.Fatal(r, err)
		}
	}
}

package store

import (
	"bytes"
	"crypto/sha256"
	"os"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
)

const keptID = "01KBA3Y5M0000000000000000A"

func keptText(k *Keeper, text string) [32]byte {
	e := fingerprint.Entry{SHA: sha256.Sum256([]byte(text))}
	k.Small(&e, []byte(text))
	return e.SHA
}

// What is kept comes back by its hash; what is damaged does not.
func TestKept(t *testing.T) {
	s := newStore(t)
	k := &Keeper{}
	a, b := keptText(k, "one\n"), keptText(k, "two\n")
	keptText(k, "one\n")
	if err := s.PutKept(keptID, k); err != nil || k.Files != 2 || k.Bytes != 8 {
		t.Fatalf("%v, %d files with %d bytes", err, k.Files, k.Bytes)
	}
	if got := s.Kept(keptID); len(got) != 2 || string(got[a]) != "one\n" || string(got[b]) != "two\n" {
		t.Errorf("%q", got)
	}
	data, err := os.ReadFile(s.keptName(keptID))
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		bad := bytes.Clone(data)
		bad[i] ^= 1
		if err := os.WriteFile(s.keptName(keptID), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		for sha, text := range s.Kept(keptID) {
			if sha256.Sum256(text) != sha {
				t.Fatalf("byte %d: %q is not what its name says", i, text)
			}
		}
	}
	for n := range len(data) {
		if err := os.Truncate(s.keptName(keptID), int64(len(data)-n)); err != nil {
			t.Fatal(err)
		}
		s.Kept(keptID)
	}
	if err := s.Remove(keptID); err != nil || s.Kept(keptID) != nil {
		t.Errorf("removed, but %v, %q", err, s.Kept(keptID))
	}
}

// What is over a limit, no text, or held already is not kept.
func TestKeeperLimits(t *testing.T) {
	asked := 0
	known := sha256.Sum256([]byte("known"))
	k := &Keeper{Held: func() map[[32]byte]bool { asked++; return map[[32]byte]bool{known: true} }}
	keptText(k, "known")
	keptText(k, "a\x00b")
	keptText(k, string(bytes.Repeat([]byte("x"), KeptFile+1)))
	if k.Files != 0 || k.Left != 2 || asked != 1 {
		t.Errorf("%d kept, %d left, asked %d times", k.Files, k.Left, asked)
	}
	for i := range 2 * KeptCall / KeptFile {
		keptText(k, string(bytes.Repeat([]byte{byte('a' + i)}, KeptFile)))
	}
	if k.Bytes > KeptCall || k.Files != KeptCall/KeptFile {
		t.Errorf("%d files with %d bytes kept", k.Files, k.Bytes)
	}
}

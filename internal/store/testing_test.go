package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
)

// newStore is an empty store in a directory of its own.
func newStore(t testing.TB) *Store {
	t.Helper()
	s, err := Create(filepath.Join(t.TempDir(), "state", "store"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ulid is a well-formed id with number n.
func ulid(n int) string { return fmt.Sprintf("01HZZZZZZZZZZZZZZZ%08d", n) }

// entry is a regular file with its hashes.
func entry(path, data string) fingerprint.Entry {
	return fingerprint.Entry{
		Path: path, Type: fingerprint.File, Mode: 0o644, MTime: 1_700_000_000_123_456_789,
		UID: uint32(os.Getuid()), GID: uint32(os.Getgid()),
		Size: int64(len(data)), XXH: fingerprint.ContentOf([]byte(data)), SHA: sha256.Sum256([]byte(data)),
	}
}

// put adds files, given as path and content, and other entries, and seals the
// payload of id.
func put(t testing.TB, s *Store, id string, files map[string]string, others ...fingerprint.Entry) Sealed {
	t.Helper()
	st, err := s.Begin(id)
	if err != nil {
		t.Fatal(err)
	}
	entries := others
	for _, path := range sortedKeys(files) {
		e := entry(path, files[path])
		if err := st.Small(&e, []byte(files[path])); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	sealed, err := st.Finish(t.Context(), byPath(entries), []byte(`{"command":"rm -rf x"}`))
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

func byPath(entries []fingerprint.Entry) []fingerprint.Entry {
	slices.SortFunc(entries, func(a, b fingerprint.Entry) int { return strings.Compare(a.Path, b.Path) })
	return entries
}

// open opens the payload of id.
func open(t testing.TB, s *Store, id string, manifest [32]byte) *Payload {
	t.Helper()
	p, err := s.Payload(id, manifest)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// read reads the content of the entry at path.
func read(p *Payload, path string) (string, error) {
	for _, e := range p.Entries() {
		if e.Path != path {
			continue
		}
		r, err := p.Open(e)
		if err != nil {
			return "", err
		}
		defer r.Close()
		data, err := io.ReadAll(r)
		return string(data), err
	}
	return "", errors.New("no such entry")
}

// tarFile is the payload of a finished folder; thaw makes the folder writable.
func tarFile(s *Store, id string) string { return filepath.Join(s.ShadowDir(), id, "payload.tar") }

func thaw(t testing.TB, s *Store, id string) {
	t.Helper()
	for _, dir := range []string{id, id + "/big"} {
		if err := os.Chmod(filepath.Join(s.ShadowDir(), dir), 0o700); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
}

// temp is an open file with that content.
func temp(t testing.TB, data []byte) *os.File {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "big")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := io.Copy(f, bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	return f
}

func sumOf(data []byte) [32]byte { return sha256.Sum256(data) }

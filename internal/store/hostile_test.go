package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A payload of the same id that is whole, but not the one that was armed.
func TestForgedPayload(t *testing.T) {
	s := newStore(t)
	armed := put(t, s, ulid(1), map[string]string{"/tmp/x": "armed"})
	if err := s.Remove(ulid(1)); err != nil {
		t.Fatal(err)
	}
	put(t, s, ulid(1), map[string]string{"/tmp/x": "forged"})
	var damage *DamageError
	if _, err := s.Payload(ulid(1), armed.Manifest); !errors.As(err, &damage) {
		t.Errorf("got %v", err)
	}
}

func TestAPayloadIsAFile(t *testing.T) {
	s := newStore(t)
	put(t, s, ulid(1), map[string]string{"/tmp/x": "x"})
	thaw(t, s, ulid(1))
	name := tarFile(s, ulid(1))
	for what, spoil := range map[string]func() error{
		"a link":   func() error { return errors.Join(os.Rename(name, name+"2"), os.Symlink(name+"2", name)) },
		"a folder": func() error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o700)) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Payload(ulid(1), [32]byte{}); err == nil || errors.Is(err, ErrNoPayload) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestNewFileTakesNoOther(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(name, []byte("there"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := newFile(name); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
}

// A file that became shorter fills its place in the tar with zeros, not with
// what was read before.
func TestShortSource(t *testing.T) {
	st := &Staging{}
	var out bytes.Buffer
	d := newDigest()
	n, err := st.copy(&out, d, strings.NewReader("abc"), 10)
	if n != 3 || err != nil || out.String() != "abc\x00\x00\x00\x00\x00\x00\x00" {
		t.Errorf("%d, %v, %q", n, err, out.String())
	}
	out.Reset()
	broken := io.MultiReader(strings.NewReader("abc"), brokenReader{})
	if n, err := st.copy(&out, d, broken, 10); n != 3 || !errors.Is(err, errSource) || out.Len() != 10 {
		t.Errorf("%d, %v, %q", n, err, out.String())
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

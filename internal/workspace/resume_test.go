package workspace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
)

// state captures one path.
func state(t *testing.T, path string) fingerprint.Entry {
	t.Helper()
	entries, err := Capture(t.Context(), []Root{{Path: path}}, Options{})
	if err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	return entries[0]
}

// TestResume: what a killed Apply had taken out goes back; when its place is
// taken, what is known goes and anything else is kept beside.
func TestResume(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	var want, was []fingerprint.Entry
	for _, name := range []string{"empty", "known", "strange"} {
		p := write(name, "old "+name)
		was = append(was, state(t, p))
		want = append(want, fingerprint.Entry{Path: p, Type: fingerprint.Absent})
		if err := os.Rename(p, filepath.Join(dir, tempName("ID", p)+outSuffix)); err != nil {
			t.Fatal(err)
		}
	}
	write("known", "new")
	write("strange", "new")
	write(tempName("ID", filepath.Join(dir, "strange"))+outSuffix, "somebody's")
	if writing, err := Live().Resume("ID", want, was); err != nil || len(writing) > 0 {
		t.Fatal(writing, err)
	}
	for name, text := range map[string]string{"empty": "old empty", "known": "new", "strange": "new", "strange.counterstep-ID": "somebody's"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != text {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 4 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestPartial: an error says whether something may have been changed by then.
func TestPartial(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(dir, "f")
	if err := os.WriteFile(p, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := state(t, p)
	if err := os.Remove(p); err != nil {
		t.Fatal(err)
	}
	put := []Action{{Op: Put, Entry: e, Now: fingerprint.Entry{Path: p, Type: fingerprint.Absent}}}
	_, err = Live().Apply(t.Context(), "ID", put, func(fingerprint.Entry) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("y")), nil
	}, ApplyOptions{})
	if err == nil || errors.Is(err, ErrPartial) {
		t.Errorf("wrong content: %v", err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}

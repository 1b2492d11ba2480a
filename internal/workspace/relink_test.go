package workspace

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
)

// A name with the right content in an inode of its own becomes one with its
// link group when the caller says so, and only then.
func TestRelink(t *testing.T) {
	for _, relink := range []bool{false, true} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
		write := func(p string) {
			if err := os.WriteFile(p, []byte("same"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write(a)
		if err := os.Link(a, b); err != nil {
			t.Fatal(err)
		}
		pre, err := Scan(context.Background(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(b); err != nil {
			t.Fatal(err)
		}
		write(b)
		now, err := Scan(context.Background(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		open := func(fingerprint.Entry) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("same")), nil }
		actions := []Action{{Op: Keep, Entry: pre[0], Now: now[0]}, {Op: Put, Entry: pre[1], Now: now[1], Relink: relink}}
		if _, err := Live().Apply(context.Background(), "ID", actions, open, ApplyOptions{}); err != nil {
			t.Fatal(err)
		}
		ia, _ := os.Stat(a)
		ib, _ := os.Stat(b)
		if os.SameFile(ia, ib) != relink {
			t.Errorf("relink %v: one file = %v", relink, os.SameFile(ia, ib))
		}
	}
}

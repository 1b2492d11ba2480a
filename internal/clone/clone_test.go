package clone_test

import (
	"bytes"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/counterstep/counterstep/internal/clone"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	data := make([]byte, 3<<20+17)
	rand.New(rand.NewSource(1)).Read(data)
	src, dst := create(t, dir, "src"), create(t, dir, "dst")
	if _, err := src.Write(data); err != nil { // leaves the offset at the end
		t.Fatal(err)
	}
	how, err := clone.File(dst, src)
	if err != nil {
		t.Fatal(err)
	}
	shared := clone.Try(create(t, dir, "second"), src) == nil
	if (how == clone.Shared) != shared {
		t.Errorf("says %q, but blocks can be shared: %t", how, shared)
	}
	if got, err := os.ReadFile(dst.Name()); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	// A clone is no link: writing one side leaves the other.
	if _, err := src.WriteAt([]byte("changed"), 0); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(dst.Name()); !bytes.Equal(got, data) {
		t.Error("the copy changed with the source")
	}
}

func TestFileReportsRealErrors(t *testing.T) {
	dir := t.TempDir()
	src := create(t, dir, "src")
	src.WriteString("x")
	dst := create(t, dir, "dst")
	dst.Close()
	if _, err := clone.File(dst, src); err == nil {
		t.Error("no error")
	}
}

func create(t *testing.T, dir, name string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

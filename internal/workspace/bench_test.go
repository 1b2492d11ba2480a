package workspace_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// benchTree makes n files of 100 bytes to 32 KiB, eight to a directory, as in
// a source tree. TMPDIR should lie on a journalled file system.
func benchTree(b testing.TB, n int) string {
	b.Helper()
	root := filepath.Join(realTemp(b), "tree")
	data := bytes.Repeat([]byte("package main // 32 bytes of text\n"), 1024)
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("d%02d", i/512), fmt.Sprintf("e%03d", i/8))
		if i%8 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		size := 100 << (i % 9)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%05d.go", i)), data[:size], 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

// Compare what=cp with the others: a fingerprint may take 0.20 of it, a
// capture 0.30, a restore 0.5.
func BenchmarkTree(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{200, 10_000} {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			root := benchTree(b, n)
			tree := []workspace.Root{{Path: root, Tree: true}}
			b.Run("what=stat", func(b *testing.B) {
				for b.Loop() {
					capture(b, ctx, tree, workspace.Options{StatOnly: true})
				}
			})
			b.Run("what=fingerprint", func(b *testing.B) {
				for b.Loop() {
					fingerprint.Sum(capture(b, ctx, tree, workspace.Options{NoSHA: true}))
				}
			})
			b.Run("what=capture", func(b *testing.B) {
				pack := filepath.Join(b.TempDir(), "pack")
				for b.Loop() {
					sink := newPackSink(b, pack)
					capture(b, ctx, tree, workspace.Options{Sink: sink})
					sink.f.Close()
				}
			})
		})
	}
}

func capture(b testing.TB, ctx context.Context, roots []workspace.Root, o workspace.Options) []fingerprint.Entry {
	b.Helper()
	entries, err := workspace.Capture(ctx, roots, o)
	if err != nil {
		b.Fatal(err)
	}
	return entries
}

// packSink appends to one file, as a payload does.
type packSink struct {
	f   *os.File
	off int64
}

func newPackSink(b testing.TB, path string) *packSink {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	return &packSink{f: f}
}

func (p *packSink) Small(e *fingerprint.Entry, data []byte) error {
	e.Off = p.off
	n, err := p.f.Write(data)
	p.off += int64(n)
	return err
}

func (p *packSink) Big(e *fingerprint.Entry, f *os.File) error {
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	e.Size, e.XXH = int64(len(data)), fingerprint.ContentOf(data)
	return p.Small(e, data)
}

// A whole missing tree, put back in one rename.
func BenchmarkRestore(b *testing.B) {
	for _, n := range []int{200, 10_000} {
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			root := benchTree(b, n)
			m := &memory{}
			actions := back(m.keep(b, root), nil)
			for i := 0; b.Loop(); i++ {
				shadow := filepath.Join(b.TempDir(), fmt.Sprint(i))
				if err := os.MkdirAll(shadow+filepath.Dir(root), 0o755); err != nil {
					b.Fatal(err)
				}
				out, err := workspace.At(shadow).Apply(context.Background(), "ID", actions, m.open, workspace.ApplyOptions{})
				if err != nil || !out[0].Done {
					b.Fatal(err, out[0])
				}
			}
		})
	}
}

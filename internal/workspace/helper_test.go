package workspace_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// memory is a sink that keeps contents in memory.
type memory struct {
	mu    sync.Mutex
	blobs [][]byte
}

func (m *memory) Small(e *fingerprint.Entry, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	e.Off = int64(len(m.blobs))
	m.blobs = append(m.blobs, bytes.Clone(data))
	return nil
}

func (m *memory) Big(e *fingerprint.Entry, f *os.File) error {
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	e.Size, e.XXH, e.SHA = int64(len(data)), fingerprint.ContentOf(data), sha256.Sum256(data)
	return m.Small(e, data)
}

func (m *memory) open(e fingerprint.Entry) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Off >= int64(len(m.blobs)) {
		return nil, fmt.Errorf("no content for %q", e.Path)
	}
	return io.NopCloser(bytes.NewReader(m.blobs[e.Off])), nil
}

func (m *memory) keep(t testing.TB, paths ...string) []fingerprint.Entry {
	t.Helper()
	roots := make([]workspace.Root, len(paths))
	for i, p := range paths {
		roots[i] = workspace.Root{Path: p, Tree: true}
	}
	return capture(t, context.Background(), roots, workspace.Options{Sink: m})
}

func scan(t testing.TB, paths ...string) []fingerprint.Entry {
	t.Helper()
	entries, err := workspace.Scan(context.Background(), paths...)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// at finds the entry of a path; without one, nothing is there.
func at(entries []fingerprint.Entry, path string) fingerprint.Entry {
	for _, e := range entries {
		if e.Path == path {
			return e
		}
	}
	return fingerprint.Entry{Path: path, Type: fingerprint.Absent}
}

// back is the list of actions that bring pre back when now is there.
func back(pre, now []fingerprint.Entry) []workspace.Action {
	var actions []workspace.Action
	for _, e := range pre {
		if e.Type == fingerprint.Absent {
			continue
		}
		actions = append(actions, workspace.Action{Op: workspace.Put, Entry: e, Now: at(now, e.Path)})
	}
	for _, e := range now {
		if at(pre, e.Path).Type == fingerprint.Absent && e.Type != fingerprint.Absent {
			actions = append(actions, workspace.Action{
				Op: workspace.Remove, Entry: fingerprint.Entry{Path: e.Path}, Now: e,
			})
		}
	}
	return actions
}

func apply(t testing.TB, m *memory, actions ...workspace.Action) []workspace.Outcome {
	t.Helper()
	out, err := workspace.Live().Apply(context.Background(), "ID", actions, m.open, workspace.ApplyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// allDone fails unless every action reached its goal with nothing missing.
func allDone(t testing.TB, out []workspace.Outcome) {
	t.Helper()
	for _, o := range out {
		if !o.Done || o.Reason != "" {
			t.Errorf("%q: %s, %s", o.Path, o.Status, o.Reason)
		}
	}
}

// sameState compares all that is restored: everything but identity, storage
// and access times.
func sameState(t testing.TB, want, got []fingerprint.Entry) {
	t.Helper()
	if diff := cmp.Diff(comparable(want), comparable(got)); diff != "" {
		t.Errorf("state differs (-want +got):\n%s", diff)
	}
	if fingerprint.Sum(want) != fingerprint.Sum(got) {
		t.Error("the fingerprints differ")
	}
}

func comparable(entries []fingerprint.Entry) []fingerprint.Entry {
	out := make([]fingerprint.Entry, 0, len(entries))
	for _, e := range entries {
		e.Dev, e.Ino, e.Off, e.Big, e.ATime, e.Links = 0, 0, 0, 0, 0, 0
		out = append(out, e)
	}
	return out
}

// noTemps fails when something of ours is left under a directory.
func noTemps(t testing.TB, dir string) {
	t.Helper()
	for _, e := range scan(t, dir) {
		if strings.Contains(e.Path, "/.counterstep-") {
			t.Errorf("left behind: %q", e.Path)
		}
	}
}

func write(t testing.TB, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

func reads(t testing.TB, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%q has %q, want %q; %v", path, got, want, err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// noise is n bytes that do not repeat.
func noise(n int, seed string) []byte {
	data := make([]byte, n)
	x := uint32(len(seed)*2654435761 + n)
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
	return data
}

// remove takes a tree away whatever its modes are.
func remove(t testing.TB, root string) {
	t.Helper()
	filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
}

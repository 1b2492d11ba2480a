package rehearse_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/rehearse"
)

// TestAnUndoThatFallsShortIsNoticed: an undo that does nothing, or the wrong
// thing, is no proof; one that puts the file back is.
func TestAnUndoThatFallsShortIsNoticed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("precious"), 0o640); err != nil {
		t.Fatal(err)
	}
	roots := []workspace.Root{{Path: path}}
	pre, err := workspace.Capture(t.Context(), roots, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole := workspace.Action{Op: workspace.Put, Entry: pre[0], Now: fingerprint.Entry{Path: path, Type: fingerprint.Absent}}
	wrong := whole
	wrong.Entry.Mode = 0o600
	for name, c := range map[string]struct {
		undo []workspace.Action
		want error
	}{
		"nothing": {nil, rehearse.ErrDiffers},
		"a mode":  {[]workspace.Action{wrong}, rehearse.ErrDiffers},
		"all":     {[]workspace.Action{whole}, nil},
	} {
		space := t.TempDir()
		err := rehearse.Simulate(t.Context(), space, rehearse.Scope{
			ID: "ID", Roots: roots, Pre: pre,
			Fate: func(string) rehearse.Fate { return rehearse.Gone },
			Undo: func([]fingerprint.Entry) []workspace.Action { return c.undo },
			Open: func(fingerprint.Entry) (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader("precious")), nil
			},
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.ReadDir(space); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v, %v", name, left, err)
		}
	}
}

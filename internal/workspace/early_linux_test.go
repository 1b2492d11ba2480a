//go:build failpoints

package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/counterstep/counterstep/internal/workspace"
)

// TestTheEarlySyncCounts: a large build is synced once on the way. When that
// fails nothing is changed, even if a later sync would succeed, for the system
// may tell of a lost write only once.
func TestTheEarlySyncCounts(t *testing.T) {
	dir := t.TempDir()
	for i := range 2100 {
		sub := filepath.Join(dir, "many", fmt.Sprint(i/100))
		must(t, os.MkdirAll(sub, 0o755))
		write(t, filepath.Join(sub, fmt.Sprint(i)), "content")
	}
	m := &memory{}
	pre := m.keep(t, filepath.Join(dir, "many"))
	must(t, os.RemoveAll(filepath.Join(dir, "many")))
	apply := func() error {
		_, err := workspace.Live().Apply(t.Context(), "ID", back(pre, nil), m.open, workspace.ApplyOptions{Durable: true})
		return err
	}
	t.Setenv("COUNTERSTEP_FAIL", fmt.Sprintf("workspace.early:1:%d", int(syscall.EIO)))
	if err := apply(); err == nil {
		t.Error("the failure was not told")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
	t.Setenv("COUNTERSTEP_FAIL", "")
	must(t, apply())
	if got := m.keep(t, filepath.Join(dir, "many")); len(got) != len(pre) {
		t.Errorf("%d of %d are back", len(got), len(pre))
	}
}

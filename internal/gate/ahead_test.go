package gate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/ledger"
)

// TestArmedAhead: what is too much for the hook is refused before a byte is
// copied, with the command that arms it; then the call goes.
func TestArmedAhead(t *testing.T) {
	w := newWorld(t)
	w.write("data/a", "aaaa")
	w.write("data/b", "bbbb")
	past := time.Now().Add(-time.Hour)
	w.g.Budget = workspace.Limits{Files: 2}
	const command = "rm -rf 'data'"
	d := w.before("1", command)
	if !d.Refused || d.Hint != `counterstep arm -- 'rm -rf '\''data'\'''` || !strings.Contains(d.Reason, "files") {
		t.Fatalf("%+v", d)
	}
	if ids, err := w.store().IDs(); err != nil || len(ids) != 0 {
		t.Fatalf("held all the same: %v, %v", ids, err)
	}
	arm := func() string {
		t.Helper()
		w.now = time.Now()
		a, err := w.gate().Arm(context.Background(), w.request(Before, "", command))
		if err != nil || a.ID == "" || a.Files != 2 {
			t.Fatalf("%+v, %v", a, err)
		}
		return a.ID
	}
	first := arm()
	if d := w.before("2", "rm -rf data/"); !d.Refused {
		t.Errorf("another command passes: %+v", d)
	}
	w.pass("3", command)
	s := w.sagas()[0]
	for _, x := range w.sagas() {
		if x.ID == first {
			s = x
		}
	}
	if n := w.count(first, ledger.Armed); n != 2 || s.Number != 1 {
		t.Errorf("%d records, number %d", n, s.Number)
	}
	if s.Armed.Call != "3" || s.Armed.Session != "s" || s.Status != ledger.IsArmed {
		t.Errorf("not the call that was made: %+v", s.Armed)
	}
	if d := w.before("4", command); !d.Refused {
		t.Errorf("passes twice: %+v", d)
	}

	// Content, names, and an inode of its own: each makes it another scope.
	for name, change := range map[string]func(){
		"content, same times": func() {
			at := filepath.Join(w.dir, "data", "a")
			info, err := os.Stat(at)
			if err != nil {
				t.Fatal(err)
			}
			w.write("data/a", "AAAA")
			if err := os.Chtimes(at, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		},
		"a new file": func() { w.write("data/c", "c"); w.g.Budget.Files = 3 },
		"a mode":     func() { os.Chmod(filepath.Join(w.dir, "data", "b"), 0o600) },
		"a time":     func() { os.Chtimes(filepath.Join(w.dir, "data", "b"), past, past) },
	} {
		id := ""
		w.now = time.Now()
		if a, err := w.gate().Arm(context.Background(), w.request(Before, "", command)); err != nil {
			t.Fatal(err)
		} else {
			id = a.ID
		}
		change()
		if d := w.before("5"+name, command); !d.Refused {
			t.Errorf("%s: let go on what was held before: %+v (%s)", name, d, id)
		}
	}

	// Touched, but the same: its content is compared.
	arm2, err := w.gate().Arm(context.Background(), w.request(Before, "", command))
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(w.dir, "data", "a")
	info, _ := os.Stat(at)
	os.Chmod(at, 0o600)
	os.Chmod(at, info.Mode())
	w.pass("6", command)

	// What was forgotten in the meantime is not let go.
	arm3, err := w.gate().Arm(context.Background(), w.request(Before, "", command))
	if err != nil || arm3.ID == arm2.ID {
		t.Fatal(err)
	}
	if err := w.store().Remove(arm3.ID); err != nil {
		t.Fatal(err)
	}
	if d := w.before("7", command); !d.Refused {
		t.Errorf("let go without a payload: %+v", d)
	}
}

package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// roundsPerStore is how often a race is run before a new store is taken: a
// longer ledger would make each round slower.
const roundsPerStore = 100

// edited lets an edit tool write a text.
func (h *story) edited(path, text string) {
	h.calls++
	h.must(os.MkdirAll(filepath.Dir(path), 0o755))
	h.event("PreToolUse", "Edit", map[string]any{"file_path": path})
	h.must(os.WriteFile(path, []byte(text), 0o644))
	h.event("PostToolUse", "Edit", map[string]any{"file_path": path})
}

// fireLast fires the newest call, which may fail, and the redo of it if any.
func (h *story) fireLast(choice inverse.Choice) (fire.Result, error) {
	e := h.engine()
	s, err := e.Last()
	h.must(err)
	return e.Fire(context.Background(), s, fire.Options{Choice: choice})
}

// anywhere reports whether a content is in the project or held for a redo.
func (h *story) anywhere(want string, r fire.Result) bool {
	sum := fingerprint.ContentOf([]byte(want))
	entries, err := workspace.Scan(context.Background(), h.dir)
	h.must(err)
	for _, e := range entries {
		if e.Type == fingerprint.File && e.XXH == sum {
			return true
		}
	}
	if r.Redo == "" {
		return false
	}
	s, err := h.engine().Find(r.Redo)
	h.must(err)
	c, err := h.engine().Changes(context.Background(), s)
	h.must(err)
	defer c.Close()
	for _, ch := range c.List {
		if text, known := c.Before(ch); known && string(text) == want {
			return true
		}
	}
	return false
}

// TestWriterRacesFire lets somebody write while a merge is fired, by renaming
// and into the file: the last thing that was written is there, or is held.
func TestWriterRacesFire(t *testing.T) {
	var h *story
	merged := 0
	for round := range raceRounds {
		if round%roundsPerStore == 0 {
			h = newStory(t, "", uint64(round))
		}
		path := filepath.Join(h.dir, "f")
		h.must(os.WriteFile(path, []byte("1\n2\n3\n4\n5\n6\n7\n"), 0o644))
		h.edited(path, "1\n2\nagent\n4\n5\n6\n7\n")
		h.must(os.WriteFile(path, []byte("1\n2\nagent\n4\n5\n6\nperson\n"), 0o644))
		last := ""
		var wg sync.WaitGroup
		wg.Go(func() {
			time.Sleep(time.Duration(h.rng.IntN(12_000)) * time.Microsecond)
			for n := range 3 {
				last = fmt.Sprintf("round %d, version %d\n2\nagent\n4\n5\n6\nperson\n", round, n)
				if round%2 == 0 {
					os.WriteFile(path+".new", []byte(last), 0o644)
					os.Rename(path+".new", path)
				} else {
					os.WriteFile(path, []byte(last), 0o644)
				}
			}
		})
		r, err := h.fireLast([]inverse.Choice{inverse.Beside, inverse.Markers, inverse.Ours, inverse.Theirs}[round%4])
		wg.Wait()
		if len(r.Lines) > 0 && r.Lines[0].Status == "merged" {
			merged++
		}
		live, _ := os.ReadFile(path)
		first, _, _ := strings.Cut(last, "\n")
		back := bytes.HasPrefix(live, []byte(first+"\n")) // merged with what was written
		if !back && !h.anywhere(last, r) {
			t.Fatalf("round %d: %q is lost; %v, %+v, live %q", round, last, err, r, live)
		}
		h.clear()
	}
	if merged == 0 {
		t.Error("no firing came to an end: the writer is always faster")
	}
	t.Logf("%d of %d firings merged", merged, raceRounds)
}

// clear removes what was put beside.
func (h *story) clear() {
	list, err := os.ReadDir(h.dir)
	h.must(err)
	for _, d := range list {
		if strings.Contains(d.Name(), ".counterstep-") {
			h.must(os.RemoveAll(filepath.Join(h.dir, d.Name())))
		}
	}
}

// TestAttackerSwapsDirectories puts a link to somewhere else in the place of a
// directory of the scope, again and again, while a firing is at work: what lies
// there is neither changed nor taken into the store.
func TestAttackerSwapsDirectories(t *testing.T) {
	var h *story
	fired := 0
	for round := range raceRounds {
		if round%roundsPerStore == 0 {
			h = newStory(t, "", uint64(round))
		}
		dir, away := filepath.Join(h.dir, "d"), filepath.Join(filepath.Dir(h.dir), "canary")
		canary := fmt.Sprintf("1\n2\nagent\n4\ncanary %d\n", round)
		h.must(os.MkdirAll(dir, 0o755))
		h.must(os.MkdirAll(away, 0o755))
		h.must(os.WriteFile(filepath.Join(away, "f"), []byte(canary), 0o600))
		before := listing(t, away)
		file := filepath.Join(dir, "f")
		h.must(os.WriteFile(file, []byte("1\n2\n3\n4\n5\n"), 0o644))
		h.edited(file, "1\n2\nagent\n4\n5\n")
		h.must(os.WriteFile(file, []byte("person\n2\nagent\n4\n5\n"), 0o644))
		link := filepath.Join(h.dir, "swap")
		h.must(os.Symlink(away, link))
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				unix.Renameat2(unix.AT_FDCWD, link, unix.AT_FDCWD, dir, unix.RENAME_EXCHANGE)
				time.Sleep(time.Duration(h.rng.IntN(4000)) * time.Microsecond)
			}
		})
		r, err := h.fireLast([]inverse.Choice{inverse.Beside, inverse.Theirs}[round%2])
		close(stop)
		wg.Wait()
		if err == nil {
			fired++
		}
		if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 {
			h.must(unix.Renameat2(unix.AT_FDCWD, link, unix.AT_FDCWD, dir, unix.RENAME_EXCHANGE))
		}
		h.must(os.Remove(link))
		if d := differ(before, listing(t, away)); d != "" {
			t.Fatalf("round %d: firing changed something outside: %s\n%v %+v", round, d, err, r)
		}
		h.inside(round, file)
		if r.Redo != "" {
			h.unread(round, r, canary)
		}
		h.must(os.RemoveAll(dir))
	}
	t.Logf("%d of %d firings came through", fired, raceRounds)
}

// inside checks that the file itself is in one of its states.
func (h *story) inside(round int, file string) {
	data, err := os.ReadFile(file)
	h.must(err)
	switch string(data) {
	case "person\n2\nagent\n4\n5\n", "person\n2\n3\n4\n5\n":
	default:
		h.t.Fatalf("round %d: the file holds %q", round, data)
	}
}

// unread checks that a foreign content did not get into the store.
func (h *story) unread(round int, r fire.Result, canary string) {
	s, err := h.engine().Find(r.Redo)
	h.must(err)
	c, err := h.engine().Changes(context.Background(), s)
	if err != nil {
		return
	}
	defer c.Close()
	for _, ch := range c.List {
		if text, known := c.Before(ch); known && string(text) == canary {
			h.t.Fatalf("round %d: the store holds what lies outside, as %q", round, ch.Path)
		}
	}
}

func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := workspace.Scan(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		out[e.Path] = fmt.Sprintf("%c %o %d %x %d", e.Type, e.Mode, e.Size, e.SHA, e.MTime)
	}
	return out
}

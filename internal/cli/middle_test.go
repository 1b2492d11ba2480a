package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/harness/claude"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// TestFiringAnythingLosesNothing lets calls and a person change the same few
// texts by turns, and fires calls in any order, with any choice. After each
// firing every content that was there before it is on disk or held, nothing
// outside of the scope has changed, and a redo brings exactly the state from
// before the firing back.
func TestFiringAnythingLosesNothing(t *testing.T) {
	bash, err := proc.Look("bash", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED: no bash to run the calls with")
	}
	var mu sync.Mutex
	outcomes := map[string]int{}
	const workers = 4 // most of the time is spent waiting for disks
	t.Run("histories", func(t *testing.T) {
		for w := range workers {
			t.Run(fmt.Sprint(w), func(t *testing.T) {
				t.Parallel()
				mine := map[string]int{}
				for i := w; i < middleHistories; i += workers {
					newStory(t, bash, *firstSeed+uint64(i)).mixed(mine)
				}
				mu.Lock()
				defer mu.Unlock()
				for what, n := range mine {
					outcomes[what] += n
				}
			})
		}
	})
	t.Logf("%v", outcomes)
	for _, status := range []string{"fired", "stale", "merge", "beside"} {
		if outcomes[status] == 0 {
			t.Errorf("no %s: the histories test too little", status)
		}
	}
}

// mixed is one history.
func (h *story) mixed(outcomes map[string]int) {
	for i := range 3 {
		var text strings.Builder
		for n := range 4 + h.rng.IntN(12) {
			fmt.Fprintf(&text, "line %d of %d\n", n, i)
		}
		h.must(os.WriteFile(filepath.Join(h.dir, fmt.Sprintf("f%d", i)), []byte(text.String()), 0o644))
	}
	for range 3 + h.rng.IntN(4) {
		if h.rng.IntN(3) == 0 {
			h.person()
		} else {
			h.agent()
		}
	}
	for range 2 + h.rng.IntN(2) {
		h.fireAny(outcomes)
		if h.rng.IntN(4) == 0 {
			h.person()
		}
	}
}

// change makes up a change of one file, and says its path.
func (h *story) change(who string) (path string, change func() error) {
	path = filepath.Join(h.dir, fmt.Sprintf("f%d", h.rng.IntN(4)))
	data, err := os.ReadFile(path)
	lines := bytes.SplitAfter(data, []byte("\n"))
	at := h.rng.IntN(len(lines))
	mark := fmt.Appendf(nil, "%s %d\n", who, h.rng.IntN(1e9))
	switch k := h.rng.IntN(10); {
	case err != nil || k == 0:
		data = bytes.Repeat(mark, 1+h.rng.IntN(3))
	case k == 1:
		return path, func() error { return os.Remove(path) }
	case k == 2:
		return path, func() error { return os.Chmod(path, []os.FileMode{0o644, 0o600, 0o755}[h.rng.IntN(3)]) }
	case k == 3:
		data = append(append([]byte{}, data...), "\x00binary"...)
	case k < 6:
		data = append(append([]byte{}, data...), mark...)
	default:
		lines[at] = mark
		data = bytes.Join(lines, nil)
	}
	return path, func() error { return os.WriteFile(path, data, 0o644) }
}

func (h *story) person() {
	path, change := h.change("person")
	h.log = append(h.log, "person: "+path)
	h.must(change())
}

// agent makes a call, by an edit tool or by a program that cannot be looked
// into.
func (h *story) agent() {
	h.calls++
	path, change := h.change("agent")
	tool, input := "Edit", map[string]any{"file_path": path}
	switch h.rng.IntN(4) {
	case 0:
		tool, input = "Bash", map[string]any{"command": "../opaque"}
	case 1:
		tool, input = "Bash", map[string]any{"command": "cat ../opaque > " + filepath.Base(path)}
	}
	if h.event("PreToolUse", tool, input) {
		h.must(change())
		h.event("PostToolUse", tool, input)
	}
}

// event hands one event about the newest call to the hook.
func (h *story) event(name, tool string, input map[string]any) (ok bool) {
	payload, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": h.dir, "hook_event_name": name, "tool_name": tool, "tool_input": input,
		"tool_use_id": fmt.Sprintf("t%d", h.calls), "tool_response": map[string]any{},
	})
	h.must(err)
	e := h.env
	e.Stdin = bytes.NewReader(payload)
	out := exchange(e, claude.Adapter{})
	h.log = append(h.log, fmt.Sprintf("%s %s %v → %d %s", name, tool, input, out.Code, out.Stderr))
	return out.Code == 0
}

// fireAny fires a random call with a random choice, and sometimes redoes it.
func (h *story) fireAny(outcomes map[string]int) {
	e := h.engine()
	if e == nil {
		return
	}
	sagas, err := e.Sagas()
	h.must(err)
	var open []ledger.Saga
	for _, s := range sagas {
		if s.Armed.Undoes == "" && s.Fireable() {
			open = append(open, s)
		}
	}
	if len(open) == 0 {
		return
	}
	s := open[h.rng.IntN(len(open))]
	o := fire.Options{Choice: []inverse.Choice{inverse.Beside, inverse.Beside, inverse.Markers, inverse.Ours, inverse.Theirs}[h.rng.IntN(5)]}
	before, contents := h.look(), h.contents()
	dry, dryErr := e.Fire(context.Background(), s, fire.Options{Choice: o.Choice, DryRun: true})
	h.must(dryErr)
	r, err := e.Fire(context.Background(), s, o)
	h.log = append(h.log, fmt.Sprintf("fire #%d %q with %q → %s %+v", s.Number, s.Armed.Command, o.Choice, r.Status, r.Lines))
	h.must(err)
	outcomes[r.Status]++
	for i, l := range r.Lines {
		outcomes[l.Do]++
		if i >= len(dry.Lines) || dry.Lines[i].Path != l.Path || dry.Lines[i].Do != l.Do {
			h.t.Fatalf("seed %d: a dry run said %+v\n%s", h.seed, dry.Lines, strings.Join(h.log, "\n"))
		}
	}
	h.nothingLost(e, r, contents)
	h.bystanders(r, before)
	if h.rng.IntN(2) == 0 {
		return
	}
	_, err = e.Redo(context.Background(), fire.Options{})
	h.must(err)
	if d := differ(comparable(before), comparable(h.look())); d != "" {
		h.t.Fatalf("seed %d: redone, but not as before: %s\n%s", h.seed, d, strings.Join(h.log, "\n"))
	}
}

// comparable leaves out what firing put beside files, and the times of
// directories, which that changes.
func comparable(tree map[string]string) map[string]string {
	out := map[string]string{}
	for p, v := range tree {
		if !strings.Contains(p, ".counterstep-") && v[0] != 'd' {
			out[p] = v
		}
	}
	return out
}

// contents are the contents of all files.
func (h *story) contents() map[[32]byte]string {
	entries, err := workspace.Scan(context.Background(), h.dir)
	h.must(err)
	out := map[[32]byte]string{}
	for _, e := range entries {
		if e.Type == fingerprint.File {
			out[e.SHA] = e.Path
		}
	}
	return out
}

// nothingLost checks that what was there is there, or held by the redo.
func (h *story) nothingLost(e *fire.Engine, r fire.Result, before map[[32]byte]string) {
	now := h.contents()
	redo, err := e.Find(r.Redo)
	h.must(err)
	c, err := e.Changes(context.Background(), redo)
	h.must(err)
	defer c.Close()
	for sha, p := range before {
		if _, there := now[sha]; there {
			continue
		}
		held := false
		for _, ch := range c.List {
			if text, known := c.Before(ch); known && ch.Pre.SHA == sha && fingerprint.ContentOf(text) == ch.Pre.XXH {
				held = true
			}
		}
		if !held {
			h.t.Fatalf("seed %d: what was in %q is lost\n%s", h.seed, p, strings.Join(h.log, "\n"))
		}
	}
}

// bystanders checks that paths which the result does not name are as they were.
func (h *story) bystanders(r fire.Result, before map[string]string) {
	named := map[string]bool{}
	for _, l := range r.Lines {
		named[l.Path], named[l.Beside] = true, true
	}
	now := comparable(h.look())
	for p, v := range comparable(before) {
		if !named[p] && now[p] != v {
			h.t.Fatalf("seed %d: %q was changed and not named: %s, was %s\n%s", h.seed, p, now[p], v, strings.Join(h.log, "\n"))
		}
	}
	for p := range now {
		if _, was := before[p]; !was && !named[p] {
			h.t.Fatalf("seed %d: %q appeared and was not named\n%s", h.seed, p, strings.Join(h.log, "\n"))
		}
	}
}

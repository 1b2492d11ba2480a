// Package harnesstest is the suite that every adapter has to pass: whatever
// comes in, a valid answer goes out, and what cannot be read is refused where
// it could destroy.
package harnesstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/harness"
)

// Suite says how one adapter is to be tested.
type Suite struct {
	Adapter harness.Adapter
	// Dirs hold payloads, one to a file NAME.json.
	Dirs []string
	// Blocks reports whether out stops the event of r in a form that the agent
	// is known to honour, and gives the reason that it will read.
	Blocks func(r gate.Request, out harness.Output) (reason string, ok bool)
	// Passes reports whether out lets the event go without deciding anything
	// else, and gives the message for the person.
	Passes func(r gate.Request, out harness.Output) (message string, ok bool)
}

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	payloads := s.load(t)
	for name, payload := range payloads {
		t.Run(name, func(t *testing.T) {
			s.answers(t, payload)
			s.unknownFields(t, payload)
			s.damaged(t, payload)
		})
	}
}

// load reads the payloads. A suite without payloads of an event that can be
// refused would prove nothing, so it fails.
func (s Suite) load(t *testing.T) map[string][]byte {
	t.Helper()
	payloads := map[string][]byte{}
	refusable := 0
	for _, dir := range s.Dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			payloads[strings.TrimSuffix(filepath.Base(file), ".json")] = data
			if r, err := s.Adapter.Decode(data); err == nil && r.Event.CanRefuse() {
				refusable++
			}
		}
	}
	if refusable == 0 {
		t.Fatalf("no payload of %s in %q is one that can be refused", s.Adapter.Name(), s.Dirs)
	}
	return payloads
}

// answers checks the form of every kind of answer to a good payload.
func (s Suite) answers(t *testing.T, payload []byte) {
	r, err := s.Adapter.Decode(payload)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	if r.Harness != s.Adapter.Name() || r.Event == "" {
		t.Errorf("harness %q, event %q", r.Harness, r.Event)
	}
	if out := s.Adapter.Encode(r, gate.Decision{}); len(out.Stdout) > 0 || len(out.Stderr) > 0 || out.Code != 0 {
		t.Errorf("going along is not silent: %d %q %q", out.Code, out.Stdout, out.Stderr)
	}
	out := s.Adapter.Encode(r, gate.Decision{Message: "armed \"x\"\nundo: y", Note: "seen"})
	if m, ok := s.Passes(r, out); !ok || !strings.Contains(m, "armed \"x\"\nundo: y") {
		t.Errorf("message: %q, %v: %d %q %q", m, ok, out.Code, out.Stdout, out.Stderr)
	}
	for _, d := range []gate.Decision{
		{Refused: true, Reason: "because of \x1b[2J\u202ename", Hint: "do that"},
		{Fault: true, Reason: "disk full"},
		{Refused: true},
		{Fault: true},
	} {
		s.stops(t, r, d, s.Adapter.Encode(r, d))
	}
	out = harness.Exchange(s.Adapter, payload, func(gate.Request) gate.Decision { panic("boom") })
	s.stops(t, r, gate.Decision{Fault: true, Reason: "boom"}, out)
}

// stops checks that out blocks r when it can be refused, and passes when not.
func (s Suite) stops(t *testing.T, r gate.Request, d gate.Decision, out harness.Output) {
	t.Helper()
	if r.Event != "" && !r.Event.CanRefuse() {
		if m, ok := s.Passes(r, out); !ok || m != "" {
			t.Errorf("%+v on %s: does not pass: %d %q %q", d, r.Event, out.Code, out.Stdout, out.Stderr)
		}
		return
	}
	reason, ok := s.Blocks(r, out)
	want := strings.TrimSuffix(d.Reason, "\x1b[2J\u202ename")
	if !ok || reason == "" || !strings.Contains(reason, want) || !strings.Contains(reason, d.Hint) {
		t.Errorf("%+v on %s: does not block with its reason %q: %d %q %q", d, r.Event, reason, out.Code, out.Stdout, out.Stderr)
	}
	if strings.ContainsAny(reason, "\x1b\u202e") {
		t.Errorf("a control character reaches the model: %q", reason)
	}
	if d.Fault && len(out.Stdout) > 0 {
		t.Errorf("a failure of ours writes to standard output: %q", out.Stdout)
	}
}

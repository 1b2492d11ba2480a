package harnesstest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/harness"
)

// unknownFields checks that fields of a later version change nothing.
func (s Suite) unknownFields(t *testing.T, payload []byte) {
	want, err := s.Adapter.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	more := bytes.Replace(payload, []byte("{"), []byte(`{"x_later":{"a":[1,{"b":null}]},"X_Later":"\u00e9",`), 1)
	got, err := s.Adapter.Decode(more)
	if err != nil {
		t.Errorf("unknown fields: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unknown fields change the request (-without +with):\n%s", diff)
	}
}

// damaged checks that what is not a payload is never let go where it could
// destroy.
func (s Suite) damaged(t *testing.T, payload []byte) {
	r, err := s.Adapter.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSpace(string(payload))
	for name, bad := range damages(text) {
		s.refuses(t, name, r, []byte(bad))
	}
	for name, much := range tooMuch(text) {
		if r.Event.CanRefuse() {
			s.refuses(t, name, r, []byte(much))
		} else if got, err := s.Adapter.Decode([]byte(much)); err != nil || got.Event != r.Event {
			t.Errorf("%s: a report is not read: %v, %v", name, got.Event, err)
		}
	}
	for n := range len(text) {
		s.refuses(t, "truncated", r, []byte(text[:n]))
	}
	v, err := harness.Parse(payload)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range doubled(v) {
		field := text[m.NameStart:m.Value.End]
		s.refuses(t, "duplicate "+m.Name, r, []byte(text[:m.Value.End]+","+field+text[m.Value.End:]))
	}
}

// damages are payloads that no adapter may take, whatever the event.
func damages(text string) map[string]string {
	inside := text[:len(text)-1]
	return map[string]string{
		"empty":          "",
		"space":          " \n\t",
		"garbage":        "\x00\xff\x17garbage",
		"text":           "hello",
		"array":          "[" + text + "]",
		"null":           "null",
		"trailing":       text + "{}",
		"trailing text":  text + " x",
		"byte order":     "\ufeff" + text,
		"invalid UTF-8":  inside + ",\"x\":\"\xff\"}",
		"NUL":            inside + "\x00}",
		"deep":           inside + `,"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}",
		"201 levels":     inside + `,"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + "}",
		"never closed":   inside + `,"x":` + strings.Repeat(`{"a":`, 100_000),
		"comma":          inside + ",}",
		"single quotes":  strings.ReplaceAll(text, `"`, `'`),
		"two commas":     strings.Replace(text, ",", ",,", 1),
		"control":        inside + ",\"x\":\"\n\"}",
		"bad escape":     inside + `,"x":"\q"}`,
		"short escape":   inside + `,"x":"\u12"}`,
		"number":         inside + `,"x":01}`,
		"infinity":       inside + `,"x":Infinity}`,
		"shouted fields": shout(text),
	}
}

// tooMuch are payloads that nothing may be decided by, but that are harmless
// in an event that only reports.
func tooMuch(text string) map[string]string {
	inside := text[:len(text)-1]
	return map[string]string{
		"2 MiB":              inside + `,"x":"` + strings.Repeat("x", 2<<20) + `"}`,
		"2 MiB of space":     text + strings.Repeat(" ", 2<<20),
		"lone surrogate":     inside + `,"x":"\ud83d"}`,
		"lone low surrogate": inside + `,"x":"\ude00\ud83d"}`,
	}
}

// shout writes the field names of the first level in capitals. They then are
// other fields: nothing may be read from them.
func shout(text string) string {
	v, err := harness.Parse([]byte(text))
	if err != nil {
		return ""
	}
	b := []byte(text)
	for _, m := range v.Members {
		end := m.NameStart + len(m.Name)
		copy(b[m.NameStart:end+1], strings.ToUpper(text[m.NameStart:end+1]))
	}
	return string(b)
}

// doubled lists the fields of the first two levels.
func doubled(v harness.Value) []harness.Member {
	var all []harness.Member
	for _, m := range v.Members {
		all = append(append(all, m), m.Value.Members...)
	}
	return all
}

// refuses checks the answer to a damaged form of r's payload, when everything
// that can be read would be let go.
func (s Suite) refuses(t *testing.T, name string, r gate.Request, bad []byte) {
	t.Helper()
	got, err := s.Adapter.Decode(bad)
	if err == nil {
		t.Errorf("%s: decoded: %+v", name, got)
		return
	}
	if got.Event != "" && got.Event != r.Event {
		t.Errorf("%s: the event %s became %s", name, r.Event, got.Event)
	}
	out := harness.Exchange(s.Adapter, bad, func(gate.Request) gate.Decision { return gate.Decision{} })
	if r.Event.CanRefuse() {
		if reason, ok := s.Blocks(r, out); !ok || reason == "" {
			t.Errorf("%s: let go: %d %q %q", name, out.Code, out.Stdout, out.Stderr)
		}
		return
	}
	s.stops(t, got, gate.Decision{Fault: true}, out)
}

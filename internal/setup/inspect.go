package setup

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/counterstep/counterstep/internal/harness"
)

// Fault is one event whose entry is not as init writes it.
type Fault struct {
	Event string
	// What is wrong, for people.
	What string
	// Blocks says that a failure of the hook must block at this event, so that
	// the fault lets calls run unguarded.
	Blocks bool
}

// Faults lists how the settings file data differs from what e says, event by
// event. An entry of another version is a fault: init brings it up to date.
// What else data holds is not looked at.
func Faults(data []byte, e Entries) ([]Fault, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}")
	}
	_, events, err := shape(data)
	if err != nil {
		return nil, err
	}
	var all []Fault
	for _, h := range hooks() {
		if what := wrong(events.Get(h.event), h, e); what != "" {
			all = append(all, Fault{Event: h.event, What: what, Blocks: h.block})
		}
	}
	return all, nil
}

// Line is the command line by which data, a settings file, has the agent ask
// before a call; "" when it has none of ours.
func Line(data []byte) string {
	_, events, err := shape(data)
	if err != nil {
		return ""
	}
	for _, g := range events.Get("PreToolUse").Items {
		for _, i := range oursIn(g) {
			return g.Get("hooks").Items[i].Get("command").String()
		}
	}
	return ""
}

// wrong says what is wrong with the first entry of ours in the list of an
// event; "" when it is right.
func wrong(list harness.Value, h hook, e Entries) string {
	want := group(h, e)
	for _, g := range list.Items {
		mine := oursIn(g)
		if len(mine) == 0 {
			continue
		}
		if bytes.Equal(g.Canonical(), want.Canonical()) {
			return ""
		}
		return strings.Join(differences(g, g.Get("hooks").Items[mine[0]], want.Get("hooks").Items[0]), ", ")
	}
	return "no entry of counterstep"
}

// differences puts into words what separates an entry from the right one.
func differences(g, got, want harness.Value) []string {
	var out []string
	if m := g.Get("matcher"); m.Kind != 0 {
		out = append(out, fmt.Sprintf("it is asked only for tools that match %q", m.Text))
	}
	if got.Get("command").String() != want.Get("command").String() {
		out = append(out, "its command is not the one that init writes")
	}
	switch g, w := got.Get("onFailure"), want.Get("onFailure"); {
	case g.Kind == w.Kind && g.Text == w.Text:
	case g.Kind == 0:
		out = append(out, "onFailure is missing, so a call runs when the hook crashes or takes too long")
	case w.Kind == 0:
		out = append(out, "it has onFailure, which belongs to events that block")
	default:
		out = append(out, fmt.Sprintf("onFailure is %q, with which agents drop the hook", g.Text))
	}
	switch g, w := got.Get("timeout"), want.Get("timeout"); {
	case g.Kind == w.Kind && g.Text == w.Text:
	case g.Kind == 0:
		out = append(out, "timeout is missing")
	default:
		out = append(out, fmt.Sprintf("timeout is %s, not %s seconds", g.Text, w.Text))
	}
	if len(out) == 0 {
		out = append(out, "it has other fields than init writes")
	}
	return out
}

package setup

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/counterstep/counterstep/internal/harness"
)

// Merge gives the settings file data with our entries in it, each exactly once
// and as e says. Everything else keeps its place, its order and its spelling;
// when nothing is missing, data comes back as it is. Data that is not one JSON
// object, or whose hooks have an unknown shape, is an error.
func Merge(data []byte, e Entries) ([]byte, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		data = []byte("{}\n")
	}
	data, err := strip(data, func(event string, g harness.Value) bool {
		i := slices.IndexFunc(hooks(), func(h hook) bool { return h.event == event })
		return i >= 0 && bytes.Equal(g.Canonical(), group(hooks()[i], e).Canonical())
	})
	if err != nil {
		return nil, err
	}
	for _, h := range hooks() {
		if data, err = ensure(data, h, e); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// Strip gives the settings file data without any entry of ours. Lists and
// objects that this leaves empty go too; everything else stays as it is.
func Strip(data []byte) ([]byte, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return data, nil
	}
	return strip(data, func(string, harness.Value) bool { return false })
}

// shape reads data as settings.
func shape(data []byte) (root, events harness.Value, err error) {
	if len(data) > harness.MaxPayload {
		return root, events, fmt.Errorf("more than %d bytes", harness.MaxPayload)
	}
	if root, err = harness.Parse(data); err != nil {
		var syntax *harness.SyntaxError
		if errors.As(err, &syntax) {
			err = fmt.Errorf("line %d: %s", 1+bytes.Count(data[:syntax.Offset], []byte("\n")), syntax.What)
		}
		return root, events, err
	}
	if root.Kind != harness.Object {
		return root, events, errors.New("it is no JSON object")
	}
	events = root.Get("hooks")
	if events.Kind != 0 && events.Kind != harness.Object {
		return root, events, errors.New(`"hooks" is no object`)
	}
	for _, m := range events.Members {
		if m.Value.Kind != harness.Array {
			return root, events, fmt.Errorf(`"hooks" has %q, which is no list`, m.Name)
		}
	}
	return root, events, nil
}

// ensure adds the entry of one event when there is none. What is ours in data
// is right already.
func ensure(data []byte, h hook, e Entries) ([]byte, error) {
	root, events, err := shape(data)
	if err != nil {
		return nil, err
	}
	want := group(h, e)
	s := styleOf(data, root)
	list := events.Get(h.event)
	switch {
	case events.Kind == 0:
		v := object(harness.Member{Name: h.event, Value: array(want)})
		return add(data, s, root, func(s style, in string) string { return s.member("hooks", v, in) }), nil
	case list.Kind == 0:
		return add(data, s, events, func(s style, in string) string { return s.member(h.event, array(want), in) }), nil
	}
	for _, g := range list.Items {
		if len(oursIn(g)) > 0 {
			return data, nil
		}
	}
	return add(data, s, list, func(s style, in string) string { return s.render(want, in) }), nil
}

// strip takes out what is ours, one entry after the other, except for the
// first one of each event that keep says is right.
func strip(data []byte, keep func(event string, group harness.Value) bool) ([]byte, error) {
	for {
		root, events, err := shape(data)
		if err != nil {
			return nil, err
		}
		next := stripOne(data, root, events, keep)
		if next == nil {
			return data, nil
		}
		data = next
	}
}

// stripOne takes out one entry of ours, or gives nil when there is none.
func stripOne(data []byte, root, events harness.Value, keep func(string, harness.Value) bool) []byte {
	for e, event := range events.Members {
		kept := false
		for g, grp := range event.Value.Items {
			mine := oursIn(grp)
			if len(mine) == 0 {
				continue
			}
			if !kept && keep(event.Name, grp) {
				kept = true
				continue
			}
			switch handlers := grp.Get("hooks"); {
			case len(handlers.Items) > 1:
				return cut(data, handlers, mine[0])
			case len(event.Value.Items) > 1:
				return cut(data, event.Value, g)
			case len(events.Members) > 1:
				return cut(data, events, e)
			}
			return cut(data, root, slices.IndexFunc(root.Members, func(m harness.Member) bool { return m.Name == "hooks" }))
		}
	}
	return nil
}

// oursIn lists which handlers of a group are ours.
func oursIn(group harness.Value) []int {
	var mine []int
	for i, h := range group.Get("hooks").Items {
		if ours(h.Get("command").String()) {
			mine = append(mine, i)
		}
	}
	return mine
}

// Package all lists the adapters.
package all

import (
	"strings"

	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/harness/claude"
	"github.com/counterstep/counterstep/internal/hint"
)

// Adapters lists every adapter, the default one first.
func Adapters() []harness.Adapter {
	return []harness.Adapter{claude.Adapter{}}
}

// Find gives the adapter called name; "" is the default one.
func Find(name string) (harness.Adapter, error) {
	var names []string
	for _, a := range Adapters() {
		if name == "" || a.Name() == name {
			return a, nil
		}
		names = append(names, a.Name())
	}
	return nil, hint.New("counterstep hook "+names[0], "no harness is called %q; there are: %s", name, strings.Join(names, ", "))
}

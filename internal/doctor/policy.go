package doctor

import (
	"context"
	"fmt"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/policy"
)

// rulesOf looks at the files of the policy: what cannot be understood blocks
// every call that is not inert, and what a repository says in vain is named.
func rulesOf(_ context.Context, o Options) []Finding {
	p, err := policy.Load(policy.Files{User: o.UserPolicy, Home: o.Machine.Home, Root: o.Root})
	if err != nil {
		f := Finding{Level: Fail, What: "the policy is not understood, so every call that is not inert is blocked: " + err.Error()}
		if next := hint.Of(err); len(next) > 0 {
			f.Fix = next[0]
		}
		return []Finding{f}
	}
	var out []Finding
	for _, text := range p.Ignored {
		out = append(out, Finding{Level: Warn, What: text})
	}
	if n := len(p.Rules) + len(p.Hosts); n > 0 || p.Ask {
		out = append(out, Finding{Level: Note, What: fmt.Sprintf("the policy lets go what is refused otherwise: %d commands, %d hosts%s",
			len(p.Rules), len(p.Hosts), map[bool]string{true: ", and asks about calls without an undo"}[p.Ask])})
	}
	return out
}

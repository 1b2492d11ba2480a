package gate

import (
	"strings"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/policy"
	"github.com/counterstep/counterstep/internal/workspace"
)

// policy is what a person says about a workspace. It is read once, and only for
// calls that it could matter to.
func (g *Gate) policy(ws workspace.Workspace) (policy.Policy, error) {
	if p, ok := g.policies[ws.Root]; ok {
		return p.policy, p.err
	}
	p, err := policy.Load(policy.Files{User: g.UserPolicy, Home: g.Home, Root: ws.Root})
	if g.policies == nil {
		g.policies = map[string]loaded{}
	}
	g.policies[ws.Root] = loaded{p, err}
	return p, err
}

// loaded is a policy that was read, or why it was not.
type loaded struct {
	policy policy.Policy
	err    error
}

// Judge says what the call of r would do where the policy has its say. What is
// inert and makes nothing is not asked about: no file is read for it. An error
// says that the policy cannot be understood; the verdict is then the one
// without it.
func (g *Gate) Judge(r Request, ws workspace.Workspace) (classify.Verdict, error) {
	v := g.classify(r, ws, policy.Policy{})
	if v.Class == classify.Inert && len(v.Effects) == 0 {
		return v, nil
	}
	p, err := g.policy(ws)
	if err != nil {
		if v.Class == classify.Inert {
			err = nil
		}
		return v, err
	}
	if len(p.Rules) == 0 && len(p.Hosts) == 0 && len(p.Protected) == 0 {
		return v, nil
	}
	return g.classify(r, ws, p), nil
}

// shield adds what a policy protects to what is protected anyhow.
func shield(c *classify.Context, list []policy.Path) {
	if len(list) == 0 {
		return
	}
	at, below := c.Protected, c.ProtectedBelow
	real := real // of this package
	var places []place
	for _, p := range list {
		places = append(places, place{p.Path, p.File})
		if r := real(p.Path); r != p.Path {
			places = append(places, place{r, p.File})
		}
	}
	c.Protected = func(path string) (string, bool) {
		for _, p := range places {
			if within(path, p.path) {
				return p.path + " is protected by " + p.what, true
			}
		}
		return at(path)
	}
	c.ProtectedBelow = func(dir string) (string, string, bool) {
		for _, p := range places {
			if within(p.path, dir) && exists(p.path) {
				return p.path, "it is protected by " + p.what, true
			}
		}
		return below(dir)
	}
}

// askable reports whether a person may be asked about a refused call, or may
// have allowed it: not when it reaches for a place that no agent may touch.
func askable(v classify.Verdict) bool {
	for _, r := range v.Refusals {
		if r.Guarded {
			return false
		}
	}
	return len(v.Refusals) > 0
}

// reasons are the first refusals in one line.
func reasons(v classify.Verdict) string {
	var out []string
	for i, r := range v.Refusals {
		if i == 3 {
			break
		}
		out = append(out, r.Reason)
	}
	return strings.Join(out, "; ")
}

package classify

import "strings"

// Rule is what a person says of the calls of a program that begin with certain
// words: that they only read (Inert), or that what they change is held by the
// bound (Bounded).
type Rule struct {
	Words []string
	Class Class
	// Source is where the person said so.
	Source string
}

// ruled applies what a person said of this call, and reports whether anybody
// said something. Redirections and the words of the call are looked at all the
// same. Where the line may have put another program in the place of this one,
// or changed how it works, nothing that was said counts.
func (inv *Invocation) ruled(argv []Word, trusted bool) bool {
	if len(inv.ev.ctx.Rules) == 0 || inv.name == "counterstep" || len(inv.vars) > 0 || inv.clear || inv.ev.hidden() != "" {
		return false
	}
	if _, changed := inv.ev.st.get("PATH"); changed {
		return false
	}
	for _, r := range inv.ev.ctx.Rules {
		if !r.fits(argv, trusted) {
			continue
		}
		if r.Class == Inert {
			inv.Inert("only reads, says " + r.Source)
			return true
		}
		inv.Opaque("what it writes is held by the bound, says " + r.Source)
		inv.Barrier(strings.Join(r.Words, " "))
		return true
	}
	return false
}

// fits reports whether a call certainly begins with the words of the rule. A
// program is named without a directory, and is then one of the system's, or by
// its absolute path.
func (r Rule) fits(argv []Word, trusted bool) bool {
	if len(argv) < len(r.Words) {
		return false
	}
	for i, want := range r.Words {
		have, ok := argv[i].One()
		if i == 0 && strings.IndexByte(want, '/') < 0 {
			_, have, _ = cutLast(have)
			ok = ok && trusted
		}
		if !ok || have != want {
			return false
		}
	}
	return true
}

// allowsHost reports whether a person said that requests to every host that u
// may name can be let go.
func (ctx *Context) allowsHost(u Word) bool {
	values, known := u.Known()
	for _, v := range values {
		if strings.ContainsAny(v, "@\\{}[]%$ \t\n") {
			return false // programs read such an address in their own ways
		}
		host, ok := hostOf(v), false
		for _, h := range ctx.Hosts {
			rest, any := strings.CutPrefix(h, "*")
			ok = ok || host == h || any && strings.HasSuffix(host, rest) && len(host) > len(rest)
		}
		if !ok {
			return false
		}
	}
	return known && len(values) > 0
}

package classify

import "strings"

// cleaned names what git clean removes, so that it is held exactly: a
// checkpoint leaves directories out that tools can make again, and clean -x is
// what takes those away. What git cannot be asked about is left to the
// checkpoint.
func (g *gitCall) cleaned() {
	ask := g.inv.Context().Git
	dir, ok := g.dir.One()
	if ask == nil || !ok || g.push.GitDir != "" || g.push.WorkTree != "" {
		return
	}
	l := takeApart(&Grammar{Short: "dfiqxXe:n", Lenient: true, Long: []string{"force", "interactive", "quiet", "exclude=", "dry-run"}}, g.args)
	query := []string{"ls-files", "-o", "-z", "--directory"}
	switch {
	case l.Has("X"):
		query = append(query, "-i", "--exclude-standard")
	case !l.Has("x"):
		query = append(query, "--exclude-standard")
	}
	specs, known := texts(l.Operands())
	if !known {
		specs = nil // whatever they are, they only narrow it down
	}
	out, err := ask(dir, append(append(query, "--"), specs...)...)
	if err != nil {
		return
	}
	for name := range strings.SplitSeq(string(out), "\x00") {
		whole := strings.HasSuffix(name, "/")
		if name == "" || whole && !l.Has("d") && len(specs) == 0 {
			continue
		}
		if g.guarded(absolute(dir, name), whole) {
			continue // swept along: the checkpoint has it
		}
		g.inv.Delete(under(g.dir, g.inv.Lit(strings.TrimSuffix(name, "/"))), whole)
	}
}

// guarded reports a path that an exact delete would be refused for.
func (g *gitCall) guarded(p string, tree bool) bool {
	c := g.inv.Context()
	if c.Protected != nil {
		if _, ok := c.Protected(p); ok {
			return true
		}
	}
	if tree && c.ProtectedBelow != nil {
		_, _, ok := c.ProtectedBelow(p)
		return ok
	}
	return false
}

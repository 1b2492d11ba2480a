package git

import (
	"fmt"
	"strings"
)

// refspec is one rule of what goes where.
type refspec struct {
	force    bool
	negative bool
	// matching is the rule ":": every branch that both sides have.
	matching bool
	// pattern says that src and dst each hold one "*".
	pattern bool
	// src is empty when dst is deleted. hasDst says that there is a ":".
	src, dst string
	hasDst   bool
}

// parseRefspec reads a rule of a push. The error says why git refuses it.
func parseRefspec(text string) (refspec, error) {
	var r refspec
	bad := func() (refspec, error) { return r, fmt.Errorf("%q is no refspec", text) }
	lhs := text
	switch {
	case strings.HasPrefix(lhs, "+"):
		r.force, lhs = true, lhs[1:]
	case strings.HasPrefix(lhs, "^"):
		r.negative, lhs = true, lhs[1:]
	}
	colon := strings.LastIndexByte(lhs, ':')
	if lhs == ":" {
		if r.negative {
			return bad()
		}
		r.matching = true
		return r, nil
	}
	if colon >= 0 {
		if r.negative {
			return bad()
		}
		r.hasDst, r.dst, lhs = true, lhs[colon+1:], lhs[:colon]
	}
	r.src = lhs
	if r.src == "@" {
		r.src = "HEAD"
	}
	stars := strings.Count(r.src, "*")
	r.pattern = stars > 0 && (strings.Contains(r.dst, "*") || !r.hasDst)
	switch {
	case r.negative:
		if isOID(r.src) || !validPattern(r.src, stars > 0) {
			return bad()
		}
		r.pattern = stars > 0
		return r, nil
	case r.hasDst && (stars > 0) != strings.Contains(r.dst, "*") && (r.pattern || strings.Contains(r.dst, "*")):
		return bad()
	case r.pattern && !validPattern(r.src, true):
		return bad()
	case !r.hasDst && !r.pattern && !validName(r.src):
		return bad()
	case r.hasDst && !validPattern(r.dst, r.pattern):
		return bad()
	}
	return r, nil
}

// validPattern is validName for a name that may hold one "*".
func validPattern(name string, star bool) bool {
	if star && strings.Count(name, "*") == 1 {
		name = strings.Replace(name, "*", "x", 1)
	}
	return validName(name)
}

// mapName applies the pattern from → to to name.
func mapName(from, name, to string) (string, bool) {
	before, after, ok := strings.Cut(from, "*")
	if !ok || len(name) < len(before)+len(after) || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after) {
		return "", false
	}
	return strings.Replace(to, "*", name[len(before):len(name)-len(after)], 1), true
}

// abbreviates reports whether short is one of the ways to write the full name.
func abbreviates(short, full string) bool {
	switch full {
	case short, "refs/" + short, "refs/tags/" + short, "refs/heads/" + short,
		"refs/remotes/" + short, "refs/remotes/" + short + "/HEAD":
		return true
	}
	return false
}

// lookup counts the refs that short can mean, and returns one of them. A full
// or nearly full name, a branch or a tag counts for more than others.
func lookup(short string, list []ref) (ref, int) {
	var strong, weak ref
	strongs, weaks := 0, 0
	for _, r := range list {
		switch {
		case !abbreviates(short, r.Name):
		case len(r.Name) != len(short) && len(short) != len(r.Name)-5 &&
			!strings.HasPrefix(r.Name, "refs/heads/") && !strings.HasPrefix(r.Name, "refs/tags/"):
			weak = r
			weaks++
		default:
			strong = r
			strongs++
		}
	}
	if strongs > 0 {
		return strong, strongs
	}
	return weak, weaks
}

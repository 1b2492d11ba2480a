package workspace

import (
	"fmt"

	"github.com/counterstep/counterstep/fingerprint"
)

// group is a set of paths that are one inode.
type group struct {
	lenders []*act  // paths that have, or will have, the inode already
	nodes   []*node // paths that are built
	leader  *node   // the one that is written; the others follow
	source  *act    // the lender that they follow instead
}

func (a *applier) group(n int) *group {
	if a.groups[n] == nil {
		a.groups[n] = &group{}
	}
	return a.groups[n]
}

// lend offers the inode at a path to the others of its link group.
func (a *applier) lend(c *act) {
	if c.Entry.Type != fingerprint.Dir && c.Entry.Group != 0 {
		g := a.group(c.Entry.Group)
		g.lenders = append(g.lenders, c)
	}
}

// chooseLeaders decides for each group which path is written.
func (a *applier) chooseLeaders() {
	for _, g := range a.groups {
		if len(g.nodes) == 0 {
			continue
		}
		for _, c := range g.lenders {
			if g.source == nil && a.canLend(c) {
				g.source = c
			}
		}
		for _, n := range g.nodes {
			switch {
			case g.source != nil:
				n.follower = true
			case g.leader == nil && !n.unit.late:
				g.leader = n
			case g.leader != nil:
				n.follower = true
			}
		}
	}
}

// canLend reports whether what is at the path is, or will be, the inode of its
// group.
func (a *applier) canLend(c *act) bool {
	if c.Op == Put && c.InPlace {
		return !c.settled || c.out.Done
	}
	d, name, err := a.parent(c.path())
	if err != nil {
		return false
	}
	if c.Op == Meta {
		st, err := d.lstat(name)
		return err == nil && st.dev == c.Entry.Dev && st.ino == c.Entry.Ino
	}
	_, ok, _ := expects(&a.own, d, name, &c.Entry)
	return ok
}

// whereIs is the directory and name at which a group's inode can be linked.
func (a *applier) whereIs(g *group) (dir, name string, err error) {
	switch n := g.leader; {
	case g.source != nil:
		dir, name = split(g.source.path())
	case n == nil:
		return "", "", fmt.Errorf("no path of the group")
	case n.unit.placed:
		dir, name = split(n.act.path())
	default:
		where, _ := split(n.unit.root.act.path())
		top := join(where, n.unit.temp)
		if n.rel == "" {
			return where, n.unit.temp, nil
		}
		dir, name = split(join(top, n.rel))
	}
	return dir, name, nil
}

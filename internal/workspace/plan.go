package workspace

import (
	"fmt"

	"github.com/counterstep/counterstep/fingerprint"
)

// node is one thing that is built.
type node struct {
	act  *act
	unit *unit
	rel  string // below the unit's top; "" for the top itself
	kids []*node
	// follower is set for a path that becomes a hard link of another one.
	follower bool
}

// unit is a thing that is built under one temporary name and put in its place
// by one rename: a file, or a directory with everything that goes into it.
type unit struct {
	root *node
	all  []*node // sorted by path, the root first
	temp string  // the name it is built under
	// late is set when its folder does not exist yet. A late unit is judged and
	// built at its turn, and has no more than one thing in it.
	late bool
	// exchange is set when what is there now is to come out.
	exchange bool
	built    bool
	placed   bool
	clean    bool // nothing is inherited in it: no group, no access list
	umask    uint32
}

// standing is an existing directory among the actions.
type standing struct {
	act   *act
	found fingerprint.Entry // before anything was changed
	mode  uint32            // its mode while we work
	put   bool              // it gets the wanted metadata at the end
}

// plan looks at what is there and decides what is built.
func (a *applier) plan() {
	for _, c := range a.acts {
		switch c.Op {
		case Keep:
			c.end(true, StatusKept, "")
			a.lend(c)
		case Meta:
			a.planMeta(c)
		case Remove:
			a.planRemove(c)
		case Put, Beside:
			a.planPut(c)
		}
	}
	a.chooseLeaders()
}

// planMeta takes a directory up early, since its mode may be in the way.
func (a *applier) planMeta(c *act) {
	if c.Entry.Type != fingerprint.Dir {
		a.lend(c)
		return
	}
	if a.underRename(c.path()) {
		return // when it has come
	}
	a.standMeta(c)
}

func (a *applier) standMeta(c *act) {
	d, name, err := a.parent(c.path())
	if err != nil {
		c.skip("%s", a.whyNot(c.path(), err))
		return
	}
	got, err := observe(&a.own, d, name)
	switch {
	case isNotExist(err):
		c.drift("it is gone")
	case err != nil:
		c.skip("it cannot be read: %v", err)
	case got.Type != fingerprint.Dir:
		c.drift("it is no folder any more")
	default:
		a.stand(d, name, c, got)
	}
}

// stand takes an existing directory up: it is opened wide enough to work in,
// and gets the wanted metadata at the end unless it has drifted.
func (a *applier) stand(d *dir, name string, c *act, got fingerprint.Entry) {
	s := &standing{act: c, found: got, mode: got.Mode}
	a.dirs = append(a.dirs, s)
	s.put = fingerprint.Equal(got, c.Entry) || c.Now.Type == fingerprint.Dir && sameDir(c.Now, got)
	if !s.put {
		c.drift("it has another mode or other attributes than expected")
	}
	a.widen(d, name, s)
}

// planRemove opens a directory wide enough to empty it.
func (a *applier) planRemove(c *act) {
	if c.Now.Type != fingerprint.Dir {
		return
	}
	d, name, err := a.parent(c.path())
	if err != nil {
		return
	}
	if st, err := d.lstat(name); err == nil && st.typ == fingerprint.Dir {
		a.empty(d, name, c, st.entry(""))
	}
}

// empty takes a directory up that is to go.
func (a *applier) empty(d *dir, name string, c *act, got fingerprint.Entry) {
	s := &standing{act: c, found: got, mode: got.Mode}
	a.dirs = append(a.dirs, s)
	a.widen(d, name, s)
}

// widen gives the owner of a directory, when that is us, all rights in it for
// as long as we work.
func (a *applier) widen(d *dir, name string, s *standing) {
	got := s.found
	if a.uid == 0 || got.UID != a.uid || got.Mode&0o700 == 0o700 {
		return
	}
	f, err := d.openMeta(name)
	if err != nil {
		return
	}
	defer f.close()
	if f.chmod(got.Mode|0o700) == nil {
		s.mode = got.Mode | 0o700
	}
}

// sameDir compares a directory with what is expected. One that an earlier run
// opened for its work is the same.
func sameDir(now, got fingerprint.Entry) bool {
	if got.Mode == now.Mode|0o700 {
		got.Mode = now.Mode
	}
	return fingerprint.Equal(now, got)
}

// planPut finds the unit that a Put or Beside belongs to, or begins one.
func (a *applier) planPut(c *act) {
	where, name := split(c.path())
	if n := a.nodes[where]; n != nil {
		child := &node{act: c, unit: n.unit, rel: name}
		if n.rel != "" {
			child.rel = n.rel + "/" + name
		}
		n.kids = append(n.kids, child)
		a.add(child)
		return
	}
	if a.underRename(c.path()) {
		a.begin(c, true, false)
		return
	}
	d, name, err := a.parent(c.path())
	if err != nil {
		c.skip("%s", a.whyNot(c.path(), err))
		return
	}
	if c.Op == Beside {
		a.planBeside(d, name, c)
		return
	}
	a.judge(d, name, c)
}

// underRename reports whether a path is in something that a Rename brings.
func (a *applier) underRename(path string) bool {
	for where, _ := split(path); where != "/"; where, _ = split(where) {
		if c := a.byPath[where]; c != nil && c.Op == Rename {
			return true
		}
	}
	return false
}

// begin starts a unit.
func (a *applier) begin(c *act, late, exchange bool) {
	u := &unit{late: late, exchange: exchange, temp: tempName(a.id, c.path())}
	u.root = &node{act: c, unit: u}
	a.units = append(a.units, u)
	a.add(u.root)
}

func (a *applier) add(n *node) {
	n.act.node = n
	n.unit.all = append(n.unit.all, n)
	switch {
	case n.act.Entry.Type == fingerprint.Dir && !n.unit.late:
		a.nodes[n.act.path()] = n
	case n.act.Entry.Type != fingerprint.Dir && n.act.Entry.Group != 0:
		g := a.group(n.act.Entry.Group)
		g.nodes = append(g.nodes, n)
	}
}

// judge compares what is there with what is wanted and what is expected.
func (a *applier) judge(d *dir, name string, c *act) {
	got, err := observe(&a.own, d, name)
	switch {
	case isNotExist(err):
		a.judgeAbsent(d, name, c)
	case err != nil:
		c.drift("%s", whyUnseen(err))
	case got.Type == fingerprint.Dir && c.Entry.Type == fingerprint.Dir:
		a.stand(d, name, c, got)
		a.leftOver(d, name, c)
	case matches(&c.Entry, &got):
		a.alreadyThere(d, name, c, &got)
	case c.Now.Type == fingerprint.Absent:
		c.drift("something has appeared there")
	case c.InPlace && c.Entry.Type == fingerprint.File && got.Type == fingerprint.File:
		a.lend(c) // compared and written at its turn
	case !matches(&c.Now, &got):
		c.drift("it has changed since")
	case c.node == nil:
		a.begin(c, false, true)
		if got.Type == fingerprint.Dir {
			a.empty(d, name, c, got)
		}
	default:
		c.node.unit.exchange = true
	}
}

// judgeAbsent decides on a path where nothing is.
func (a *applier) judgeAbsent(d *dir, name string, c *act) {
	if c.Now.Type != fingerprint.Absent {
		// Taken out by an earlier run that was killed before it put the new
		// thing in?
		if _, ok, _ := expects(&a.own, d, tempName(a.id, c.path())+outSuffix, &c.Now); !ok {
			c.drift("it is gone")
			return
		}
	}
	if c.node == nil {
		a.begin(c, false, false)
	}
}

// alreadyThere settles a path that has the wanted state, from an earlier run
// or by itself. Owner and times are put right.
func (a *applier) alreadyThere(d *dir, name string, c *act, got *fingerprint.Entry) {
	lost := ""
	if got.UID != c.Entry.UID || got.GID != c.Entry.GID || got.MTime != c.Entry.MTime {
		lost = putMetaAt(d, name, &c.Entry)
	}
	c.end(true, StatusRestored, lost)
	a.lend(c)
	a.leftOver(d, name, c)
}

// leftOver settles what an earlier run took out of a place but could not look
// at any more. When that fails it stays where it is.
func (a *applier) leftOver(d *dir, name string, c *act) {
	out := tempName(a.id, c.path()) + outSuffix
	if _, err := d.lstat(out); err == nil {
		a.settleOut(d, name, out, c)
	}
}

// planBeside looks whether the thing is beside already.
func (a *applier) planBeside(d *dir, name string, c *act) {
	beside := besideName(name, a.id, 1)
	if got, err := observe(&a.own, d, beside); err == nil && matches(&c.Entry, &got) && got.Type != fingerprint.Dir {
		where, _ := split(c.path())
		c.end(true, StatusBeside, "")
		c.out.Beside = join(where, beside)
		return
	}
	a.begin(c, false, false)
}

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

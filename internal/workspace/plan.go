package workspace

import (
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
	case matches(&c.Entry, &got) && !(c.Relink && got.Ino == c.Now.Ino && got.Dev == c.Now.Dev):
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

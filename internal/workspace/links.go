package workspace

import (
	"errors"
	"fmt"
)

// linkAll makes the hard links of a unit.
func (a *applier) linkAll(s *scratch, u *unit) error {
	for _, n := range u.all {
		if !n.follower || n.act.settled {
			continue
		}
		if err := a.follow(s, n); err != nil {
			return fmt.Errorf("build %q: %w", n.act.path(), err)
		}
	}
	return nil
}

// follow makes a hard link to the inode of a group; where that is not possible,
// a file of its own.
func (a *applier) follow(s *scratch, n *node) error {
	where, _ := split(n.unit.root.act.path())
	path := join(a.real(where), n.unit.temp)
	if n.rel != "" {
		path = join(path, n.rel)
	}
	where, name := split(path)
	d, err := openRoot(where, toPass)
	if err != nil {
		return err
	}
	defer d.close()
	err = a.linkTo(s, d, name, n)
	if isExist(err) && n.rel == "" { // from an earlier run
		if err = removeTree(d, name); err == nil {
			err = a.linkTo(s, d, name, n)
		}
	}
	if err != nil {
		n.follower = false
		if err := a.make(s, d, name, n); err != nil {
			return err
		}
		n.act.out.Reason = "it is a file of its own now, no hard link"
	}
	return nil
}

var errNotTheInode = errors.New("another file is there now")

// linkTo links the inode of a group and makes sure that it is the one.
func (a *applier) linkTo(s *scratch, d *dir, name string, n *node) error {
	g := a.groups[n.act.Entry.Group]
	fromDir, from, err := a.whereIs(g)
	if err != nil {
		return err
	}
	src, err := openRoot(a.real(fromDir), toPass)
	if err != nil {
		return err
	}
	defer src.close()
	if err := d.link(src, from, name); err != nil || g.source == nil {
		return err
	}
	want := n.act.Entry
	if g.source.Op == Put && g.source.InPlace && !g.source.settled {
		want = g.source.Now // it gets its content later
	}
	if _, ok, _ := expects(s, d, name, &want); !ok && g.source.Op != Meta {
		return errors.Join(errNotTheInode, d.unlink(name))
	}
	return nil
}

package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/counterstep/counterstep/fingerprint"
)

// building is some work on a unit: to make its top, or to fill one directory,
// or to write some files of one.
type building struct {
	u   *unit
	dir *node   // the directory they are in; nil for the top
	not []*node // the files to write
}

// build makes every unit that can be made now under its temporary name.
func (a *applier) build(ctx context.Context) error {
	var tops []building
	for i := len(a.units) - 1; i >= 0; i-- {
		if u := a.units[i]; !u.late {
			tops = append(tops, building{u: u})
		}
	}
	a.early = a.newEarly()
	err := a.buildAll(ctx, tops)
	return errors.Join(err, a.early.wait())
}

func (a *applier) buildAll(ctx context.Context, tops []building) error {
	space := make([]scratch, a.most)
	p := &pool[building]{}
	p.do = func(worker int, b building) error { return a.step(&space[worker], b, p.push) }
	if err := p.run(ctx, a.most, tops); err != nil {
		return err
	}
	// Links can be made only when everything is written, and directories are
	// only complete then.
	for _, b := range tops {
		if err := a.linkAll(&space[0], b.u); err != nil {
			return err
		}
	}
	for _, b := range tops {
		if err := a.closeDirs(b.u); err != nil {
			return err
		}
	}
	return nil
}

// step does one piece of work and pushes what it makes possible.
func (a *applier) step(s *scratch, b building, push func(building)) error {
	if b.dir == nil {
		return a.buildTop(s, b.u, push)
	}
	d, err := a.openBuilt(b.dir, toPass)
	if err != nil {
		return fmt.Errorf("build %q: %w", b.dir.act.path(), err)
	}
	defer d.close()
	if b.not != nil {
		return a.writeNodes(s, d, b.not)
	}
	var files []*node
	for _, n := range b.dir.kids {
		switch {
		case n.follower:
		case n.act.Entry.Type != fingerprint.Dir:
			files = append(files, n)
		default:
			if err := d.mkdir(baseOf(n), 0o700); err != nil {
				return fmt.Errorf("build %q: %w", n.act.path(), err)
			}
			push(building{u: b.u, dir: n})
		}
	}
	for len(files) > 2*batch {
		push(building{u: b.u, dir: b.dir, not: files[:batch]})
		files = files[batch:]
	}
	return a.writeNodes(s, d, files)
}

func baseOf(n *node) string {
	_, name := split("/" + n.rel)
	return name
}

// openBuilt opens a directory that is being built.
func (a *applier) openBuilt(n *node, how int) (*dir, error) {
	where, _ := split(n.unit.root.act.path())
	path := join(a.real(where), n.unit.temp)
	if n.rel != "" {
		path = join(path, n.rel)
	}
	return openRoot(path, how)
}

// buildTop makes the top of a unit. When the folder does not permit it, the
// actions of the unit are skipped; every other failure ends the whole.
func (a *applier) buildTop(s *scratch, u *unit, push func(building)) error {
	c := u.root.act
	where, _ := split(c.path())
	d, err := openRoot(a.real(where), toPass)
	if err != nil {
		a.giveUp(u, a.whyNot(c.path(), err))
		return nil
	}
	defer d.close()
	err = a.makeTop(s, d, u)
	if isExist(err) { // from an earlier run
		if err = removeTree(d, u.temp); err == nil {
			err = a.makeTop(s, d, u)
		}
	}
	switch {
	case isRefused(err):
		a.giveUp(u, fmt.Sprintf("it cannot be made in %q: %v", where, err))
		return nil
	case err != nil:
		return fmt.Errorf("build %q: %w", c.path(), err)
	}
	u.built = true
	if c.Entry.Type == fingerprint.Dir {
		push(building{u: u, dir: u.root})
	}
	return nil
}

func (a *applier) makeTop(s *scratch, d *dir, u *unit) error {
	if u.root.follower {
		return nil
	}
	if u.root.act.Entry.Type != fingerprint.Dir {
		return a.make(s, d, u.temp, u.root)
	}
	if err := d.mkdir(u.temp, 0o700); err != nil {
		return err
	}
	return a.prepare(d, u)
}

// prepare makes a new directory free of what it inherited from the one it is
// in, so that nothing has to be looked at for each file, and finds out what
// mode bits the system takes away.
func (a *applier) prepare(d *dir, u *unit) error {
	top, err := d.openDir(u.temp, toList, false)
	if err != nil {
		return err
	}
	defer top.close()
	self := top.self()
	if err := putXattrs(self.attributes(), &fingerprint.Entry{}, isACL); err != nil {
		return err
	}
	if err := self.chmod(0o700); err != nil {
		return err
	}
	const probe = ".probe"
	if err := top.mkdir(probe, 0o777); err != nil {
		return err
	}
	st, err := top.lstat(probe)
	if err != nil {
		return err
	}
	u.umask = 0o777 &^ st.mode
	u.clean = st.uid == a.uid && st.gid == a.gid
	return top.rmdir(probe)
}

// giveUp settles everything in a unit that cannot be built.
func (a *applier) giveUp(u *unit, reason string) {
	for _, n := range u.all {
		if !n.act.settled {
			n.act.skip("%s", reason)
		}
	}
}

func (a *applier) writeNodes(s *scratch, d *dir, nodes []*node) error {
	for _, n := range nodes {
		err := a.make(s, d, baseOf(n), n)
		if isRefused(err) {
			n.act.skip("it cannot be made: %v", err)
			continue
		}
		if err != nil {
			return fmt.Errorf("build %q: %w", n.act.path(), err)
		}
	}
	return nil
}

// closeDirs gives the directories of a unit their metadata, the deepest first.
func (a *applier) closeDirs(u *unit) error {
	if !u.built || u.root.act.Entry.Type != fingerprint.Dir {
		return nil
	}
	for i := len(u.all) - 1; i >= 0; i-- {
		n := u.all[i]
		if n.act.Entry.Type != fingerprint.Dir || n.act.settled {
			continue
		}
		d, err := a.openBuilt(n, toList)
		if err != nil {
			return fmt.Errorf("build %q: %w", n.act.path(), err)
		}
		cur := stat{uid: a.uid, gid: a.gid, mode: 0o700}
		if !u.clean || n == u.root { // the top took its group from the folder
			cur, err = d.stat()
		}
		if err == nil {
			n.act.out.Reason = putMeta(d.self(), &n.act.Entry, cur, u.clean)
		}
		d.close()
		if err != nil {
			return fmt.Errorf("build %q: %w", n.act.path(), err)
		}
	}
	return nil
}

package workspace

import (
	"context"
	"fmt"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

// place puts a unit where it belongs.
func (a *applier) place(ctx context.Context, u *unit) error {
	c := u.root.act
	d, name, err := a.parent(c.path())
	if err != nil {
		a.giveUp(u, a.whyNot(c.path(), err))
		return nil
	}
	if u.late {
		if err := a.makeLate(ctx, d, name, u); err != nil || c.settled {
			return err
		}
	}
	if !u.built {
		return nil
	}
	if err := fail.Point("workspace.swap"); err != nil {
		return err
	}
	a.begun = true
	where, _ := split(c.path())
	a.touched[where] = true
	switch {
	case c.Op == Beside:
		err = a.placeBeside(d, name, u)
	case u.exchange:
		err = a.swap(d, name, u)
	default:
		err = a.placeNew(d, name, u)
	}
	if err != nil {
		return fmt.Errorf("put %q back: %w", c.path(), err)
	}
	if !u.placed {
		return removeTree(d, u.temp)
	}
	for _, n := range u.all {
		if !n.act.settled {
			n.act.end(true, StatusRestored, n.act.out.Reason)
		}
	}
	return fail.Point("workspace.swapped")
}

// makeLate judges and builds a unit whose folder has come to exist.
func (a *applier) makeLate(ctx context.Context, d *dir, name string, u *unit) error {
	c := u.root.act
	if c.Op != Beside {
		a.judge(d, name, c)
	}
	if c.settled || len(a.dirs) > 0 && a.dirs[len(a.dirs)-1].act == c {
		return nil
	}
	if c.Entry.Type == fingerprint.Dir && c.Op != Beside && !u.exchange {
		return a.mkdirLate(d, name, c)
	}
	if err := a.buildAll(ctx, []building{{u: u}}); err != nil {
		return err
	}
	if a.o.Durable && u.built {
		return d.syncFS()
	}
	return nil
}

// mkdirLate makes a directory in its place; it is completed at the end, like
// one that was there.
func (a *applier) mkdirLate(d *dir, name string, c *act) error {
	a.begun = true
	if err := d.mkdir(name, 0o700); err != nil {
		if isExist(err) {
			c.drift("something has appeared there")
			return nil
		}
		c.skip("it cannot be made: %v", err)
		return nil
	}
	a.dirs = append(a.dirs, &standing{act: c, found: c.Entry, mode: 0o700, put: true})
	return nil
}

// placeNew puts a unit where nothing is expected to be.
func (a *applier) placeNew(d *dir, name string, u *unit) error {
	c := u.root.act
	err := d.rename(u.temp, d, name)
	switch {
	case err == nil:
		u.placed = true
		out := u.temp + outSuffix
		if _, err := d.lstat(out); err == nil {
			return a.settleOut(d, name, out, c)
		}
		return nil
	case isExist(err) || isNotEmpty(err):
		a.driftAll(u, "something has appeared there")
		return nil
	}
	return err
}

// driftAll settles a unit whose place is taken.
func (a *applier) driftAll(u *unit, reason string) {
	for _, n := range u.all {
		switch {
		case n.act.settled:
		case n == u.root:
			n.act.drift("%s", reason)
		default:
			n.act.skip("its folder could not be put back")
		}
	}
}

// placeBeside puts a unit next to its place under the first free name.
func (a *applier) placeBeside(d *dir, name string, u *unit) error {
	where, _ := split(u.root.act.path())
	beside, err := a.keepBeside(d, u.temp, name)
	if err != nil {
		return err
	}
	u.placed = true
	for _, n := range u.all {
		if n.act.settled {
			continue
		}
		n.act.end(true, StatusBeside, n.act.out.Reason)
		n.act.out.Beside = join(where, beside)
		if n.rel != "" {
			n.act.out.Beside = join(n.act.out.Beside, n.rel)
		}
	}
	return nil
}

// keepBeside moves from to the first free name beside name.
func (a *applier) keepBeside(d *dir, from, name string) (string, error) {
	for n := 1; ; n++ {
		beside := besideName(name, a.id, n)
		err := d.rename(from, d, beside)
		if err == nil || !(isExist(err) || isNotEmpty(err)) || n == 1000 {
			return beside, err
		}
	}
}

package workspace

import (
	"context"
	"errors"
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

// swap exchanges a unit with what is in its place and looks at what came out.
func (a *applier) swap(d *dir, name string, u *unit) error {
	c := u.root.act
	out := u.temp + outSuffix
	if err := d.rename(u.temp, d, out); err != nil {
		if !isExist(err) {
			return err
		}
		if err := a.settleOut(d, name, out, c); err != nil {
			return err
		}
		if err := d.rename(u.temp, d, out); err != nil {
			return err
		}
	}
	err := d.exchange(out, name)
	switch {
	case errors.Is(err, errNoExchange):
		return a.swapAside(d, name, u)
	case isNotExist(err):
		a.driftAll(u, "it is gone")
		return d.rename(out, d, u.temp)
	case err != nil:
		return errors.Join(err, d.rename(out, d, u.temp))
	}
	if err := fail.Point("workspace.exchanged"); err != nil {
		return err
	}
	reason := a.dispose(d, out, &c.Now)
	if reason == "" {
		u.placed = true
		return nil
	}
	a.driftAll(u, reason)
	if err := d.exchange(out, name); err != nil {
		return a.rescue(d, out, name, c)
	}
	// What comes out now must be what was built, or it is somebody's.
	if _, ok, _ := expects(&a.own, d, out, &c.Entry); ok {
		return d.rename(out, d, u.temp)
	}
	return a.rescue(d, out, name, c)
}

// swapAside is swap for file systems that cannot exchange: what is there is
// moved aside, looked at, and moved back when it is not as expected.
func (a *applier) swapAside(d *dir, name string, u *unit) error {
	c := u.root.act
	out := u.temp + outSuffix
	if err := d.rename(out, d, u.temp); err != nil {
		return err
	}
	err := d.rename(name, d, out)
	if isNotExist(err) {
		a.driftAll(u, "it is gone")
		return nil
	}
	if err != nil {
		return err
	}
	_, ok, reason := expects(&a.own, d, out, &c.Now)
	if ok {
		err = d.rename(u.temp, d, name)
		u.placed = err == nil
		reason = "something has appeared there"
	}
	if u.placed {
		if reason = a.dispose(d, out, &c.Now); reason == "" {
			return nil
		}
		c.out.Reason = reason
		return a.rescue(d, out, name, c)
	}
	a.driftAll(u, reason)
	if err := d.rename(out, d, name); err != nil {
		return a.rescue(d, out, name, c)
	}
	return nil
}

// dispose removes what came out if it is what was expected; a reason says why
// not.
func (a *applier) dispose(d *dir, out string, now *fingerprint.Entry) (reason string) {
	_, ok, reason := expects(&a.own, d, out, now)
	if !ok {
		return reason
	}
	var err error
	if now.Type == fingerprint.Dir {
		err = d.rmdir(out)
	} else {
		err = d.unlink(out)
	}
	switch {
	case isNotEmpty(err):
		return "the folder is not empty"
	case err != nil && !isNotExist(err):
		return "it cannot be removed: " + err.Error()
	}
	return ""
}

// rescue keeps something that came out beside its old place.
func (a *applier) rescue(d *dir, out, name string, c *act) error {
	beside, err := a.keepBeside(d, out, name)
	if err != nil {
		return err
	}
	where, _ := split(c.path())
	c.out.Beside = join(where, beside)
	return nil
}

// settleOut deals with a thing that an earlier run, which was killed, took out
// or was about to put in. What is known is removed, everything else is kept.
func (a *applier) settleOut(d *dir, name, out string, c *act) error {
	if _, ok, _ := expects(&a.own, d, out, &c.Entry); ok {
		return removeTree(d, out)
	}
	if c.Now.Type != fingerprint.Absent && a.dispose(d, out, &c.Now) == "" {
		return nil
	}
	return a.rescue(d, out, name, c)
}

package workspace

import (
	"errors"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

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

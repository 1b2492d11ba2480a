package workspace

import (
	"context"
	"fmt"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

// removeAll carries out the Removes, the deepest first. Directories that are
// not empty yet are returned: something may still be moved out of them.
func (a *applier) removeAll(ctx context.Context) (later []*act, err error) {
	for i := len(a.acts) - 1; i >= 0; i-- {
		c := a.acts[i]
		if c.Op != Remove || c.settled {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := a.remove(c, false); err != nil {
			return nil, err
		}
		if !c.settled {
			later = append(later, c)
		}
	}
	return later, nil
}

// remove takes away what is at a path if it is what the action expects. It is
// renamed first, so that it is looked at and removed as one and the same.
func (a *applier) remove(c *act, final bool) error {
	d, name, err := a.parent(c.path())
	if isNotExist(err) || isLinkOrFile(err) && a.underOther(c.path()) {
		c.end(true, StatusRemoved, "")
		return nil
	}
	if err != nil {
		c.skip("%s", a.whyNot(c.path(), err))
		return nil
	}
	out := tempName(a.id, c.path()) + outSuffix
	st, err := d.lstat(name)
	switch {
	case isNotExist(err):
		c.end(true, StatusRemoved, "")
		if _, err := d.lstat(out); err == nil {
			return a.finishRemove(d, name, out, c)
		}
		return nil
	case err != nil:
		c.skip("%v", err)
		return nil
	case c.Now.Type == fingerprint.Absent:
		c.drift("something has appeared there")
		return nil
	case st.typ != c.Now.Type:
		c.drift("it has changed since")
		return nil
	case st.typ == fingerprint.Dir:
		return a.removeDir(d, name, c, final)
	}
	if _, ok, reason := expects(&a.own, d, name, &c.Now); !ok {
		c.drift("%s", reason)
		return nil
	}
	return a.removeThing(d, name, out, c)
}

// underOther reports whether a path is below something that is wanted to be no
// directory, and is that already.
func (a *applier) underOther(path string) bool {
	for where, _ := split(path); where != "/"; where, _ = split(where) {
		if c := a.byPath[where]; c != nil && c.Op == Put && c.Entry.Type != fingerprint.Dir {
			return c.settled && c.out.Done
		}
	}
	return false
}

func (a *applier) removeDir(d *dir, name string, c *act, final bool) error {
	a.begun = true
	err := d.rmdir(name)
	switch {
	case err == nil || isNotExist(err):
		a.removed(c)
		return fail.Point("workspace.removed")
	case isNotEmpty(err) && final:
		c.drift("the folder is not empty")
	case !isNotEmpty(err):
		c.skip("it cannot be removed: %v", err)
	}
	return nil
}

func (a *applier) removed(c *act) {
	where, _ := split(c.path())
	a.touched[where] = true
	c.end(true, StatusRemoved, "")
}

func (a *applier) removeThing(d *dir, name, out string, c *act) error {
	a.begun = true
	err := d.rename(name, d, out)
	if isExist(err) { // from an earlier run
		if err := a.settleOut(d, name, out, c); err != nil {
			return fmt.Errorf("remove %q: %w", c.path(), err)
		}
		err = d.rename(name, d, out)
	}
	switch {
	case isNotExist(err):
		c.end(true, StatusRemoved, "")
		return nil
	case isRefused(err):
		c.skip("it cannot be removed: %v", err)
		return nil
	case err != nil:
		return fmt.Errorf("remove %q: %w", c.path(), err)
	}
	if err := fail.Point("workspace.aside"); err != nil {
		return err
	}
	return a.finishRemove(d, name, out, c)
}

// finishRemove looks at what was moved aside. What is not as expected goes
// back, or beside when its place is taken.
func (a *applier) finishRemove(d *dir, name, out string, c *act) error {
	reason := a.dispose(d, out, &c.Now)
	if reason == "" {
		a.removed(c)
		return fail.Point("workspace.removed")
	}
	c.drift("%s", reason)
	if err := d.rename(out, d, name); err != nil {
		return a.rescue(d, out, name, c)
	}
	return nil
}

package workspace

import (
	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

// rename moves a thing back without replacing anything.
func (a *applier) rename(c *act) error {
	from, fromName, err := a.parent(c.From)
	if err != nil && !isNotExist(err) {
		c.skip("%s", a.whyNot(c.From, err))
		return nil
	}
	gone := isNotExist(err)
	var st stat
	if !gone {
		a.cached.dir = nil // it stays open across the next parent
		defer from.close()
		st, err = from.lstat(fromName)
		gone = isNotExist(err)
	}
	to, name, err := a.parent(c.path())
	if err != nil {
		c.skip("%s", a.whyNot(c.path(), err))
		return nil
	}
	if gone {
		if here, err := to.lstat(name); err == nil && isIdentity(c, here) && c.Now.Ino != 0 {
			c.end(true, StatusRestored, "")
			return nil
		}
		c.skip("%q is gone", c.From)
		return nil
	}
	if !isIdentity(c, st) {
		c.drift("%q is another thing than expected", c.From)
		return nil
	}
	return a.renameNow(c, from, fromName, to, name, st)
}

func (a *applier) renameNow(c *act, from *dir, fromName string, to *dir, name string, st stat) error {
	if err := fail.Point("workspace.rename"); err != nil {
		return err
	}
	a.begun = true
	err := from.rename(fromName, to, name)
	switch {
	case isExist(err) || isNotEmpty(err):
		c.drift("something has appeared there")
		return nil
	case err != nil:
		c.skip("it cannot be moved back: %v", err)
		return nil
	}
	if here, err := to.lstat(name); err == nil && (here.ino != st.ino || here.dev != st.dev) {
		c.drift("%q is another thing than expected", c.From)
		if err := to.rename(name, from, fromName); err != nil {
			c.out.Beside = c.path()
		}
		return nil
	}
	for _, p := range []string{c.path(), c.From} {
		where, _ := split(p)
		a.touched[where] = true
	}
	c.end(true, StatusRestored, "")
	return nil
}

// isIdentity reports whether something is the inode that a Rename means.
func isIdentity(c *act, st stat) bool {
	return (c.Now.Type == fingerprint.Absent || c.Now.Type == st.typ) &&
		(c.Now.Ino == 0 || c.Now.Ino == st.ino && c.Now.Dev == st.dev)
}

package workspace

import (
	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

// standing is an existing directory among the actions.
type standing struct {
	act   *act
	found fingerprint.Entry // before anything was changed
	mode  uint32            // its mode while we work
	put   bool              // it gets the wanted metadata at the end
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

// withDir calls do with the parent and name of a standing directory.
func (a *applier) withDir(s *standing, do func(d *dir, name string) string) string {
	if err := fail.Point("workspace.finish"); err != nil {
		return err.Error()
	}
	d, name, err := a.parent(s.act.path())
	if err != nil {
		return "metadata could not be put back: " + a.whyNot(s.act.path(), err)
	}
	return do(d, name)
}

// lock takes back the modes that were only needed for the work.
func (a *applier) lock() {
	for i := len(a.dirs) - 1; i >= 0; i-- {
		s := a.dirs[i]
		if s.mode == s.found.Mode {
			continue
		}
		a.withDir(s, func(d *dir, name string) string {
			f, err := d.openMeta(name)
			if err != nil {
				return ""
			}
			defer f.close()
			if st, err := f.stat(); err == nil && st.typ == fingerprint.Dir && st.mode == s.mode {
				f.chmod(s.found.Mode)
			}
			return ""
		})
		s.mode = s.found.Mode
	}
}

package workspace

import (
	"errors"
	"fmt"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

// sync puts what was built on disk, with one call for each file system.
func (a *applier) sync() error {
	if err := fail.Point("workspace.sync"); err != nil || !a.o.Durable {
		return err
	}
	done := map[uint64]bool{}
	for _, u := range a.units {
		if !u.built {
			continue
		}
		d, _, err := a.parent(u.root.act.path())
		if err != nil {
			continue // place will say so
		}
		st, err := d.stat()
		if err != nil {
			return fmt.Errorf("sync: %w", err)
		}
		if !done[st.dev] {
			if err := d.syncFS(); err != nil {
				return fmt.Errorf("sync: %w", err)
			}
			done[st.dev] = true
		}
	}
	return nil
}

// syncDirs puts changed names on disk: directory by directory when they are
// few, else the whole file system.
func (a *applier) syncDirs() error {
	if !a.o.Durable {
		return nil
	}
	const few = 16
	done := map[uint64]bool{}
	var paths []string
	for path := range a.touched {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		d, err := openRoot(a.real(path), toPass)
		if err != nil {
			continue // it has been moved or removed itself
		}
		st, err := d.stat()
		switch {
		case err != nil || done[st.dev]:
		case len(paths) <= few:
			err = d.sync()
		default:
			err = d.syncFS()
			done[st.dev] = true
		}
		d.close()
		if err != nil && !isDenied(err) {
			return fmt.Errorf("sync %q: %w", path, err)
		}
	}
	return nil
}

// finish puts metadata back where only that differs, files first and then
// directories, the deepest first.
func (a *applier) finish() {
	a.begun = true
	for _, c := range a.acts {
		switch {
		case c.Op != Meta || c.settled:
		case c.Entry.Type != fingerprint.Dir:
			a.meta(c)
		case a.underRename(c.path()):
			a.standMeta(c)
		}
	}
	for i := len(a.dirs) - 1; i >= 0; i-- {
		s := a.dirs[i]
		if !s.put {
			continue
		}
		lost := a.withDir(s, func(d *dir, name string) string { return putMetaAt(d, name, &s.act.Entry) })
		s.act.end(true, StatusRestored, lost)
		s.mode = s.found.Mode
	}
}

// meta puts the metadata of something that is no directory back.
func (a *applier) meta(c *act) {
	d, name, err := a.parent(c.path())
	if err != nil {
		c.skip("%s", a.whyNot(c.path(), err))
		return
	}
	st, err := d.lstat(name)
	switch {
	case isNotExist(err):
		c.drift("it is gone")
	case err != nil:
		c.skip("%v", err)
	case st.typ != c.Entry.Type || !sameMeta(c, st):
		c.drift("it has changed since")
	default:
		c.end(true, StatusRestored, putMetaAt(d, name, &c.Entry))
	}
}

// sameMeta compares what can be seen without opening: each property has to be
// the expected one or, from an earlier run, the wanted one.
func sameMeta(c *act, st stat) bool {
	if c.Now.Type == fingerprint.Absent {
		return true
	}
	either := func(got, now, want int64) bool { return got == now || got == want }
	return (st.typ == fingerprint.Symlink || either(int64(st.mode), int64(c.Now.Mode), int64(c.Entry.Mode))) &&
		st.entry("").Size == c.Now.Size &&
		(c.Now.MTime == 0 || either(st.mtime, c.Now.MTime, c.Entry.MTime)) &&
		(c.Now.Ino == 0 || st.ino == c.Now.Ino)
}

// discard removes what was built but not placed.
func (a *applier) discard() error {
	var all error
	for _, u := range a.units {
		if u.placed {
			continue
		}
		d, _, err := a.parent(u.root.act.path())
		if err == nil {
			all = errors.Join(all, removeTree(d, u.temp))
		}
	}
	return all
}

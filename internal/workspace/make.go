package workspace

import (
	"errors"
	"fmt"

	"github.com/counterstep/counterstep/fingerprint"
)

// make makes one thing that is no directory.
func (a *applier) make(s *scratch, d *dir, name string, n *node) error {
	e := &n.act.Entry
	var lost string
	switch e.Type {
	case fingerprint.File:
		return a.makeFile(s, d, name, n)
	case fingerprint.Symlink:
		if err := d.symlink(e.Target, name); err != nil {
			return err
		}
		lost = d.setLinkMeta(name, e)
	case fingerprint.FIFO, fingerprint.Socket, fingerprint.Block, fingerprint.Char:
		if err := d.mknod(name, e.Type, e.Rdev); err != nil {
			return err
		}
		lost = putMetaAt(d, name, e)
	default:
		return fmt.Errorf("type %q: %w", e.Type, errors.ErrUnsupported)
	}
	n.act.out.Reason = lost
	a.report(0, false)
	return nil
}

// putMetaAt gives the thing at a name, link or not, the metadata of e.
func putMetaAt(d *dir, name string, e *fingerprint.Entry) (lost string) {
	if e.Type == fingerprint.Symlink {
		return d.setLinkMeta(name, e)
	}
	f, err := d.openMeta(name)
	if err != nil {
		return fmt.Sprintf("metadata could not be put back: %v", err)
	}
	defer f.close()
	st, err := f.stat()
	if err != nil || st.typ != e.Type {
		return "metadata could not be put back: it has changed"
	}
	return putMeta(f, e, st, false)
}

// makeFile writes a regular file. In a clean unit it is born with its owner
// and mode, which saves two calls for each file.
func (a *applier) makeFile(s *scratch, d *dir, name string, n *node) error {
	e := &n.act.Entry
	plain := n.unit.clean && len(e.Xattrs) == 0
	mode := uint32(0o600)
	if plain && e.Mode&^0o777 == 0 && e.Mode&n.unit.umask == 0 && e.UID == a.uid && e.GID == a.gid {
		mode = e.Mode
	}
	f, err := d.create(name, mode)
	if err != nil {
		return err
	}
	defer f.close()
	cur := stat{uid: a.uid, gid: a.gid, mode: mode &^ n.unit.umask}
	if !n.unit.clean {
		if cur, err = f.stat(); err != nil {
			return err
		}
	}
	if err := a.copyContent(s, f, e); err != nil {
		return err
	}
	n.act.out.Reason = putMeta(f, e, cur, plain)
	a.report(e.Size, false)
	if a.o.Durable && syncEach {
		return f.sync()
	}
	return nil
}

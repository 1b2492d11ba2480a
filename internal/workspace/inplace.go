package workspace

import (
	"fmt"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

// writeInto gives an existing inode its former content, because other paths
// share it. The content is first written to a temporary file, which stays until
// the end: when it is there, an earlier run may have been killed half-way.
func (a *applier) writeInto(c *act) error {
	d, name, err := a.parent(c.path())
	if err != nil {
		c.skip("%s", a.whyNot(c.path(), err))
		return nil
	}
	if _, ok, reason := expects(&a.own, d, name, &c.Now); !ok {
		c.drift("%s", reason)
		return nil
	}
	temp := tempName(a.id, c.path())
	n := &node{act: c, unit: &unit{}}
	err = a.make(&a.own, d, temp, n)
	if isExist(err) {
		if err = removeTree(d, temp); err == nil {
			err = a.make(&a.own, d, temp, n)
		}
	}
	if isRefused(err) {
		c.skip("it cannot be made: %v", err)
		return nil
	}
	if err == nil {
		err = a.pour(d, temp, name, c)
	}
	if err != nil {
		return fmt.Errorf("put %q back: %w", c.path(), err)
	}
	if c.settled {
		return d.unlink(temp)
	}
	c.end(true, StatusRestored, c.out.Reason)
	return d.unlink(temp)
}

// pour writes the content of temp into the inode at name.
func (a *applier) pour(d *dir, temp, name string, c *act) error {
	src, err := d.open(temp, false)
	if err != nil {
		return err
	}
	defer src.close()
	dst, err := d.openWrite(name)
	if isRefused(err) {
		c.skip("it cannot be written: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer dst.close()
	before, err := dst.stat()
	if err != nil {
		return err
	}
	if before.typ != fingerprint.File || c.Now.Ino != 0 && before.ino != c.Now.Ino {
		c.drift("another file is there now")
		return nil
	}
	if a.o.Durable {
		if err := d.syncFS(); err != nil {
			return err
		}
	}
	if err := fail.Point("workspace.pour"); err != nil {
		return err
	}
	buf := a.own.room(256 << 10)
	for off := int64(0); ; {
		n, err := src.readAt(buf, off)
		if n <= 0 {
			if err != nil {
				return err
			}
			break
		}
		if err := dst.write(buf[:n], off); err != nil {
			return err
		}
		off += int64(n)
		if err := fail.Point("workspace.poured"); err != nil {
			return err
		}
	}
	if err := dst.truncate(c.Entry.Size); err != nil {
		return err
	}
	c.out.Reason = putMeta(dst, &c.Entry, before, false)
	if a.o.Durable {
		return dst.sync()
	}
	return nil
}

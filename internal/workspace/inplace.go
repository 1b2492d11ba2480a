package workspace

import (
	"errors"
	"fmt"
	"io"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

// writeInto gives an existing inode its former content, because other paths
// share it. The content is first written to a temporary file, which stays until
// the end: when it is there already, an earlier run was killed half-way, and
// what it left is kept beside before it is completed.
func (a *applier) writeInto(c *act) error {
	d, name, err := a.parent(c.path())
	if err != nil {
		c.skip("%s", a.whyNot(c.path(), err))
		return nil
	}
	temp := tempName(a.id, c.path())
	got, err := observe(&a.own, d, name)
	switch {
	case isNotExist(err):
		c.drift("it is gone")
		return nil
	case err != nil:
		c.drift("%s", whyUnseen(err))
		return nil
	case matches(&c.Entry, &got): // by way of another path of the group, perhaps
		a.alreadyThere(d, name, c, &got)
		return removeTree(d, temp)
	}
	_, begun, _ := expects(&a.own, d, temp, &c.Entry)
	switch {
	case !begun && !matches(&c.Now, &got):
		c.drift("it has changed since")
		return nil
	case begun && !matches(&c.Now, &got):
		err = a.copyBeside(d, name, c)
	case !begun:
		err = a.makePour(d, temp, c)
	}
	if err == nil && !c.settled {
		err = a.pour(d, temp, name, c)
	}
	if err != nil {
		return fmt.Errorf("put %q back: %w", c.path(), err)
	}
	if !c.settled {
		c.end(true, StatusRestored, c.out.Reason)
	}
	return removeTree(d, temp)
}

// makePour writes the content to a temporary file.
func (a *applier) makePour(d *dir, temp string, c *act) error {
	if err := removeTree(d, temp); err != nil {
		return err
	}
	err := a.make(&a.own, d, temp, &node{act: c, unit: &unit{}})
	if isRefused(err) {
		c.skip("it cannot be made: %v", err)
		return nil
	}
	if err == nil && a.o.Durable {
		err = d.syncFS()
	}
	return err
}

// copyBeside keeps a copy of a file that somebody may have written into.
func (a *applier) copyBeside(d *dir, name string, c *act) error {
	src, err := d.open(name, false)
	if err != nil {
		return err
	}
	defer src.close()
	for n := 1; ; n++ {
		beside := besideName(name, a.id, n)
		dst, err := d.create(beside, 0o600)
		if isExist(err) && n < 1000 {
			continue
		}
		if err != nil {
			return err
		}
		defer dst.close()
		where, _ := split(c.path())
		c.out.Beside = join(where, beside)
		return a.transfer(dst, src)
	}
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
	if err := fail.Point("workspace.pour"); err != nil {
		return err
	}
	a.begun = true
	if err := a.transfer(dst, src); err != nil {
		return err
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

// transfer copies a content from its start.
func (a *applier) transfer(dst, src file) error {
	buf := a.own.room(256 << 10)
	for off := int64(0); ; {
		n, err := src.readAt(buf, off)
		if n <= 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		if err := dst.write(buf[:n], off); err != nil {
			return err
		}
		off += int64(n)
		if err := fail.Point("workspace.poured"); err != nil {
			return err
		}
	}
}

package workspace

import (
	"context"
	"errors"
	"io/fs"

	"github.com/counterstep/counterstep/fingerprint"
)

// ReadOptions say how to read what a survey found.
type ReadOptions struct {
	// Sink keeps the contents. With nil they are only hashed.
	Sink Sink
	// Stop is asked before each thing, from several goroutines. What is not
	// read any more has the error as its Trouble.
	Stop func() error
}

// Read completes things that the survey found: link targets, extended
// attributes, holes, and the content of files. A thing that cannot be read, or
// that changes again and again, has a Trouble. What has disappeared becomes
// Absent. Only a failure of the sink, or of ctx, is an error. Things that are
// near each other in the list should be so on the disk.
func (v *View) Read(ctx context.Context, list []*Seen, o ReadOptions) error {
	v.w.o.Sink = o.Sink
	var tasks [][]*Seen
	for len(list) > 0 {
		n := 1
		for n < min(len(list), batch) && list[n].in == list[0].in {
			n++
		}
		tasks = append(tasks, list[:n])
		list = list[n:]
	}
	// The pool takes the last task first.
	for i, j := 0, len(tasks)-1; i < j; i, j = i+1, j-1 {
		tasks[i], tasks[j] = tasks[j], tasks[i]
	}
	space := make([]scratch, v.w.most)
	p := &pool[[]*Seen]{}
	p.do = func(worker int, list []*Seen) error { return v.readList(&space[worker], list, o.Stop) }
	return p.run(ctx, v.w.most, tasks)
}

// readList reads things of one directory.
func (v *View) readList(s *scratch, list []*Seen, stop func() error) error {
	d, err := v.w.reopen(list[0].in)
	if err != nil {
		for _, t := range list {
			t.Trouble = err
		}
		return nil
	}
	if d != list[0].in.base {
		defer d.close()
	}
	for _, t := range list {
		if stop != nil {
			if t.Trouble = stop(); t.Trouble != nil {
				continue
			}
		}
		if err := v.read(s, d, t); err != nil {
			return err
		}
	}
	return nil
}

// read completes one thing.
func (v *View) read(s *scratch, d *dir, t *Seen) error {
	t.Trouble = nil
	var err error
	_, name := split(t.Path)
	switch t.Type {
	case fingerprint.File:
		return v.readFile(s, d, t)
	case fingerprint.Symlink:
		t.Target, err = d.readlink(name, 127)
	case fingerprint.Dir:
		if t.Path == t.in.path {
			name = "."
		}
		t.Xattrs, err = d.xattrs(name)
	default:
		t.Xattrs, err = d.xattrs(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Type = fingerprint.Absent
	case err != nil:
		t.Trouble = &UnreadableError{Path: t.Path, Err: err}
	}
	return nil
}

func (v *View) readFile(s *scratch, d *dir, t *Seen) error {
	f := found{Entry: t.Entry, ctime: t.CTime, blocks: t.blocks}
	err := v.w.readFile(s, d, &f)
	if err != nil && !isTrouble(err) {
		return err
	}
	t.Entry, t.CTime, t.Trouble = f.Entry, f.ctime, err
	if f.dropped {
		t.Type = fingerprint.Absent
	}
	return nil
}

// isTrouble reports whether an error is about what was read, not about the
// sink.
func isTrouble(err error) bool {
	var unreadable *UnreadableError
	var changed *ChangedError
	var mount *MountError
	return errors.As(err, &unreadable) || errors.As(err, &changed) || errors.As(err, &mount)
}

package workspace

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"

	"github.com/counterstep/counterstep/fingerprint"
)

// batch is the most names of one directory that one worker reads in a row.
const batch = 64

// reading is a part of one listing.
type reading struct {
	l    *listing
	list []found
}

// scratch is the memory of one worker.
type scratch struct{ buf []byte }

// room returns n bytes.
func (s *scratch) room(n int64) []byte {
	if int64(len(s.buf)) < n {
		s.buf = make([]byte, max(n, 64<<10, min(2*int64(len(s.buf)), BigFile+1)))
	}
	return s.buf[:n]
}

// readAll reads, hashes and keeps the content of every file that was found.
// Of a hard-link group only the leader is read, the others take it over.
func (w *walker) readAll(ctx context.Context, groups map[*found][]*found) error {
	var tasks []reading
	for _, l := range w.listings {
		for rest := l.list; len(rest) > 0; {
			n := min(batch, len(rest))
			tasks = append(tasks, reading{l, rest[:n]})
			rest = rest[n:]
		}
	}
	space := make([]scratch, w.most)
	p := &pool[reading]{}
	p.do = func(worker int, r reading) error {
		return w.readSome(&space[worker], r, func(f *found) bool { return f.leader == nil })
	}
	if err := p.run(ctx, w.most, tasks); err != nil {
		return err
	}
	alone := false
	for leader, followers := range groups {
		for _, f := range followers {
			if leader.dropped || leader.Dev != f.Dev || leader.Ino != f.Ino {
				f.Group, f.leader, alone = 0, nil, true // no longer the same inode
				continue
			}
			path := f.Path
			f.Entry = leader.Entry
			f.Path = path
		}
	}
	for i := 0; alone && i < len(w.listings); i++ {
		l := w.listings[i]
		again := func(f *found) bool { return f.leader == nil && f.SHA == [32]byte{} && f.XXH == 0 }
		if err := w.readSome(&space[0], reading{l, l.list}, again); err != nil {
			return err
		}
	}
	w.progress(nil)
	return nil
}

// readSome reads the wanted files among some of one directory.
func (w *walker) readSome(s *scratch, r reading, wanted func(*found) bool) (err error) {
	var d *dir
	defer func() {
		if d != nil && d != r.l.base {
			d.close()
		}
	}()
	for i := range r.list {
		f := &r.list[i]
		if f.Type != fingerprint.File || f.dropped || !wanted(f) {
			continue
		}
		if d == nil {
			if d, err = w.reopen(r.l); err != nil {
				return err
			}
		}
		if err := w.readFile(s, d, f); err != nil {
			return err
		}
		w.progress(f)
	}
	return nil
}

// reopen opens the directory of a listing again. It need not be the same one:
// whatever is there now is looked at anew, file by file.
func (w *walker) reopen(l *listing) (*dir, error) {
	if l.rel == "" {
		return l.base, nil
	}
	d, err := l.base.openDir(l.rel, toPass, w.o.OneFS)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &ChangedError{Path: l.path}
	}
	if err != nil {
		return nil, w.unopened(l, err)
	}
	return d, nil
}

// readFile reads one file twice at most.
func (w *walker) readFile(s *scratch, d *dir, f *found) error {
	_, name := split(f.Path)
	for attempt := 0; attempt < 2; attempt++ {
		ok, err := w.tryFile(s, d, name, f, attempt > 0)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			f.gone()
			return nil
		case isMount(err):
			return &MountError{Path: f.Path}
		case isLinkOrFile(err): // it has become a link
			return &ChangedError{Path: f.Path}
		case err != nil || ok:
			return err
		}
	}
	return &ChangedError{Path: f.Path}
}

// gone makes f something that was not found.
func (f *found) gone() {
	if f.root {
		f.Entry = fingerprint.Entry{Path: f.Path, Type: fingerprint.Absent}
		return
	}
	f.dropped = true
}

// tryFile reads a file and reports whether it was the same before and after.
// With again, what is found now counts as before.
func (w *walker) tryFile(s *scratch, d *dir, name string, f *found, again bool) (ok bool, err error) {
	file, err := d.open(name, w.o.OneFS)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || isMount(err) || isLinkOrFile(err) {
			return false, err
		}
		return false, &UnreadableError{Path: f.Path, Err: err}
	}
	h := &held{file: file}
	defer h.close()
	before := f.stat()
	if again {
		if before, err = file.stat(); err != nil {
			return false, &UnreadableError{Path: f.Path, Err: err}
		}
		if before.typ != fingerprint.File {
			return false, nil
		}
		f.set(before)
	}
	if f.Xattrs, err = file.xattrs(); err == nil && f.blocks >= 0 && f.blocks*512 < f.Size {
		f.Extents, err = file.extents(f.Size)
	}
	if err != nil {
		return false, &UnreadableError{Path: f.Path, Err: err}
	}
	same := func() (bool, error) {
		after, err := file.stat()
		if err != nil {
			return false, &UnreadableError{Path: f.Path, Err: err}
		}
		return before.unchanged(after), nil
	}
	if f.Size >= BigFile {
		return w.readBig(s, h, f, same)
	}
	return w.readSmall(s, file, f, same)
}

// readSmall reads a whole file in one piece and hands it on when it stayed the
// same.
func (w *walker) readSmall(s *scratch, file file, f *found, same func() (bool, error)) (bool, error) {
	data := s.room(f.Size + 1) // one more shows the end
	n := 0
	for n < len(data) {
		got, err := file.readAt(data[n:], int64(n))
		if err != nil && !errors.Is(err, io.EOF) {
			return false, &UnreadableError{Path: f.Path, Err: err}
		}
		n += max(got, 0)
		if got <= 0 || int64(n) == f.Size {
			break // a read that ends short of its buffer has seen the end
		}
	}
	if int64(n) != f.Size {
		return false, nil
	}
	if ok, err := same(); !ok {
		return false, err
	}
	data = data[:n]
	f.XXH = fingerprint.ContentOf(data)
	if w.o.Sink == nil {
		if !w.o.NoSHA {
			f.SHA = sha256.Sum256(data)
		}
		return true, nil
	}
	f.SHA = sha256.Sum256(data)
	w.keepMu.Lock()
	defer w.keepMu.Unlock()
	return true, w.o.Sink.Small(&f.Entry, data)
}

// readBig lets the sink read a file, or hashes it.
func (w *walker) readBig(s *scratch, h *held, f *found, same func() (bool, error)) (bool, error) {
	var err error
	switch size := f.Size; {
	case w.o.Sink == nil:
		err = hashFile(s, h.file, &f.Entry, !w.o.NoSHA)
	default:
		w.keepMu.Lock()
		err = w.o.Sink.Big(&f.Entry, h.osFile(f.Path))
		w.keepMu.Unlock()
		if err == nil && f.Size != size {
			return false, nil
		}
	}
	if err != nil {
		return false, err
	}
	return same()
}

// hashFile hashes a content without keeping it.
func hashFile(s *scratch, file file, e *fingerprint.Entry, withSHA bool) error {
	var xxh fingerprint.Hasher
	sha := sha256.New()
	buf := s.room(256 << 10)
	for off := int64(0); ; {
		n, err := file.readAt(buf, off)
		if n > 0 {
			xxh.Write(buf[:n])
			if withSHA {
				sha.Write(buf[:n])
			}
			off += int64(n)
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return &UnreadableError{Path: e.Path, Err: err}
		}
		break
	}
	e.XXH = xxh.Sum()
	if withSHA {
		sha.Sum(e.SHA[:0])
	}
	return nil
}

// progress counts a file and tells now and then; nil tells the final count.
func (w *walker) progress(f *found) {
	if w.o.Progress == nil {
		return
	}
	w.keepMu.Lock()
	defer w.keepMu.Unlock()
	if f != nil {
		w.done.files++
		w.done.bytes += f.Size
	}
	if f == nil || w.done.files%64 == 0 {
		w.o.Progress(w.done.files, w.done.bytes)
	}
}

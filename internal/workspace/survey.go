package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/counterstep/counterstep/fingerprint"
)

// Seen is a thing that a survey found without opening it.
type Seen struct {
	// Entry holds what a look at the directory tells. Link targets, extended
	// attributes, holes and hashes are missing until the thing is read.
	fingerprint.Entry
	// CTime is when the inode changed last, in nanoseconds. No program can set
	// it; 0 where the system does not say.
	CTime int64
	// Trouble is why a directory was not entered or a thing could not be read.
	Trouble error

	blocks int64
	in     *listing
}

// SurveyOptions say what to look at.
type SurveyOptions struct {
	// Leave is asked before a directory below a root is entered, from several
	// goroutines. An error becomes the directory's Trouble; then only its path
	// is known.
	Leave func(path string) error
	// Workers is as in [Options].
	Workers int
}

// View is what a survey found. It keeps directories open until it is closed.
type View struct {
	w     *walker
	o     SurveyOptions
	mu    sync.Mutex
	lists []*surveyed
}

// surveyed is one directory and what is in it.
type surveyed struct {
	listing
	seen []Seen
}

// Survey looks at everything at and below the roots without opening a file.
// It enters no mount point. What cannot be entered has a Trouble and is no
// failure; only a root that cannot be opened is. A root that does not exist
// is left out, and one that lies below another is looked at once.
func Survey(ctx context.Context, roots []string, o SurveyOptions) (*View, error) {
	v := &View{o: o, w: &walker{o: Options{OneFS: true}, most: workers(o.Workers)}}
	for _, r := range slices.Sorted(slices.Values(roots)) { // what lies above comes first
		if v.holds(r) {
			continue
		}
		if err := v.root(ctx, r); err != nil {
			v.Close()
			return nil, err
		}
	}
	return v, nil
}

// Close lets go of the directories.
func (v *View) Close() { v.w.close() }

// Each calls f with everything that was found, in no particular order.
func (v *View) Each(f func(*Seen)) {
	for _, l := range v.lists {
		for i := range l.seen {
			f(&l.seen[i])
		}
	}
}

// holds reports whether a path was found already, by the roots before.
func (v *View) holds(path string) (found bool) {
	v.Each(func(s *Seen) { found = found || s.Path == path && s.Trouble == nil })
	return found
}

func (v *View) root(ctx context.Context, path string) error {
	if err := checkRoot(path); err != nil {
		return err
	}
	where, name := split(path)
	if name == "" {
		name = "."
	}
	parent, err := openRoot(where, toPass)
	if err != nil {
		gone, err := v.w.missing(path, where, err)
		if gone {
			return nil
		}
		return err
	}
	v.w.bases = append(v.w.bases, parent)
	st, err := parent.lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &UnreadableError{Path: path, Err: err}
	case st.typ != fingerprint.Dir:
		l := &surveyed{listing: listing{base: parent, path: where}}
		l.seen = []Seen{l.see(path, st)}
		v.lists = append(v.lists, l)
		return nil
	}
	d, err := openRoot(path, toList)
	if err != nil {
		return v.w.unopened(&listing{path: path}, err)
	}
	v.w.bases = append(v.w.bases, d)
	return v.tree(ctx, &surveyed{listing: listing{base: d, path: path}})
}

// tree looks at a directory and everything below it.
func (v *View) tree(ctx context.Context, top *surveyed) error {
	desks := make([]desk, v.w.most)
	p := &pool[*surveyed]{}
	p.do = func(worker int, l *surveyed) error {
		v.look(l, &desks[worker], p.push)
		v.mu.Lock()
		v.lists = append(v.lists, l)
		v.mu.Unlock()
		return nil
	}
	return p.run(ctx, v.w.most, []*surveyed{top})
}

// desk is the memory of one worker.
type desk struct {
	buf   []byte
	names []dirent
}

// list is everything in a directory.
func (k *desk) list(d *dir) ([]dirent, error) {
	if k.buf == nil {
		k.buf = make([]byte, 16<<10)
	}
	k.names = k.names[:0]
	err := d.list(k.buf, func(e dirent) error {
		k.names = append(k.names, e)
		return nil
	})
	return k.names, err
}

// look lists one directory. The directory itself comes first.
func (v *View) look(l *surveyed, k *desk, push func(*surveyed)) {
	d := l.base
	if l.rel != "" {
		var err error
		if d, err = l.base.openDir(l.rel, toList, true); err != nil {
			v.closed(l, v.w.unopened(&l.listing, err))
			return
		}
		defer d.close()
	}
	st, err := d.stat()
	if err != nil {
		v.closed(l, &UnreadableError{Path: l.path, Err: err})
		return
	}
	names, err := k.list(d)
	l.seen = make([]Seen, 0, 1+len(names))
	l.seen = append(l.seen, l.see(l.path, st))
	for i := 0; i < len(names) && err == nil; i++ {
		err = v.name(l, d, names[i], push)
	}
	if err != nil {
		l.seen[0].Trouble = &UnreadableError{Path: l.path, Err: err}
	}
}

// closed notes a directory that could not be opened; with no error it is gone.
func (v *View) closed(l *surveyed, why error) {
	if why == nil {
		return
	}
	l.seen = append(l.seen, l.left(l.path, why))
}

// left is a directory that was not entered. Nothing else is said about it.
func (l *surveyed) left(path string, why error) Seen {
	return Seen{Entry: fingerprint.Entry{Path: path, Type: fingerprint.Dir}, Trouble: why, in: &l.listing}
}

func (l *surveyed) see(path string, st stat) Seen {
	return Seen{Entry: st.entry(path), CTime: st.ctime, blocks: st.blocks, in: &l.listing}
}

// name takes up one name of a directory.
func (v *View) name(l *surveyed, d *dir, e dirent, push func(*surveyed)) error {
	path := join(l.path, e.name)
	var st stat
	if e.typ != fingerprint.Dir {
		var err error
		st, err = d.lstat(e.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("look at %q: %w", e.name, err)
		}
		if st.typ != fingerprint.Dir {
			l.seen = append(l.seen, l.see(path, st))
			return nil
		}
	}
	if v.o.Leave != nil {
		if why := v.o.Leave(path); why != nil {
			l.seen = append(l.seen, l.left(path, why))
			return nil
		}
	}
	rel := e.name
	if l.rel != "" {
		rel = l.rel + "/" + e.name
	}
	push(&surveyed{listing: listing{base: l.base, rel: rel, path: path}})
	return nil
}

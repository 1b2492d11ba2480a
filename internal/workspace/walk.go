package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"

	"github.com/counterstep/counterstep/fingerprint"
)

// walk finds everything at and below the roots without opening a file.
func (w *walker) walk(ctx context.Context, roots []Root) error {
	var trees []*listing
	for _, r := range w.uncovered(roots) {
		l, err := w.root(r)
		if err != nil {
			return err
		}
		if l != nil {
			trees = append(trees, l)
		}
	}
	bufs := make([][]byte, w.most)
	var count atomic.Int64
	p := &pool[*listing]{}
	p.do = func(worker int, l *listing) error {
		if bufs[worker] == nil {
			bufs[worker] = make([]byte, 16<<10)
		}
		if err := w.look(l, bufs[worker], p.push); err != nil {
			return err
		}
		n := int(count.Add(int64(len(l.list))))
		if limit := w.o.Limit; limit.Files > 0 && n > 2*limit.Files {
			return &LimitError{Files: n, Limit: limit}
		}
		return nil
	}
	return p.run(ctx, w.most, trees)
}

// uncovered makes single paths of trees that another root holds anyway. They
// are still looked at, since they may not exist; duplicates are dropped later.
func (w *walker) uncovered(roots []Root) []Root {
	if w.o.Skip != nil || len(roots) > 64 {
		return roots
	}
	out := slices.Clone(roots)
	for i := range out {
		for j, o := range roots {
			if i != j && o.Tree && isUnder(out[i].Path, o.Path) && (out[i].Path != o.Path || j < i) {
				out[i].Tree = false
			}
		}
	}
	return out
}

// root looks at a root itself. It returns a listing to fill when it is a tree.
func (w *walker) root(r Root) (*listing, error) {
	if err := checkRoot(r.Path); err != nil {
		return nil, err
	}
	if w.skip(r.Path) {
		return nil, nil
	}
	where, name := split(r.Path)
	if name == "" {
		name = "."
	}
	parent, err := openRoot(where, toPass)
	if err != nil {
		if gone, err := w.missing(r.Path, where, err); !gone {
			return nil, err
		}
		w.addAbsent(r.Path)
		return nil, nil
	}
	w.bases = append(w.bases, parent)
	st, err := parent.lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.addAbsent(r.Path)
		return nil, nil
	case err != nil:
		return nil, &UnreadableError{Path: r.Path, Err: err}
	case st.typ == fingerprint.Dir && r.Tree:
		return w.rootDir(r.Path)
	}
	f, err := w.entryAt(parent, r.Path, name, st)
	if err != nil {
		return nil, err
	}
	f.root = true
	w.listings = append(w.listings, &listing{base: parent, path: where, list: []found{f}})
	return nil, nil
}

// missing says whether a parent that could not be opened is simply not there.
// A regular file in its place counts as that; a link does not.
func (w *walker) missing(path, where string, err error) (bool, error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case !isLinkOrFile(err):
		return false, &UnreadableError{Path: path, Err: err}
	}
	at, typ := obstacle(where)
	if typ == fingerprint.Symlink || typ == fingerprint.Dir {
		return false, &MovedError{Path: path, At: at}
	}
	return true, nil
}

// obstacle is the first element of a path that is not a directory.
func obstacle(path string) (at string, typ fingerprint.Type) {
	for end := 1; end <= len(path); end++ {
		if end < len(path) && path[end] != '/' {
			continue
		}
		where, name := split(path[:end])
		d, err := openRoot(where, toPass)
		if err != nil {
			return where, fingerprint.Dir
		}
		st, err := d.lstat(name)
		d.close()
		if err != nil || st.typ != fingerprint.Dir {
			return path[:end], st.typ
		}
	}
	return path, fingerprint.Dir
}

func (w *walker) addAbsent(path string) {
	w.listings = append(w.listings, &listing{list: []found{{
		Entry: fingerprint.Entry{Path: path, Type: fingerprint.Absent}, root: true,
	}}})
}

// rootDir starts the listing of a directory that is the root of a tree.
func (w *walker) rootDir(path string) (*listing, error) {
	d, err := openRoot(path, toList)
	if err != nil {
		return nil, w.unopened(&listing{path: path}, err)
	}
	w.bases = append(w.bases, d)
	return &listing{base: d, path: path}, nil
}

// self is the entry of an open directory.
func (w *walker) self(l *listing, d *dir) (found, error) {
	st, err := d.stat()
	if err != nil {
		return found{}, &UnreadableError{Path: l.path, Err: err}
	}
	f := found{Entry: st.entry(l.path), ctime: st.ctime, blocks: st.blocks}
	if !w.o.StatOnly {
		f.Xattrs, err = d.selfXattrs()
	}
	if err != nil {
		return found{}, &UnreadableError{Path: l.path, Err: err}
	}
	return f, nil
}

// look lists one directory and pushes those in it.
func (w *walker) look(l *listing, buf []byte, push func(*listing)) error {
	d := l.base
	if l.rel != "" {
		var err error
		d, err = l.base.openDir(l.rel, toList, w.o.OneFS)
		if err != nil {
			return w.unopened(l, err)
		}
		defer d.close()
	}
	self, err := w.self(l, d)
	if err != nil {
		return err
	}
	l.list = append(l.list, self)
	err = d.list(buf, func(e dirent) error { return w.name(l, d, e, push) })
	var typed *UnreadableError
	if err != nil && !errors.As(err, &typed) {
		err = &UnreadableError{Path: l.path, Err: err}
	}
	w.mu.Lock()
	w.listings = append(w.listings, l)
	w.mu.Unlock()
	return err
}

// unopened explains why a directory that was listed cannot be opened.
func (w *walker) unopened(l *listing, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // gone meanwhile
	case isMount(err):
		return &MountError{Path: l.path}
	case isLinkOrFile(err):
		return &ChangedError{Path: l.path}
	}
	return &UnreadableError{Path: l.path, Err: err}
}

// name takes up one name of a directory.
func (w *walker) name(l *listing, d *dir, e dirent, push func(*listing)) error {
	path := join(l.path, e.name)
	if w.skip(path) {
		return nil
	}
	var st stat
	if e.typ != fingerprint.Dir {
		var err error
		st, err = d.lstat(e.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return &UnreadableError{Path: path, Err: err}
		}
		e.typ = st.typ
	}
	if e.typ == fingerprint.Dir {
		rel := e.name
		if l.rel != "" {
			rel = l.rel + "/" + e.name
		}
		push(&listing{base: l.base, rel: rel, path: path})
		return nil
	}
	f, err := w.entryAt(d, path, e.name, st)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	l.list = append(l.list, f)
	return nil
}

// entryAt is what can be said of a thing without opening it.
func (w *walker) entryAt(d *dir, path, name string, st stat) (f found, err error) {
	f = found{Entry: st.entry(path), ctime: st.ctime, blocks: st.blocks}
	switch st.typ {
	case fingerprint.File:
		return f, nil
	case fingerprint.Symlink:
		f.Target, err = d.readlink(name, st.size)
	default:
		if !w.o.StatOnly {
			f.Xattrs, err = d.xattrs(name)
		}
	}
	if err != nil {
		err = &UnreadableError{Path: path, Err: fmt.Errorf("look: %w", err)}
	}
	return f, err
}

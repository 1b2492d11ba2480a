package shelloracle

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Entry is one thing in a fixture.
type Entry struct {
	// Type is 'f' file, 'd' directory, 'l' symbolic link, 'h' another name for
	// the file Target.
	Type   byte
	Mode   fs.FileMode
	Data   string
	Target string
}

// Fixture is a tree of files by absolute path. Parents are implied. Everything
// below Roots belongs to it: what else appears there is new.
type Fixture struct {
	Roots   []string
	Entries map[string]Entry
}

// then is when everything in a fixture was last changed.
func then() time.Time { return time.Unix(1_700_000_000, 0) }

// withParents adds the directories that are implied.
func (f Fixture) withParents() Fixture {
	all := map[string]Entry{}
	for path, e := range f.Entries {
		all[path] = e
		for dir := filepath.Dir(path); f.below(dir); dir = filepath.Dir(dir) {
			if _, named := f.Entries[dir]; !named {
				all[dir] = Entry{Type: 'd'}
			}
		}
	}
	return Fixture{Roots: f.Roots, Entries: all}
}

// below reports whether path lies strictly below a root.
func (f Fixture) below(path string) bool {
	return slices.ContainsFunc(f.Roots, func(root string) bool { return strings.HasPrefix(path, root+"/") })
}

// paths lists the entries, parents first.
func (f Fixture) paths() []string {
	var list []string
	for p := range f.Entries {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

// build makes the tree from nothing.
func (f Fixture) build() error {
	for _, root := range f.Roots {
		if err := empty(root); err != nil {
			return err
		}
	}
	var links []string
	for _, path := range f.paths() {
		e := f.Entries[path]
		if e.Type == 'h' {
			links = append(links, path)
			continue
		}
		if err := put(path, e); err != nil {
			return err
		}
	}
	for _, path := range links {
		if err := os.Link(f.Entries[path].Target, path); err != nil {
			return err
		}
	}
	return nil
}

// put makes one entry.
func put(path string, e Entry) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	switch e.Type {
	case 'd':
		return os.MkdirAll(path, 0o755)
	case 'l':
		return os.Symlink(e.Target, path)
	}
	if err := os.WriteFile(path, []byte(e.Data), 0o644); err != nil {
		return err
	}
	if err := os.Chmod(path, e.mode()); err != nil {
		return err
	}
	return os.Chtimes(path, then(), then())
}

func (e Entry) mode() fs.FileMode {
	switch {
	case e.Mode != 0:
		return e.Mode
	case e.Type == 'd':
		return 0o755
	}
	return 0o644
}

// empty removes everything below root, also what has been made unreadable.
func empty(root string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(root, 0o755); err != nil {
		return err
	}
	list, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, d := range list {
		if err := remove(filepath.Join(root, d.Name())); err != nil {
			return err
		}
	}
	return nil
}

// remove is os.RemoveAll that opens what is closed.
func remove(path string) error {
	if os.RemoveAll(path) == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// compare says what is not as in the fixture, in the order of the paths, and
// the metadata of directories only as far as their mode goes.
func (f Fixture) compare() ([]Change, error) {
	var changes []Change
	for _, path := range f.paths() {
		if w := f.differs(path); w != "" {
			changes = append(changes, Change{w, path})
		}
	}
	for _, root := range f.Roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if d == nil {
				return nil
			}
			if _, known := f.Entries[path]; !known && path != root {
				changes = append(changes, Change{New, path})
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", root, err)
		}
	}
	return changes, nil
}

// differs says how the thing at path is not the one of the fixture.
func (f Fixture) differs(path string) What {
	want := f.Entries[path]
	if want.Type == 'h' {
		target := want.Target
		want = f.Entries[target]
	}
	info, err := os.Lstat(path)
	if err != nil {
		return Gone
	}
	if info.IsDir() && want.Type == 'd' && info.Mode().Perm() != want.mode() {
		_ = os.Chmod(path, 0o755) // or what is below could not be looked at
	}
	switch mode := info.Mode(); {
	case want.Type == 'd' && !mode.IsDir(), want.Type == 'f' && !mode.IsRegular(), want.Type == 'l' && mode&fs.ModeSymlink == 0:
		return Content
	case want.Type == 'l':
		if target, err := os.Readlink(path); err != nil || target != want.Target {
			return Content
		}
		return ""
	case want.Type == 'f':
		if sameBytes(path, info, want.Data) {
			break
		}
		return Content
	}
	if info.Mode().Perm() != want.mode() || want.Type == 'f' && !info.ModTime().Equal(then()) {
		return Meta
	}
	return ""
}

// sameBytes reports whether the file holds data; a closed file is opened first.
func sameBytes(path string, info fs.FileInfo, data string) bool {
	if info.Size() != int64(len(data)) {
		return false
	}
	got, err := os.ReadFile(path)
	if err != nil {
		_ = os.Chmod(path, 0o600)
		got, err = os.ReadFile(path)
		_ = os.Chmod(path, info.Mode().Perm())
	}
	return err == nil && string(got) == data
}

// mend makes the tree whole again after changes.
func (f Fixture) mend(changes []Change) error {
	for _, c := range changes {
		if c.What != New {
			return f.build()
		}
	}
	for _, c := range changes {
		if err := remove(c.Path); err != nil {
			return err
		}
	}
	return nil
}

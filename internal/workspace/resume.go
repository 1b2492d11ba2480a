package workspace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
)

// IsTemp reports whether a path is one of the temporaries of an Apply with
// this id.
func IsTemp(path, id string) bool {
	_, name := split(path)
	return strings.HasPrefix(name, tempPrefix+id+"-")
}

// Resume settles what an Apply with this id, which was killed or stopped
// half-way, had taken out of its place. want is the state that it was to reach,
// was the state that it began with; both hold what the scope has, sorted by
// path. It goes back to its place. When that is taken and it equals what is in
// either state, it is removed, since it is held or in place; anything else goes
// beside.
//
// It returns the paths of files that the Apply was writing into. Their content
// may be neither the one nor the other; Apply itself completes them.
func (d *Door) Resume(id string, want, was []fingerprint.Entry) (writing []string, err error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	a := &applier{door: d, id: id}
	defer a.close()
	acts := map[string]*act{}
	for _, e := range want {
		c := &act{out: &Outcome{Path: e.Path}}
		c.Entry, c.Now = e, fingerprint.Entry{Path: e.Path, Type: fingerprint.Absent}
		acts[e.Path] = c
	}
	for _, e := range was {
		if acts[e.Path] == nil {
			acts[e.Path] = &act{out: &Outcome{Path: e.Path}}
			acts[e.Path].Entry = fingerprint.Entry{Path: e.Path, Type: fingerprint.Absent}
		}
		acts[e.Path].Now = e
	}
	paths := make([]string, 0, len(acts))
	for p := range acts {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		begun, rerr := a.resume(acts[p])
		if rerr != nil {
			err = errors.Join(err, fmt.Errorf("settle what was taken out of %q: %w", p, rerr))
		}
		if begun {
			writing = append(writing, p)
		}
	}
	return writing, err
}

// resume settles one path and reports whether its inode was being written.
func (a *applier) resume(c *act) (writing bool, err error) {
	d, name, err := a.parent(c.path())
	if isNotExist(err) || isLinkOrFile(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	temp := tempName(a.id, c.path())
	out := temp + outSuffix
	if _, err := d.lstat(out); err == nil {
		if err := a.giveBack(d, name, out, c); err != nil {
			return false, err
		}
	}
	if c.Entry.Type != fingerprint.File || c.Now.Type != fingerprint.File || c.Now.Links < 2 {
		return false, nil
	}
	_, writing, _ = expects(&a.own, d, temp, &c.Entry)
	return writing, nil
}

// giveBack is settleOut for a thing whose place may be empty.
func (a *applier) giveBack(d *dir, name, out string, c *act) error {
	if err := d.rename(out, d, name); err == nil || !isExist(err) && !isNotEmpty(err) {
		return err
	}
	if _, ok, _ := expects(&a.own, d, out, &c.Entry); ok && c.Entry.Type != fingerprint.Absent {
		return removeTree(d, out)
	}
	if c.Now.Type != fingerprint.Absent && a.dispose(d, out, &c.Now) == "" {
		return nil
	}
	return a.rescue(d, out, name, c)
}

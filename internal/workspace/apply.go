package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

// Opener gives the content of an entry.
type Opener = func(fingerprint.Entry) (io.ReadCloser, error)

// Apply carries out the actions and returns one outcome for each, in the same
// order. Contents come from open, which is called from several goroutines; the
// reader it returns must give exactly the content of the entry or an error.
//
// Everything that is to be put somewhere is built first, next to its place,
// under names that begin with .counterstep-ID-. When that fails (a read error,
// a full disk) an error is returned and nothing was changed. Then things are
// swapped in one by one; what comes out is looked at, and when it is not what
// the action expects, or somebody has it open for writing, it is put back.
// Directories get their modes and times last, the deepest first.
//
// An error later on ends Apply and wraps ErrPartial; the outcomes say how far it
// came. Killed at any
// point, it can be called again with the same id and the same actions, and
// ends where it would have ended. With newly computed actions it does so too,
// but something that was already taken out may be kept beside its path, or be
// named by [Door.CleanTemps], since only the former actions knew it. No promise
// is made about actions that contradict each other.
//
// id is part of file names: letters, digits, '-' and '_' only.
func (d *Door) Apply(ctx context.Context, id string, actions []Action, open Opener, o ApplyOptions) ([]Outcome, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	a := &applier{door: d, id: id, open: open, o: o, most: workers(o.Workers)}
	a.uid, a.gid = me()
	defer a.close()
	out, err := a.load(actions)
	if err != nil {
		return nil, err
	}
	if err = a.run(ctx); err != nil && a.begun {
		err = fmt.Errorf("%w: %w", ErrPartial, err)
	}
	return out, err
}

// ErrPartial says that an Apply ended after it may have changed something.
var ErrPartial = errors.New("stopped half-way")

// act is one action on its way.
type act struct {
	Action
	out  *Outcome
	node *node // of a Put or Beside that is built
	// settled says that the outcome is known.
	settled bool
}

func (a *act) end(done bool, status, reason string) {
	a.out.Done, a.out.Status, a.out.Reason, a.settled = done, status, reason, true
}

func (a *act) skip(format string, args ...any) {
	a.end(false, StatusSkipped, fmt.Sprintf(format, args...))
}

func (a *act) drift(format string, args ...any) {
	a.end(false, StatusDrifted, fmt.Sprintf(format, args...))
}

// path is where the action ends.
func (a *act) path() string { return a.Entry.Path }

// applier carries the actions of one Apply through its steps.
type applier struct {
	door     *Door
	id       string
	open     Opener
	o        ApplyOptions
	most     int
	uid, gid uint32

	acts   []*act // sorted by path
	byPath map[string]*act
	nodes  map[string]*node // directories that are built
	units  []*unit          // in the order of their paths
	groups map[int]*group
	dirs   []*standing // existing directories among the actions
	own    scratch     // of the calling goroutine
	early  *early
	begun  bool // something may have been changed

	cached struct { // the directory that was opened last
		path string
		dir  *dir
	}
	touched map[string]bool // directories whose names changed

	mu    sync.Mutex
	files int
	bytes int64
}

// load sorts the actions and refuses what cannot be meant.
func (a *applier) load(actions []Action) ([]Outcome, error) {
	out := make([]Outcome, len(actions))
	a.byPath = make(map[string]*act, len(actions))
	a.nodes, a.groups, a.touched = map[string]*node{}, map[int]*group{}, map[string]bool{}
	for i, action := range actions {
		path := action.Entry.Path
		if !isClean(path) || path == "/" || action.Op == Rename && (!isClean(action.From) || action.From == "/") {
			return nil, fmt.Errorf("apply: path %q is not absolute and clean", path)
		}
		if a.byPath[path] != nil {
			return nil, fmt.Errorf("apply: two actions for %q", path)
		}
		out[i].Path = path
		c := &act{Action: action, out: &out[i]}
		if c.Now.Type == 0 {
			c.Now.Type = fingerprint.Absent
		}
		if c.Op == Put && c.Entry.Type == fingerprint.Absent {
			c.Op = Remove
		}
		a.byPath[path] = c
		a.acts = append(a.acts, c)
	}
	slices.SortFunc(a.acts, func(x, y *act) int { return strings.Compare(x.path(), y.path()) })
	return out, nil
}

// run is the order of the steps.
func (a *applier) run(ctx context.Context) (err error) {
	defer func() {
		err = errors.Join(err, a.discard())
		a.lock() // whatever happens, no directory stays open wider than it was
		for _, c := range a.acts {
			if !c.settled {
				c.skip("not reached")
			}
		}
	}()
	a.plan()
	if err := fail.Point("workspace.build"); err != nil {
		return err
	}
	if err := a.build(ctx); err != nil {
		return err
	}
	if err := a.sync(); err != nil {
		return err
	}
	if err := a.change(ctx); err != nil {
		return err
	}
	a.finish()
	a.report(0, true)
	return a.syncDirs()
}

// change is everything that is seen from outside.
func (a *applier) change(ctx context.Context) error {
	later, err := a.removeAll(ctx)
	if err != nil {
		return err
	}
	for _, c := range a.acts {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case c.settled:
		case c.Op == Rename:
			err = a.rename(c)
		case c.Op == Put && c.InPlace && c.node == nil:
			err = a.writeInto(c)
		case c.node != nil && c.node.unit.root == c.node:
			err = a.place(ctx, c.node.unit)
		}
		if err != nil {
			return err
		}
	}
	for _, c := range later {
		if err := a.remove(c, true); err != nil {
			return err
		}
	}
	return nil
}

// report counts written files and tells now and then.
func (a *applier) report(bytes int64, last bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !last {
		a.files++
		a.bytes += bytes
		a.early.written(a.files)
	}
	if a.o.Progress != nil && (last || a.files%64 == 0) {
		a.o.Progress(a.files, a.bytes)
	}
}

// real is where a path lies behind the door.
func (a *applier) real(path string) string {
	switch {
	case a.door.base == "":
		return path
	case path == "/":
		return a.door.base
	}
	return a.door.base + path
}

// parent opens the directory of a path. It stays open until the next call.
func (a *applier) parent(path string) (*dir, string, error) {
	where, name := split(path)
	if a.cached.dir != nil && a.cached.path == where {
		return a.cached.dir, name, nil
	}
	d, err := openRoot(a.real(where), toPass)
	if err != nil {
		return nil, name, err
	}
	a.close()
	a.cached.path, a.cached.dir = where, d
	return d, name, nil
}

// close gives the cached directory up.
func (a *applier) close() {
	if a.cached.dir != nil {
		a.cached.dir.close()
		a.cached.dir = nil
	}
}

// whyNot says why a parent directory could not be opened.
func (a *applier) whyNot(path string, err error) string {
	where, _ := split(path)
	switch {
	case isNotExist(err):
		return fmt.Sprintf("its folder %q is missing", where)
	case isLinkOrFile(err):
		at, _ := obstacle(a.real(where))
		return fmt.Sprintf("%q is no longer a folder but a link or another thing", strings.TrimPrefix(at, a.door.base))
	}
	return fmt.Sprintf("its folder %q cannot be entered: %v", where, err)
}

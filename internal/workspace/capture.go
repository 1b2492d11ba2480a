package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/counterstep/counterstep/fingerprint"
)

// Capture records the state of the roots, sorted by path and without
// duplicates. A root that does not exist gives an Absent entry.
//
// What was read is what was there: a file that changes while it is read is
// read once more, and if it changes again the capture ends with a
// [*ChangedError]. A thing that disappears between the walk and the reading is
// left out as if the walk had come later; nothing else is, but what Skip says.
// No promise is made about files that change after they were read.
func Capture(ctx context.Context, roots []Root, o Options) ([]fingerprint.Entry, error) {
	w := &walker{o: o, most: workers(o.Workers)}
	defer w.close()
	if err := w.walk(ctx, roots); err != nil {
		return nil, err
	}
	groups := w.groups(len(roots) > 1)
	if err := w.checkLimit(); err != nil {
		return nil, err
	}
	if !o.StatOnly {
		if err := w.readAll(ctx, groups); err != nil {
			return nil, err
		}
	}
	return w.entries(), nil
}

// Scan records the trees at paths without keeping contents. Paths that do not
// exist give Absent entries.
func Scan(ctx context.Context, paths ...string) ([]fingerprint.Entry, error) {
	roots := make([]Root, len(paths))
	for i, p := range paths {
		roots[i] = Root{Path: p, Tree: true}
	}
	return Capture(ctx, roots, Options{})
}

// found is an entry while it is being captured.
type found struct {
	fingerprint.Entry
	ctime, blocks int64
	leader        *found // the path of the same inode that is read in its place
	dropped       bool   // a duplicate, or gone by the time it was read
	root          bool
}

// listing is what was found in one directory.
type listing struct {
	base *dir   // an open directory
	rel  string // this directory below base; "" for base itself
	path string
	list []found
}

// walker finds everything, then reads it.
type walker struct {
	o    Options
	most int

	mu       sync.Mutex // guards the fields below
	listings []*listing
	bases    []*dir

	skipMu sync.Mutex // one Skip at a time
	keepMu sync.Mutex // one Sink or Progress call at a time
	done   struct {
		files int
		bytes int64
	}
}

func (w *walker) close() {
	for _, d := range w.bases {
		d.close()
	}
}

func (w *walker) skip(path string) bool {
	if w.o.Skip == nil {
		return false
	}
	w.skipMu.Lock()
	defer w.skipMu.Unlock()
	_, skip := w.o.Skip(path)
	return skip
}

// entries is the sorted result.
func (w *walker) entries() []fingerprint.Entry {
	var all []*found
	for _, l := range w.listings {
		for i := range l.list {
			if f := &l.list[i]; !f.dropped {
				all = append(all, f)
			}
		}
	}
	slices.SortFunc(all, func(a, b *found) int { return strings.Compare(a.Path, b.Path) })
	out := make([]fingerprint.Entry, len(all))
	for i, f := range all {
		out[i] = f.Entry
	}
	return out
}

// groups numbers the hard-link groups and names the path of each that is read.
// With overlap the same path may have been found twice; one is dropped.
func (w *walker) groups(overlap bool) map[*found][]*found {
	seen := map[string]bool{}
	type inode struct{ dev, ino uint64 }
	linked := map[inode][]*found{}
	for _, l := range w.listings {
		for i := range l.list {
			f := &l.list[i]
			if overlap {
				if seen[f.Path] {
					f.dropped = true
					continue
				}
				seen[f.Path] = true
			}
			if f.Links > 1 && f.Type != fingerprint.Dir {
				linked[inode{f.Dev, f.Ino}] = append(linked[inode{f.Dev, f.Ino}], f)
			}
		}
	}
	var lists [][]*found
	for _, list := range linked {
		if len(list) > 1 {
			slices.SortFunc(list, func(a, b *found) int { return strings.Compare(a.Path, b.Path) })
			lists = append(lists, list)
		}
	}
	slices.SortFunc(lists, func(a, b []*found) int { return strings.Compare(a[0].Path, b[0].Path) })
	followers := map[*found][]*found{}
	for n, list := range lists {
		for _, f := range list {
			f.Group = n + 1
		}
		for _, f := range list[1:] {
			f.leader = list[0]
		}
		followers[list[0]] = list[1:]
	}
	return followers
}

// checkLimit compares what the walk found with the limits.
func (w *walker) checkLimit() error {
	limit := w.o.Limit
	files, bytes := 0, int64(0)
	for _, l := range w.listings {
		for i := range l.list {
			if f := &l.list[i]; !f.dropped && f.Type != fingerprint.Absent {
				files++
				if f.leader == nil {
					bytes += f.onDisk()
				}
			}
		}
	}
	if limit.Files > 0 && files > limit.Files || limit.Bytes > 0 && bytes > limit.Bytes {
		return &LimitError{Files: files, Bytes: bytes, Limit: limit}
	}
	return nil
}

// onDisk is the size of the content without its holes.
func (f *found) onDisk() int64 {
	if f.blocks >= 0 {
		return min(f.Size, f.blocks*512)
	}
	return f.Size
}

// checkRoot refuses paths that cannot be taken apart at their slashes.
func checkRoot(path string) error {
	if !isClean(path) {
		return fmt.Errorf("path %q is not absolute and clean", path)
	}
	return nil
}

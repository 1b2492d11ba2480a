// Package checkpoint keeps named points to which a workspace can be rewound.
//
// A checkpoint is the state of every file of the workspace that is not
// excluded, whatever git thinks of it, together with the contents. Contents
// are shared between checkpoints, and what did not change since the last one is
// neither opened nor kept again. docs/format/checkpoint-v1.md is the format,
// and says what becomes of links, nested repositories and other special cases.
package checkpoint

import (
	"path/filepath"
	"sync"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/store"
)

// Set holds the checkpoints of one workspace. Its methods may be used by
// several goroutines and processes at once: Take and Collect exclude each
// other, readers wait for nobody.
type Set struct {
	dir, cache, index, lock string

	mu       sync.Mutex
	verified map[[32]byte]place // contents whose bytes this process has checked
}

// In is the set that a store holds.
func In(s *store.Store) *Set {
	return &Set{
		dir:      s.CheckpointDir(),
		cache:    filepath.Join(s.CacheDir(), "stat"),
		index:    filepath.Join(s.IndexDir(), "checkpoints"),
		lock:     filepath.Join(s.CheckpointDir(), "lock"),
		verified: map[[32]byte]place{},
	}
}

// Info is what is known of a checkpoint without loading it.
type Info struct {
	ID string
	// Time is when the state was seen first.
	Time time.Time
	// State identifies the state: two checkpoints of a set never have the same.
	State [32]byte
	// Partial says that something that should have been held is not.
	Partial bool
	// Files is the number of files whose content is held, Bytes their size.
	Files int
	Bytes int64
}

// Checkpoint is the state of a workspace at one moment. It must be closed.
type Checkpoint struct {
	Info
	// Roots are the directories that were looked at, the workspace first.
	Roots []string
	// Rules say in words what was left out.
	Rules []string
	// Found says that Take met a state that was held already; ID and Time are
	// those of the earlier checkpoint.
	Found bool
	Stats Stats

	items []item // sorted by path
	set   *Set
	files packs

	mu  sync.Mutex
	idx *index // where contents lie; read when one is opened
}

// Stats count what a Take did.
type Stats struct {
	// Looked is the number of paths that were looked at.
	Looked int
	// Opened is the number of user files that were opened to read them.
	Opened int
	// Read is the number of bytes that were read, Kept how many were new.
	Read, Kept int64
	// Syncs is the number of times that something was made durable.
	Syncs int
}

// Entries are the things of the checkpoint, sorted by path, without those that
// Gaps lists. ATime is the MTime. Off and Big mean nothing.
func (c *Checkpoint) Entries() []fingerprint.Entry {
	out := make([]fingerprint.Entry, 0, len(c.items))
	for i := range c.items {
		if c.items[i].why == Held {
			out = append(out, c.items[i].Entry)
		}
	}
	number(out)
	return out
}

// Entry is what the checkpoint holds of a path: Absent when nothing was there.
// Unless the reason is Held, that is not known; an Entry of a file that was
// seen but not read still says what the directory told.
func (c *Checkpoint) Entry(path string) (fingerprint.Entry, Reason) {
	if i, ok := find(c.items, path); ok {
		return c.items[i].Entry, c.items[i].why
	}
	return fingerprint.Entry{Path: path, Type: fingerprint.Absent}, c.unseen(path)
}

// Gap is something that the checkpoint does not hold.
type Gap struct {
	Path string
	// Tree says that Path is a directory and that nothing below it is known.
	Tree   bool
	Reason Reason
}

// Gaps lists everything that is not held, sorted by path.
func (c *Checkpoint) Gaps() []Gap {
	var out []Gap
	for i := range c.items {
		if it := &c.items[i]; it.why != Held {
			out = append(out, Gap{Path: it.Path, Tree: it.Type == fingerprint.Dir, Reason: it.why})
		}
	}
	return out
}

// Missing lists the gaps that make the checkpoint partial.
func (c *Checkpoint) Missing() []Gap {
	var out []Gap
	for _, g := range c.Gaps() {
		if g.Reason.partial() {
			out = append(out, g)
		}
	}
	return out
}

// Close lets go of the files that Open has used.
func (c *Checkpoint) Close() { c.files.close() }

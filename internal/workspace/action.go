package workspace

import "github.com/counterstep/counterstep/fingerprint"

// Op is what to do with one path. The zero Op does nothing.
type Op int

// The ops.
const (
	// Keep leaves the path alone; the outcome says so. The entry of a Keep
	// lends its inode to a Put of the same link group.
	Keep Op = iota
	// Put brings the path to the state of the entry.
	Put
	// Remove takes away what Now says: a directory only when it is empty.
	Remove
	// Meta puts mode, owner, times and extended attributes back without
	// touching or reading the content.
	Meta
	// Beside writes the entry as NAME.counterstep-ID next to the path. The Puts
	// below a directory that goes beside go with it.
	Beside
	// Rename moves From to the path without replacing anything. Now describes
	// what must be at From; its Dev and Ino are compared.
	Rename
)

// Action is one wanted change.
type Action struct {
	Op Op
	// Entry is the wanted state. For Remove only its Path counts.
	Entry fingerprint.Entry
	// Now is what must be there now; type Absent (or 0): nothing. It is compared
	// with what is taken out at the moment of the swap. A File without any hash
	// is compared by device, inode, size and modification time.
	Now fingerprint.Entry
	// From is where a Rename starts.
	From string
	// InPlace writes into the existing inode, for a File with more links than
	// the actions name.
	InPlace bool
	// Relink puts the file even where the same state is there already in an
	// inode of its own, so that it becomes one with its link group again.
	Relink bool
}

// The statuses of an outcome.
const (
	StatusRestored = "restored" // the path has the wanted state
	StatusRemoved  = "removed"  // nothing is at the path
	StatusKept     = "kept"     // nothing was to be done
	StatusBeside   = "beside"   // the wanted state is next to the path
	StatusDrifted  = "drifted"  // something else was there, and still is
	StatusSkipped  = "skipped"  // it could not be done; nothing was changed
)

// Outcome is what became of one action.
type Outcome struct {
	Path string
	// Done reports that the action reached its goal, now or earlier.
	Done   bool
	Status string
	// Reason says why it is not done, or what of a done action is missing.
	Reason string
	// Beside is the path of a file that was put or kept next to the path.
	Beside string
}

// ApplyOptions say how to apply.
type ApplyOptions struct {
	// Progress is called now and then, one call at a time, with what was
	// written so far.
	Progress func(files int, bytes int64)
	// Durable puts everything on disk: what was written before it is swapped
	// in, the directories after.
	Durable bool
	// Workers is as in [Options].
	Workers int
}

package checkpoint

import "time"

// Options say how to take a checkpoint.
type Options struct {
	// ID names the checkpoint if the state is new: a ULID.
	ID string
	// Root is the real path of the workspace.
	Root string
	// Also are further directories or files that a call names, as absolute
	// clean paths. One that is not there counts as an empty state.
	Also []string
	// Excludes are the directories to leave out; nil means DefaultExcludes.
	Excludes []Exclude
	// Leave are absolute paths of directories that are left out wherever they
	// are, such as the store.
	Leave []string
	// SizeCap is the size in bytes above which a file is not held; 0: none.
	SizeCap int64
	// Now is the clock. After Deadline, unless that is zero, no directory is
	// entered and no file is read any more, and the checkpoint is partial.
	Now      func() time.Time
	Deadline time.Time
	// Workers is the most goroutines to use; 0 means as many as processors, but
	// at most eight.
	Workers int
	// Progress, when set, is called now and then with what was read so far.
	Progress func(files int, bytes int64)
}

// over reports that the time is up.
func (o *Options) over() bool {
	return !o.Deadline.IsZero() && o.Now().After(o.Deadline)
}

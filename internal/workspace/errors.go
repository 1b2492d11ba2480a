package workspace

import (
	"errors"
	"fmt"
)

// MovedError says that something on the way to a path is not a directory (any
// more) but a link or another thing, so the path does not mean what it seems.
type MovedError struct {
	Path string // the path that was wanted
	At   string // the part of it that is not a directory
}

func (e *MovedError) Error() string {
	return fmt.Sprintf("%q: %q is not a directory but a link or another thing", e.Path, e.At)
}

// ChangedError says that a file changed while it was read, twice.
type ChangedError struct {
	Path string
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%q keeps changing while it is read", e.Path)
}

// UnreadableError says that a path exists but could not be looked into.
type UnreadableError struct {
	Path string
	Err  error
}

func (e *UnreadableError) Error() string { return fmt.Sprintf("read %q: %v", e.Path, e.Err) }

// Unwrap returns what the system said.
func (e *UnreadableError) Unwrap() error { return e.Err }

// MountError says that another file system is mounted inside a tree.
type MountError struct {
	Path string
}

func (e *MountError) Error() string {
	return fmt.Sprintf("another file system is mounted at %q", e.Path)
}

// LimitError says that the walk found more than the limits allow. Nothing was
// read. What was found is a lower bound.
type LimitError struct {
	Files int
	Bytes int64
	Limit Limits
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%d files with %d bytes are more than the limit of %d files and %d bytes",
		e.Files, e.Bytes, e.Limit.Files, e.Limit.Bytes)
}

// errNoExchange says that a file system cannot swap two names.
var errNoExchange = errors.New("names cannot be exchanged on this file system")

// errContent says that an opener gave other bytes than it should.
var errContent = errors.New("it is not what was captured")

// contentError is a failure to get at a captured content. It ends an Apply.
type contentError struct{ err error }

func (e *contentError) Error() string { return "captured content: " + e.err.Error() }
func (e *contentError) Unwrap() error { return e.err }

// isRefused reports whether the system will not have a thing made there, as
// opposed to trouble that concerns everything.
func isRefused(err error) bool {
	var content *contentError
	return err != nil && !errors.As(err, &content) && (isDenied(err) || isUnfit(err))
}

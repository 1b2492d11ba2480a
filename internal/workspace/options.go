package workspace

import (
	"os"

	"github.com/counterstep/counterstep/fingerprint"
)

// BigFile is the size in bytes from which on a file goes to [Sink.Big].
const BigFile = 1 << 20

// Root is a path to look at.
type Root struct {
	// Path is absolute and clean.
	Path string
	// Tree includes everything below Path when it is a directory.
	Tree bool
}

// Sink keeps contents while they are captured. Its methods are called one at
// a time, in no particular order, and once for a group of hard links. An error
// ends the capture and is returned as it is.
type Sink interface {
	// Small keeps data, the whole content of e, and sets e.Off or e.Big. All
	// other fields of e are final. The bytes are only valid during the call.
	Small(e *fingerprint.Entry, data []byte) error
	// Big keeps the content of f, which it reads exactly once or clones, and
	// sets e.Off or e.Big, e.Size, e.XXH and e.SHA to what it kept. When the
	// file turns out to have changed meanwhile, Big is called a second time for
	// the same path; then only what the last call kept counts.
	Big(e *fingerprint.Entry, f *os.File) error
}

// Limits bound a capture; 0 is no limit. They are checked against what the
// walk found before the first content is read.
type Limits struct {
	Files int
	Bytes int64
}

// Options say how to capture. The zero value hashes everything and keeps
// nothing.
type Options struct {
	// Sink keeps the contents. With nil they are only hashed.
	Sink Sink
	// Skip leaves a path, and everything below it, out. It is called one path
	// at a time, from several goroutines, before the path is looked into. The
	// reason is for the caller's own use.
	Skip  func(path string) (reason string, skip bool)
	Limit Limits
	// Progress is called now and then, one call at a time, with what was
	// captured so far.
	Progress func(files int, bytes int64)
	// Workers is the most goroutines to use; 0 means as many as processors, but
	// at most eight.
	Workers int
	// StatOnly opens no file: contents are neither read nor hashed, extended
	// attributes and holes are not looked at.
	StatOnly bool
	// NoSHA leaves Entry.SHA zero. It only counts without a Sink.
	NoSHA bool
	// OneFS makes a mount point below a Root an error. Otherwise it is entered.
	OneFS bool
}

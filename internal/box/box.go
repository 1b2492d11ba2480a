// Package box runs a command in an overlay of a directory, in namespaces of its
// own: what it writes there lies in memory and is gone with the process, every
// other mount is read-only, /tmp is its own, and there is neither a network nor
// a socket to talk to.
//
// It is no wall against a program that attacks the kernel; it is for programs
// whose nature is known.
package box

import "os"

// Setup is what a box is made of. All paths are absolute and real.
type Setup struct {
	// Root is the directory that can be written, in the overlay.
	Root string
	// Cwd is where the command runs.
	Cwd string
	// Hide are directories that appear empty.
	Hide []string
}

// Box is the inside. It exists once, in the first process of its namespaces.
type Box struct {
	setup Setup
	// lower is the real directory, read-only; upper is what was written.
	lower, upper *os.File
}

// Kind is what became of a path.
type Kind string

// The kinds. Times says that nothing but times differ.
const (
	Created  Kind = "created"
	Changed  Kind = "changed"
	Removed  Kind = "removed"
	Metadata Kind = "metadata"
	Times    Kind = "times"
)

// Change is one path that is not what it was.
type Change struct {
	Path string
	Kind Kind
	// Before and After are where the contents can be read; empty where there
	// is no regular file.
	Before, After string
	// Dir says that it is, or was, a directory.
	Dir bool
	// Names is how many names the real file has. In the box its other names
	// are files of their own as soon as one of them is written.
	Names int
}

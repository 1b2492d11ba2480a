// Package clone copies files, sharing their blocks where the file system can.
package clone

import (
	"fmt"
	"io"
	"os"
)

// How says how a file was copied.
type How string

// The ways of copying. Copied is a lower bound: a system may share blocks on
// its own while it copies.
const (
	Shared How = "shared" // the blocks are shared until one side is written
	Copied How = "copied" // the bytes were copied
)

// File makes dst, which must be new and empty, hold the content of src. Both
// are open; src is read from its start, and the offsets of both are undefined
// afterwards. When blocks cannot be shared, for whatever reason, they are
// copied; only a copy that fails is an error, and then dst holds a part.
func File(dst, src *os.File) (How, error) {
	if Try(dst, src) == nil {
		return Shared, nil
	}
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("copy: %w", err)
	}
	if _, err := io.Copy(dst, src); err != nil {
		return "", fmt.Errorf("copy %q: %w", src.Name(), err)
	}
	return Copied, nil
}

//go:build unix

package doctor

import (
	"os"

	"golang.org/x/sys/unix"
)

// private says that modes decide who can read a file.
const private = true

// writable reports whether we can write to path.
func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }

// isRoot reports whether nothing is forbidden to us.
func isRoot() bool { return os.Geteuid() == 0 }

//go:build unix

package git

import "syscall"

// nonblock keeps an open from waiting when a FIFO was swapped in, nofollow
// from following a link.
const (
	nonblock = syscall.O_NONBLOCK
	nofollow = syscall.O_NOFOLLOW
)

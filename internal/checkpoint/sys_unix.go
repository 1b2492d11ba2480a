//go:build unix

package checkpoint

import "syscall"

// noFollow makes opening a link an error.
const noFollow = syscall.O_NOFOLLOW

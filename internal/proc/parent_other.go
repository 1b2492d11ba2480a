//go:build unix && !linux

package proc

import "syscall"

// dieWithParent has no counterpart here: a program notices that we are gone
// when its pipes close.
func dieWithParent(*syscall.SysProcAttr) {}

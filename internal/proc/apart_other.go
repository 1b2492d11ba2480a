//go:build !linux

package proc

import (
	"errors"
	"syscall"
)

// apart has no counterpart here.
func apart(*syscall.SysProcAttr) error { return errors.ErrUnsupported }

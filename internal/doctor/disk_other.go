//go:build !linux

package doctor

import "context"

// kind is what a file system is.
type kind struct {
	name             string
	remote, volatile bool
}

// kindOf does not know kinds here.
func kindOf(string) kind { return kind{} }

// freeSpace is not known here.
func freeSpace(string) (bytes uint64, ok bool) { return 0, false }

// sameDevice is not known here, so that both are tried.
func sameDevice(_, _ string) bool { return false }

func tryExchange(context.Context, string) error { return errUnknown }

func tryXattr(context.Context, string) error { return errUnknown }

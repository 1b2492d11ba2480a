package workspace

import (
	"testing"

	"golang.org/x/sys/unix"
)

// WithoutOpenat2 makes the test run as on a system that lacks openat2.
func WithoutOpenat2(t testing.TB) {
	old := hasOpenat2
	hasOpenat2 = func() bool { return false }
	t.Cleanup(func() { hasOpenat2 = old })
}

// WithoutExchange makes the test run as on a file system that can neither
// exchange names nor promise not to replace.
func WithoutExchange(t testing.TB) {
	old := renameat2
	renameat2 = func(int, string, int, string, uint) error { return unix.EINVAL }
	t.Cleanup(func() { renameat2 = old })
}

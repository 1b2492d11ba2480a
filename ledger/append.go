package ledger

import (
	"context"
	"errors"
)

const (
	// MaxLine is the length in bytes of the longest line that is written,
	// with its line break.
	MaxLine = 4096
	// MaxCommand is the length in bytes of the longest command in a record.
	MaxCommand = 512
)

// AppendOptions say how durable an append is.
type AppendOptions struct {
	// Sync makes Append return only when the record would survive a power cut.
	Sync bool
	// Locked says that the caller holds the lock of [LockPath] already.
	Locked bool
}

// Append adds r to the ledger in dir and returns it as written. It holds the
// lock of [LockPath] while it does and waits for it until ctx is done. It
// reads the tail only, so its cost does not depend on the ledger's length.
func Append(ctx context.Context, dir string, r Record, o AppendOptions) (Record, error) {
	return r, errors.New("not yet")
}

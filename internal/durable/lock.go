package durable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/counterstep/counterstep/internal/hint"
)

// ErrLocked says that somebody else held a lock for as long as one waited.
var ErrLocked = errors.New("locked by another process")

// slowest is the longest pause between two attempts.
const slowest = 10 * time.Millisecond

// Lock takes the exclusive lock on path, a file that is created with mode 0600
// and never removed. It waits until ctx is done; then the error wraps
// [ErrLocked] and names path. The lock ends with unlock or with the process.
// Network file systems may not keep it.
func Lock(ctx context.Context, path string) (unlock func() error, err error) {
	f, err := openLock(path)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for pause := slowest / 64; ; pause = min(2*pause, slowest) {
		held, err := tryLock(f)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %q: %w", path, err)
		}
		if held {
			return release(f), nil
		}
		if err := wait(ctx, pause); err != nil {
			f.Close()
			return nil, hint.New("wait for the other counterstep to end, then try again",
				"lock %q: %w (%w)", path, ErrLocked, err)
		}
	}
}

// release closes the file, which gives the lock up. Calling it twice is
// harmless.
func release(f *os.File) func() error {
	return func() error {
		if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			return err
		}
		return nil
	}
}

func wait(ctx context.Context, pause time.Duration) error {
	t := time.NewTimer(pause)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

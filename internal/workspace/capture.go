package workspace

import (
	"context"
	"errors"

	"github.com/counterstep/counterstep/fingerprint"
)

// Capture records the state of the roots, sorted by path and without
// duplicates. A root that does not exist gives an Absent entry.
//
// What was read is what was there: a file that changes while it is read is
// read once more, and if it changes again the capture ends with a
// [*ChangedError]. Nothing is silently left out but what Skip says. No promise
// is made about files that change after they were read.
func Capture(ctx context.Context, roots []Root, o Options) ([]fingerprint.Entry, error) {
	return nil, errors.ErrUnsupported
}

// Scan records the trees at paths without keeping contents.
func Scan(ctx context.Context, paths ...string) ([]fingerprint.Entry, error) {
	roots := make([]Root, len(paths))
	for i, p := range paths {
		roots[i] = Root{Path: p, Tree: true}
	}
	return Capture(ctx, roots, Options{})
}

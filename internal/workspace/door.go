package workspace

import (
	"context"
	"errors"
	"io"

	"github.com/counterstep/counterstep/fingerprint"
)

// Door is the way by which files are changed.
type Door struct {
	base string // what every path is below; "" for the real thing
}

// Live is the door to the real files.
func Live() *Door { return &Door{} }

// At is a door by which every absolute path P means dir+P. dir must be a real
// path. Nothing outside dir is touched.
func At(dir string) *Door { return &Door{base: dir} }

// Apply carries out the actions and returns one outcome for each, in the same
// order. Contents come from open, which is called from several goroutines; the
// reader it returns must give exactly the content of the entry or an error.
//
// Everything that is to be put somewhere is built first, next to its place,
// under names that begin with .counterstep-ID-. When that fails (a read error,
// a full disk) an error is returned and nothing was changed. Then things are
// swapped in one by one; what comes out is looked at, and when it is not what
// the action expects, it is put back. Killed at any point, Apply can be called
// again with the same id and the same or newly computed actions.
//
// id is part of file names: letters, digits, '-' and '_' only.
func (d *Door) Apply(ctx context.Context, id string, actions []Action,
	open func(fingerprint.Entry) (io.ReadCloser, error), o ApplyOptions,
) ([]Outcome, error) {
	return nil, errors.ErrUnsupported
}

// CleanTemps removes what an interrupted Apply with this id left in dirs. A
// thing that had been swapped out, but not looked at yet, is not removed; its
// path is returned.
func (d *Door) CleanTemps(dirs []string, id string) (kept []string, err error) {
	return nil, errors.ErrUnsupported
}

//go:build !linux

package box

import (
	"context"
	"errors"

	"github.com/counterstep/counterstep/internal/proc"
)

// Enter is for Linux only.
func Enter(Setup) (*Box, error) { return nil, errors.ErrUnsupported }

// Lower is for Linux only.
func (b *Box) Lower(string) string { return "" }

// Run is for Linux only.
func (b *Box) Run(context.Context, proc.Cmd) (proc.Result, error) {
	return proc.Result{}, errors.ErrUnsupported
}

// Changes is for Linux only.
func (b *Box) Changes() ([]Change, error) { return nil, errors.ErrUnsupported }

// Package rehearse proves an inverse before a call is let go: it builds a
// shadow of the scope as the call is predicted to leave it, runs the inverse
// there, and looks whether the state that was armed comes out.
//
// A rehearsal touches nothing outside its shadow and leaves nothing behind.
package rehearse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/otiai10/copy"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/workspace"
)

// ErrDiffers says that the inverse did not bring the armed state back.
var ErrDiffers = errors.New("the rehearsed undo does not give the armed state")

// Fate is what a call is predicted to do to a path.
type Fate uint8

const (
	// Kept: the content stays; metadata may change.
	Kept Fate = iota
	// Gone: nothing is left.
	Gone
	// Changed: something else is there afterwards.
	Changed
	// Born: nothing was there, something is afterwards.
	Born
)

// Scope is what a rehearsal needs to know.
type Scope struct {
	// ID names the saga.
	ID string
	// Roots are the captured paths, Pre their state.
	Roots []workspace.Root
	Pre   []fingerprint.Entry
	// Fate predicts a path.
	Fate func(path string) Fate
	// Undo is the inverse: the actions that lead from a state back to Pre.
	Undo func(now []fingerprint.Entry) []workspace.Action
	// Open reads held content.
	Open func(fingerprint.Entry) (io.ReadCloser, error)
}

// Simulate runs the inverse on a shadow below space, a private directory, and
// returns nil when the fingerprint of what comes out is the armed one. The
// shadow is removed in every case.
func Simulate(ctx context.Context, space string, s Scope) (err error) {
	// A name that the store's sweep knows, with the process in it.
	dir, err := os.MkdirTemp(space, fmt.Sprintf(".counterstep-shadow-%d-*", os.Getpid()))
	if err != nil {
		return fmt.Errorf("make the shadow: %w", err)
	}
	defer func() {
		if rerr := durable.RemoveAll(dir); err == nil && rerr != nil {
			err = fmt.Errorf("remove the shadow: %w", rerr)
		}
	}()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return fmt.Errorf("find the shadow: %w", err)
	}
	if err := build(dir, s); err != nil {
		return fmt.Errorf("build the shadow: %w", err)
	}
	roots := make([]workspace.Root, len(s.Roots))
	for i, r := range s.Roots {
		roots[i] = workspace.Root{Path: dir + r.Path, Tree: r.Tree}
	}
	now, err := look(ctx, dir, roots)
	if err != nil {
		return err
	}
	if err := fail.Point("rehearse.apply"); err != nil {
		return err
	}
	if _, err := workspace.At(dir).Apply(ctx, s.ID, s.Undo(now), s.Open, workspace.ApplyOptions{}); err != nil {
		return fmt.Errorf("run the undo on the shadow: %w", err)
	}
	got, err := look(ctx, dir, roots)
	if err != nil {
		return err
	}
	if fingerprint.Sum(got) != fingerprint.Sum(s.Pre) {
		return fmt.Errorf("%w: %s", ErrDiffers, firstDifference(s.Pre, got))
	}
	return nil
}

func look(ctx context.Context, dir string, roots []workspace.Root) ([]fingerprint.Entry, error) {
	entries, err := workspace.Capture(ctx, roots, workspace.Options{})
	if err != nil {
		return nil, fmt.Errorf("look at the shadow: %w", err)
	}
	return fingerprint.Rebase(entries, dir, ""), nil
}

// build makes the scope as the call is predicted to leave it. What is kept is
// copied from the real thing; what changes is replaced by something else.
func build(dir string, s Scope) error {
	for _, r := range s.Roots {
		if err := os.MkdirAll(filepath.Dir(dir+r.Path), 0o700); err != nil {
			return err
		}
	}
	kept := map[int]string{} // the first kept name of an inode
	for _, e := range s.Pre {
		fate, to := s.Fate(e.Path), dir+e.Path
		if first := kept[e.Group]; first != "" && fate == Kept && e.Type == fingerprint.File {
			if err := os.Link(first, to); err != nil {
				return err
			}
			continue
		}
		if err := place(to, e, fate); err != nil {
			return err
		}
		if e.Group != 0 && fate == Kept {
			kept[e.Group] = to
		}
	}
	return nil
}

func place(to string, e fingerprint.Entry, fate Fate) error {
	switch {
	case fate == Gone, e.Type == fingerprint.Absent && fate != Born:
		return nil
	case e.Type == fingerprint.Dir:
		return os.MkdirAll(to, 0o700)
	}
	// A directory that goes may be made again for what lies in it.
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	switch {
	case fate == Kept && e.Type == fingerprint.File:
		return keep(e.Path, to)
	case fate == Kept && e.Type == fingerprint.Symlink:
		return os.Symlink(e.Target, to)
	default:
		return os.WriteFile(to, []byte("something else\n"), 0o600)
	}
}

// keep copies one file into the shadow.
func keep(from, to string) error {
	return copy.Copy(from, to, copy.Options{
		OnSymlink:     func(string) copy.SymlinkAction { return copy.Skip },
		PreserveTimes: true,
		Specials:      false,
	})
}

// firstDifference names a path on which two states differ.
func firstDifference(want, got []fingerprint.Entry) string {
	have := map[string]fingerprint.Entry{}
	for _, e := range got {
		have[e.Path] = e
	}
	for _, e := range want {
		if !fingerprint.Equal(e, have[e.Path]) && !(e.Type == fingerprint.Absent && have[e.Path].Type == 0) {
			return e.Path
		}
	}
	return "the shadow holds more than was armed"
}

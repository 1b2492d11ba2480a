package store

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/counterstep/counterstep/internal/hint"
)

// Reasons why a store cannot be used. Errors of this package wrap them and
// carry a hint.
var (
	// ErrMissing: there is no store, or one whose creation was interrupted.
	// Create makes it.
	ErrMissing = errors.New("store is missing")
	// ErrForeign: somebody else owns the store or could write to it.
	ErrForeign = errors.New("store is not private")
	// ErrReadOnly: the store cannot be written to.
	ErrReadOnly = errors.New("store is read-only")
	// ErrNewer: a newer counterstep made the store. It can be opened with
	// OpenReadOnly.
	ErrNewer = errors.New("store has a newer format")
	// ErrFull: the disk or quota of the store is used up.
	ErrFull = errors.New("store is full")
	// ErrNoPayload: the store holds no payload of that id.
	ErrNoPayload = errors.New("no payload")
)

// TroubleError is a failure of the store itself, such as a full disk; the
// call must be refused. It matches ErrFull and ErrReadOnly when that is why.
type TroubleError struct {
	// Step is what was being done.
	Step string
	Err  error
}

// Error names the step and the cause.
func (e *TroubleError) Error() string { return fmt.Sprintf("store: %s: %v", e.Step, e.Err) }

// Unwrap returns the cause.
func (e *TroubleError) Unwrap() error { return e.Err }

// Is tells full and read-only disks from other trouble.
func (e *TroubleError) Is(target error) bool {
	switch target {
	case ErrFull:
		return errors.Is(e.Err, syscall.ENOSPC) || errors.Is(e.Err, syscall.EDQUOT)
	case ErrReadOnly:
		return errors.Is(e.Err, syscall.EROFS)
	default:
		return false
	}
}

// trouble wraps a failure of the store; nil and what is wrapped already stay.
func trouble(step string, err error) error {
	var known *TroubleError
	if err == nil || errors.As(err, &known) {
		return err
	}
	e := &TroubleError{Step: step, Err: err}
	switch {
	case errors.Is(e, ErrFull):
		return hint.With(e, "make room on the disk that holds the store: counterstep doctor shows where it is")
	case errors.Is(e, ErrReadOnly):
		return hint.With(e, "make the store writable, or choose another place with --store")
	default:
		return hint.With(e, "counterstep doctor")
	}
}

// SourceError is a failure to read what should be captured. The store is fine.
type SourceError struct {
	Path string
	Err  error
}

// Error names the path and the cause.
func (e *SourceError) Error() string { return fmt.Sprintf("read %q: %v", e.Path, e.Err) }

// Unwrap returns the cause.
func (e *SourceError) Unwrap() error { return e.Err }

// DamageError says that a payload is not what was written.
type DamageError struct {
	ID string
	// Path is the captured path whose bytes are damaged; empty when it is the
	// payload as a whole.
	Path   string
	Reason string
}

// Error names the payload, the path and what is wrong.
func (e *DamageError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("payload %s: %s", e.ID, e.Reason)
	}
	return fmt.Sprintf("payload %s: %q: %s", e.ID, e.Path, e.Reason)
}

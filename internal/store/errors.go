package store

import "fmt"

// TroubleError is a failure of the store itself, such as a full disk; the
// call must be refused. It matches ErrFull and ErrReadOnly when that is why.
type TroubleError struct {
	// Step is what was being done.
	Step string
	Err  error
}

func (e *TroubleError) Error() string { return fmt.Sprintf("store: %s: %v", e.Step, e.Err) }
func (e *TroubleError) Unwrap() error { return e.Err }

// SourceError is a failure to read what should be captured. The store is fine.
type SourceError struct {
	Path string
	Err  error
}

func (e *SourceError) Error() string { return fmt.Sprintf("read %q: %v", e.Path, e.Err) }
func (e *SourceError) Unwrap() error { return e.Err }

// DamageError says that a payload is not what was written.
type DamageError struct {
	ID string
	// Path is the captured path whose bytes are damaged; empty when it is the
	// payload as a whole.
	Path   string
	Reason string
}

func (e *DamageError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("payload %s: %s", e.ID, e.Reason)
	}
	return fmt.Sprintf("payload %s: %q: %s", e.ID, e.Path, e.Reason)
}

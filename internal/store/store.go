// Package store keeps what sagas need to be undone, outside the working tree:
// payloads, post-states, and small things that wait for a settle.
// docs/format/store-v1.md is its layout.
//
// A store belongs to one user. Its directories are 0700, its files 0600 and
// its finished payload folders 0500, whatever the umask.
package store

import "errors"

// Version is the layout that this package writes.
const Version = 1

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

// Store is an open store. Its methods may be used by several goroutines.
type Store struct {
	dir      string
	readOnly bool
}

// Dir is where the store of a workspace lies: below stateHome, named by the
// last element of the workspace's real path and 12 hex digits of its SHA-256.
func Dir(stateHome, workspace string) string { return "" }

// Create makes the store at dir, durably, or opens it when it is there. An
// interrupted creation is finished.
func Create(dir string) (*Store, error) { return nil, ErrMissing }

// Open opens the store at dir for reading and writing.
func Open(dir string) (*Store, error) { return nil, ErrMissing }

// OpenReadOnly opens the store at dir for reading, also when it is newer or
// cannot be written to.
func OpenReadOnly(dir string) (*Store, error) { return nil, ErrMissing }

// Dir is where the store lies.
func (s *Store) Dir() string { return s.dir }

// LedgerDir is the directory of the ledger.
func (s *Store) LedgerDir() string { return "" }

// LockPath is the lock of the ledger and of everything that removes.
func (s *Store) LockPath() string { return "" }

// ShadowDir is the directory of the payload folders.
func (s *Store) ShadowDir() string { return "" }

// CacheDir holds what can be made again.
func (s *Store) CacheDir() string { return "" }

// CheckpointDir is the directory of the checkpoints.
func (s *Store) CheckpointDir() string { return "" }

// RemoteDir is the directory of the private bare repositories.
func (s *Store) RemoteDir() string { return "" }

// IndexDir holds indexes that can be built again.
func (s *Store) IndexDir() string { return "" }

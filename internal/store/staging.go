package store

import (
	"context"
	"errors"
	"os"

	"github.com/counterstep/counterstep/fingerprint"
)

// Staging is a payload that is being written. It is a sink of a capture: Small
// and Big must not be called at the same time. After an error every later call
// fails with it; Abort is always allowed.
type Staging struct{}

// Sealed says what a finished payload holds.
type Sealed struct {
	// Manifest and Call are the SHA-256 of the manifest and of call.json.
	Manifest, Call [32]byte
	// Bytes is the size of the captured contents, Files how many there are.
	Bytes int64
	Files int
}

// Begin starts the payload of id. Until Commit it lies under a name that
// [Store.Sweep] recognises when this process dies.
func (s *Store) Begin(id string) (*Staging, error) { return nil, errors.New("not yet") }

// Small adds a file of which data is the whole content, and sets e.Off. The
// hashes in e must be set.
func (st *Staging) Small(e *fingerprint.Entry, data []byte) error { return errors.New("not yet") }

// Big adds the content of f: shared with f where the filesystem can, else
// copied. It sets e.Size, e.XXH, e.SHA and e.Off or e.Big from the bytes that
// were stored. A failure to read f is a *SourceError.
func (st *Staging) Big(e *fingerprint.Entry, f *os.File) error { return errors.New("not yet") }

// StartSync begins to write back what was added so far, without waiting.
func (st *Staging) StartSync() {}

// Seal ends the payload with call.json and the manifest of entries, and begins
// to make it durable in the background. Then Payload can read it.
func (st *Staging) Seal(entries []fingerprint.Entry, call []byte) (Sealed, error) {
	return Sealed{}, errors.New("not yet")
}

// Payload reads what was sealed, before it is committed: for a rehearsal. It
// must be closed before Commit or Abort.
func (st *Staging) Payload() (*Payload, error) { return nil, errors.New("not yet") }

// Commit waits until a sealed payload is durable and gives it its final name.
// When it returns nil the payload survives a power cut.
func (st *Staging) Commit(ctx context.Context) error { return errors.New("not yet") }

// Finish is Seal and Commit.
func (st *Staging) Finish(ctx context.Context, entries []fingerprint.Entry, call []byte) (Sealed, error) {
	return Sealed{}, errors.New("not yet")
}

// Abort removes what was written. After Commit it does nothing.
func (st *Staging) Abort() {}

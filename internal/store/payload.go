package store

import (
	"context"
	"errors"
	"io"

	"github.com/counterstep/counterstep/fingerprint"
)

// Payload is a finished payload, open for reading. Its methods may be used by
// several goroutines.
type Payload struct{}

// Payload opens the payload of id. When manifest is not zero the manifest must
// have that SHA-256. Damage is a *DamageError.
func (s *Store) Payload(id string, manifest [32]byte) (*Payload, error) {
	return nil, errors.New("not yet")
}

// Entries are the captured entries, sorted by path. They must not be changed.
func (p *Payload) Entries() []fingerprint.Entry { return nil }

// Open reads the content of a file among Entries. Instead of io.EOF the last
// Read returns a *DamageError when the bytes are not those that were captured:
// nothing that was read may be used then.
func (p *Payload) Open(e fingerprint.Entry) (io.ReadCloser, error) { return nil, errors.New("not yet") }

// Verify re-reads the payload and returns a *DamageError for the first damage.
// With only it looks at the entries whose path it accepts, else at every byte.
func (p *Payload) Verify(ctx context.Context, only func(path string) bool) error {
	return errors.New("not yet")
}

// Call is the content of call.json.
func (p *Payload) Call() ([]byte, error) { return nil, errors.New("not yet") }

// Close lets go of the payload. Readers that are open fail from then on.
func (p *Payload) Close() error { return nil }

package store

import (
	"errors"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
)

// PutPost records the post-state of the call of id, durably, in place of an
// earlier one. It returns the SHA-256 of the manifest.
func (s *Store) PutPost(id string, entries []fingerprint.Entry) ([32]byte, error) {
	return [32]byte{}, errors.New("not yet")
}

// Post returns the post-state of the call of id and whether there is one.
func (s *Store) Post(id string) ([]fingerprint.Entry, bool, error) {
	return nil, false, errors.New("not yet")
}

// PutPending keeps data for the settle of the call that key names. It is not
// synced: a power cut may lose it.
func (s *Store) PutPending(key string, data []byte) error { return errors.New("not yet") }

// TakePending returns what PutPending kept and removes it. Of several takers
// one gets it.
func (s *Store) TakePending(key string) ([]byte, bool, error) {
	return nil, false, errors.New("not yet")
}

// IDs lists the payloads that the store holds, in order.
func (s *Store) IDs() ([]string, error) { return nil, errors.New("not yet") }

// Remove deletes the payload and post-state of id for good. What is not there
// is no error.
func (s *Store) Remove(id string) error { return errors.New("not yet") }

// Sweep removes what killed processes left: stagings and temporaries whose
// process is gone or that are older than a day, unless somebody holds them.
func (s *Store) Sweep(now time.Time) (removed int, err error) { return 0, errors.New("not yet") }

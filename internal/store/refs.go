package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/counterstep/counterstep/internal/durable"
)

// maxRefs bounds what is read back of the refs that a call left.
const maxRefs = 64 << 20

// PutRefs records what a call left at remotes, durably, in place of an earlier
// record. data is the caller's.
func (s *Store) PutRefs(id string, data []byte) error {
	if err := s.writable(); err != nil {
		return err
	}
	if !validID(id) {
		return fmt.Errorf("refs: %q is no id", id)
	}
	return trouble("write refs", durable.WriteFile(s.refsName(id), data, 0o600))
}

// Refs returns what PutRefs recorded for id and whether there is anything.
func (s *Store) Refs(id string) ([]byte, bool, error) {
	if !validID(id) {
		return nil, false, nil
	}
	info, err := os.Stat(s.refsName(id))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, trouble("read refs", err)
	case info.Size() > maxRefs:
		return nil, false, trouble("read refs", fmt.Errorf("%d bytes are too many", info.Size()))
	}
	data, err := os.ReadFile(s.refsName(id))
	return data, err == nil, trouble("read refs", err)
}

func (s *Store) refsName(id string) string {
	return filepath.Join(filepath.Dir(s.postName(id)), id+".refs.json")
}

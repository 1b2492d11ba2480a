package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// TakePendings removes and returns what PutPending kept wherever match says
// so, in no particular order. Of several takers one gets each. What cannot be
// read is left.
func (s *Store) TakePendings(match func(data []byte) bool) ([][]byte, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	list, err := os.ReadDir(s.pendingDir())
	if err != nil {
		return nil, trouble("list pending calls", err)
	}
	var out [][]byte
	for _, d := range list {
		name := filepath.Join(s.pendingDir(), d.Name())
		if strings.HasPrefix(d.Name(), ".") || !d.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil || !match(data) {
			continue
		}
		switch err := os.Remove(name); {
		case errors.Is(err, fs.ErrNotExist):
			continue // another one took it
		case err != nil:
			return out, trouble("take pending call", err)
		}
		out = append(out, data)
	}
	return out, nil
}

package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// sizes is what is remembered of the payloads that were looked at: they never
// change, so only new ones are looked at again.
type sizes struct {
	Count int    `json:"count"`
	Upto  string `json:"upto"`
	Bytes int64  `json:"bytes"`
}

// sizesAfter is how many new payloads are looked at again before they are
// remembered.
const sizesAfter = 64

// Size is the space that payloads and private repositories take, in bytes.
// Blocks that are shared with other files are counted all the same; post-states
// and checkpoints are not.
func (s *Store) Size() (int64, error) {
	ids, err := s.IDs()
	if err != nil {
		return 0, err
	}
	have := s.sizes(ids)
	next := have
	for _, id := range ids[have.Count:] {
		n, err := treeSize(filepath.Join(s.ShadowDir(), id))
		if err != nil {
			return 0, trouble("size of payloads", err)
		}
		next.Count, next.Upto, next.Bytes = next.Count+1, id, next.Bytes+n
	}
	if next.Count-have.Count >= sizesAfter && !s.readOnly {
		if data, err := json.Marshal(next); err == nil {
			_ = os.WriteFile(s.sizesName(), data, 0o600) // it only saves time
		}
	}
	remotes, err := treeSize(s.RemoteDir())
	return next.Bytes + remotes, trouble("size of private repositories", err)
}

// PayloadSize is the space that the payload of id takes; 0 when there is none.
func (s *Store) PayloadSize(id string) (int64, error) {
	if !validID(id) {
		return 0, nil
	}
	n, err := treeSize(filepath.Join(s.ShadowDir(), id))
	return n, trouble("size of a payload", err)
}

func (s *Store) sizesName() string { return filepath.Join(s.CacheDir(), "sizes") }

// sizes is what is remembered, and nothing when payloads have been removed
// since or lie.
func (s *Store) sizes(ids []string) (have sizes) {
	data, err := os.ReadFile(s.sizesName())
	if err != nil || json.Unmarshal(data, &have) != nil || have.Count < 1 || have.Count > len(ids) || have.Bytes < 0 {
		return sizes{}
	}
	if at, ok := slices.BinarySearch(ids, have.Upto); !ok || at != have.Count-1 {
		return sizes{}
	}
	return have
}

// treeSize adds up the files below dir. What is not there, or goes meanwhile,
// counts nothing.
func treeSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				size += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return size, err
}

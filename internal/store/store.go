// Package store keeps what sagas need to be undone, outside the working tree:
// payloads, post-states, and small things that wait for a settle.
// docs/format/store-v1.md is its layout.
//
// A store belongs to one user. Its directories are 0700, its files 0600 and
// its finished payload folders 0500, whatever the umask.
package store

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// Version is the layout that this package writes.
const Version = 1

// Store is an open store. Its methods may be used by several goroutines.
type Store struct {
	dir      string
	readOnly bool
}

// Dir is where the store of a workspace lies: below stateHome, named by the
// last element of the workspace's real path and 12 hex digits of its SHA-256.
func Dir(stateHome, workspace string) string {
	h := sha256.Sum256([]byte(workspace))
	return filepath.Join(stateHome, "counterstep", plain(filepath.Base(workspace))+"-"+hex.EncodeToString(h[:6]))
}

// plain makes a name fit for any file system and terminal.
func plain(name string) string {
	b := []byte(name[:min(len(name), 40)])
	for i, c := range b {
		ok := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			c == '-' || c == '_' || c == '.' && i > 0
		if !ok {
			b[i] = '_'
		}
	}
	return string(b)
}

// Dir is where the store lies.
func (s *Store) Dir() string { return s.dir }

// ReadOnly reports whether the store was opened for reading only.
func (s *Store) ReadOnly() bool { return s.readOnly }

// LedgerDir is the directory of the ledger.
func (s *Store) LedgerDir() string { return filepath.Join(s.dir, "ledger") }

// LockPath is the lock of the ledger and of everything that removes.
func (s *Store) LockPath() string { return filepath.Join(s.dir, "lock") }

// ShadowDir is the directory of the payload folders.
func (s *Store) ShadowDir() string { return filepath.Join(s.dir, "shadow") }

// CacheDir holds what can be made again.
func (s *Store) CacheDir() string { return filepath.Join(s.dir, "cache") }

// CheckpointDir is the directory of the checkpoints.
func (s *Store) CheckpointDir() string { return filepath.Join(s.dir, "checkpoints") }

// RemoteDir is the directory of the private bare repositories.
func (s *Store) RemoteDir() string { return filepath.Join(s.dir, "remotes") }

// ObjectsDir is the directory of the private stores of local repositories'
// objects. It is there once the first was held.
func (s *Store) ObjectsDir() string { return filepath.Join(s.dir, "objects") }

// IndexDir holds indexes that can be built again.
func (s *Store) IndexDir() string { return filepath.Join(s.dir, "index") }

func (s *Store) postDir() string    { return filepath.Join(s.dir, "post") }
func (s *Store) pendingDir() string { return filepath.Join(s.dir, "pending") }

// validID reports whether id can name a folder: a ULID, or anything else of
// letters, digits and inner dashes.
func validID(id string) bool {
	if id == "" || len(id) > 64 || id[0] == '-' {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' {
			return false
		}
	}
	return true
}

package ledger

import "path/filepath"

// Path is the ledger file of a ledger directory.
func Path(dir string) string { return filepath.Join(dir, "ledger.jsonl") }

// LockPath is the lock file that writers to the ledger in dir hold. It lies
// beside dir and is never removed.
func LockPath(dir string) string { return filepath.Join(filepath.Dir(dir), "lock") }

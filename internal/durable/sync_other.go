//go:build !linux

package durable

import "os"

// SyncFS makes everything durable on the file system that holds f; where the
// system cannot do that, f alone.
func SyncFS(f *os.File) error { return f.Sync() }

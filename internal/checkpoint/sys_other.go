//go:build !linux

package checkpoint

import "io/fs"

// identity is what shows that a file was touched, besides its size and mtime.
func identity(fs.FileInfo) (ctime int64, ino uint64) { return 0, 0 }

package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/fingerprint"
)

// Disk is the present state of the file system, for classifying and planning.
// It only reads: it follows no link in the last element of a path and opens
// nothing but directories and regular files.
type Disk struct{}

var _ classify.FS = Disk{}

// Lstat looks at a path. Where nothing is, the Type is '-' and there is no
// error; a parent that is no directory counts as nothing.
func (Disk) Lstat(path string) (classify.Info, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), isNotDir(err):
		return classify.Info{Type: byte(fingerprint.Absent)}, nil
	case err != nil:
		return classify.Info{}, err
	}
	out := classify.Info{Type: byte(typeOf(info.Mode())), Size: info.Size(), Links: 1}
	identify(info, &out)
	return out, nil
}

// ReadDir lists the names in a directory, sorted.
func (Disk) ReadDir(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// Readlink returns the text of a symbolic link.
func (Disk) Readlink(path string) (string, error) { return os.Readlink(path) }

// ErrTooLarge says that a file was not read because it is over the limit.
var ErrTooLarge = errors.New("file is larger than the limit")

// ReadFile reads a regular file of at most max bytes. It never opens a FIFO or
// a device.
func (Disk) ReadFile(path string, max int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	case info.Size() > max:
		return nil, &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = &fs.PathError{Op: "read", Path: path, Err: ErrTooLarge}
	}
	return data, err
}

// Listing returns the modification time of what is at path in nanoseconds and,
// for a directory, a hash of the names in it.
func (d Disk) Listing(path string) (mtime int64, names uint64, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, 0, err
	}
	if !info.IsDir() {
		return info.ModTime().UnixNano(), 0, nil
	}
	list, err := d.ReadDir(path)
	if err != nil {
		return 0, 0, err
	}
	return info.ModTime().UnixNano(), fingerprint.ContentOf([]byte(strings.Join(list, "\x00"))), nil
}

func typeOf(m fs.FileMode) fingerprint.Type {
	switch m.Type() {
	case 0:
		return fingerprint.File
	case fs.ModeDir:
		return fingerprint.Dir
	case fs.ModeSymlink:
		return fingerprint.Symlink
	case fs.ModeNamedPipe:
		return fingerprint.FIFO
	case fs.ModeSocket:
		return fingerprint.Socket
	case fs.ModeDevice:
		return fingerprint.Block
	default:
		return fingerprint.Char
	}
}

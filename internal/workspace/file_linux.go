package workspace

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/fingerprint"
)

// file is an open file; after openMeta one that can only be changed.
type file struct{ fd int }

func (f file) close()              { unix.Close(f.fd) }
func (f file) stat() (stat, error) { return fstat(f.fd) }

// readAt is like io.ReaderAt, but a short count without an error is possible.
func (f file) readAt(p []byte, off int64) (int, error) {
	for {
		n, err := unix.Pread(f.fd, p, off)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// osFile hands the descriptor over to an os.File.
func (f file) osFile(name string) *os.File { return os.NewFile(uintptr(f.fd), name) }

// extents are the data ranges of a file of the given size; nil when there is
// no hole. A file that is one hole gives one empty range. The file is at its
// start afterwards.
func (f file) extents(size int64) ([]fingerprint.Extent, error) {
	defer unix.Seek(f.fd, 0, unix.SEEK_SET)
	var out []fingerprint.Extent
	for off := int64(0); off < size; {
		data, err := unix.Seek(f.fd, off, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			break
		}
		if err != nil {
			return nil, ignoreUnsupported(err)
		}
		end, err := unix.Seek(f.fd, data, unix.SEEK_HOLE)
		if err != nil {
			return nil, ignoreUnsupported(err)
		}
		end = min(end, size)
		out = append(out, fingerprint.Extent{Off: data, Len: end - data})
		off = end
	}
	if len(out) == 0 {
		return []fingerprint.Extent{{}}, nil
	}
	if out[0] == (fingerprint.Extent{Off: 0, Len: size}) {
		return nil, nil
	}
	return out, nil
}

func ignoreUnsupported(err error) error {
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP) {
		return nil
	}
	return err
}

// utimes sets both times through a descriptor.
func utimes(fd int, atime, mtime int64) error {
	ts := [2]unix.Timespec{unix.NsecToTimespec(atime), unix.NsecToTimespec(mtime)}
	_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

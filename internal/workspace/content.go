package workspace

import (
	"errors"
	"io"

	"github.com/counterstep/counterstep/fingerprint"
)

// copyContent writes the content of an entry into an empty file and checks it
// on the way.
func (a *applier) copyContent(s *scratch, f file, e *fingerprint.Entry) (err error) {
	if e.Size == 0 {
		return nil
	}
	rc, err := a.open(*e)
	if err != nil {
		return &contentError{err}
	}
	defer func() {
		if closeErr := rc.Close(); err == nil && closeErr != nil {
			err = &contentError{closeErr}
		}
	}()
	var hash fingerprint.Hasher
	buf := s.room(min(e.Size+1, BigFile))
	for off := int64(0); ; {
		n, readErr := io.ReadFull(rc, buf)
		hash.Write(buf[:n])
		if err := writeData(f, buf[:n], off, e.Extents); err != nil {
			return err
		}
		off += int64(n)
		switch {
		case readErr == nil:
		case !errors.Is(readErr, io.EOF) && !errors.Is(readErr, io.ErrUnexpectedEOF):
			return &contentError{readErr}
		case off != e.Size || e.XXH != 0 && hash.Sum() != e.XXH:
			return &contentError{errContent}
		default:
			if e.Extents != nil {
				return f.truncate(e.Size)
			}
			return nil
		}
	}
}

// writeData writes the part of p that lies in data ranges; nil means all.
func writeData(f file, p []byte, off int64, extents []fingerprint.Extent) error {
	if extents == nil {
		return f.write(p, off)
	}
	for _, x := range extents {
		from, to := max(x.Off, off), min(x.Off+x.Len, off+int64(len(p)))
		if from < to {
			if err := f.write(p[from-off:to-off], from); err != nil {
				return err
			}
		}
	}
	return nil
}

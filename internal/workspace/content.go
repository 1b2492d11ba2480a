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
	if len(e.Extents) > 0 { // first: writing at the end may fill more than is written
		if err := f.truncate(e.Size); err != nil {
			return err
		}
	}
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
		case readErr == nil && off <= e.Size:
		case !errors.Is(readErr, io.EOF) && !errors.Is(readErr, io.ErrUnexpectedEOF):
			return &contentError{readErr}
		case off != e.Size || e.XXH != 0 && hash.Sum() != e.XXH:
			return &contentError{errContent}
		default:
			return nil
		}
	}
}

// writeData writes p but leaves the holes out. That a range is a hole is only
// believed when it is all zeros.
func writeData(f file, p []byte, off int64, data []fingerprint.Extent) error {
	if len(data) == 0 {
		return f.write(p, off)
	}
	end := off + int64(len(p))
	at := off
	for _, x := range append(data[:len(data):len(data)], fingerprint.Extent{Off: end}) {
		from, to := max(x.Off, at), min(x.Off+x.Len, end)
		if gap := p[at-off : min(from, end)-off]; !isZero(gap) {
			if err := f.write(gap, at); err != nil {
				return err
			}
		}
		if from < to {
			if err := f.write(p[from-off:to-off], from); err != nil {
				return err
			}
			at = to
		}
		at = max(at, min(from, end))
	}
	return nil
}

func isZero(p []byte) bool {
	for _, b := range p {
		if b != 0 {
			return false
		}
	}
	return true
}

package ledger

import (
	"bytes"
	"io"
)

// back reads the lines of a file from its end.
type back struct {
	r     io.ReaderAt
	chunk int64
	// end is where the next line to return ends; -1 when there is none.
	end int64
	// whole says that the file ends with a line break.
	whole bool
	// win is the part of the file that starts at at.
	win []byte
	at  int64
}

// backward reads r, which holds size bytes, chunk bytes at a time.
func backward(r io.ReaderAt, size, chunk int64) (*back, error) {
	b := &back{r: r, chunk: chunk, end: size, whole: true}
	if size == 0 {
		b.end = -1
		return b, nil
	}
	if err := b.load(size); err != nil {
		return nil, err
	}
	if b.whole = b.win[len(b.win)-1] == '\n'; b.whole {
		b.end--
	}
	return b, nil
}

// line returns the line before the last one returned, and where it starts; at
// the beginning of the file io.EOF. The bytes are valid until the next call,
// and nil for a line that is too long for a record.
func (b *back) line() (off int64, line []byte, err error) {
	if b.end < 0 {
		return 0, nil, io.EOF
	}
	end, start := b.end, int64(0)
	for pos := end; pos > 0; pos = b.at {
		if pos <= b.at || pos > b.at+int64(len(b.win)) {
			if err := b.load(pos); err != nil {
				return 0, nil, err
			}
		}
		if i := bytes.LastIndexByte(b.win[:pos-b.at], '\n'); i >= 0 {
			start = b.at + int64(i) + 1
			break
		}
	}
	b.end = start - 1
	switch {
	case end-start > maxRead:
		return start, nil, nil
	case start >= b.at && end <= b.at+int64(len(b.win)):
		return start, b.win[start-b.at : end-b.at], nil
	default:
		line = make([]byte, end-start)
		return start, line, readAt(b.r, line, start)
	}
}

// load makes win end at pos.
func (b *back) load(pos int64) error {
	n := min(pos, b.chunk)
	if int64(cap(b.win)) < n {
		b.win = make([]byte, n)
	}
	b.win, b.at = b.win[:n], pos-n
	return readAt(b.r, b.win, b.at)
}

// readAt fills p; bytes that are missing are an error.
func readAt(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case err == nil || err == io.EOF:
		return io.ErrUnexpectedEOF
	default:
		return err
	}
}

package store

import (
	"io"
	"os"
)

// window reads a file from its start to its end in large pieces.
type window struct {
	f   *os.File
	end int64 // of the file
	buf []byte
	at  int64 // where what is in buf lies
	n   int   // how much of buf is read
}

// each hands the bytes from from to to on, in pieces that are only valid during
// the call.
func (w *window) each(from, to int64, do func([]byte)) error {
	for from < to {
		if from < w.at || from >= w.at+int64(w.n) {
			n, err := w.f.ReadAt(w.buf[:min(int64(len(w.buf)), w.end-from)], from)
			if n == 0 {
				if err == nil {
					err = io.ErrUnexpectedEOF
				}
				w.n = 0
				return err
			}
			w.at, w.n = from, n
		}
		part := w.buf[from-w.at : min(int64(w.n), to-w.at)]
		do(part)
		from += int64(len(part))
	}
	return nil
}

package checkpoint

import (
	"encoding/binary"
	"io"

	"github.com/counterstep/counterstep/fingerprint"
)

// kind is what a chunk holds.
type kind byte

const (
	aContent kind = 'c' // the content of a file
	aRecord  kind = 'r' // a checkpoint
	anEpoch  kind = 'e' // records before this chunk do not count any more
)

// A chunk is a header and a body. All numbers are little-endian.
//
//	0   4   magic "CSk1"
//	4   1   kind
//	5   3   zero
//	8   8   length of the body
//	16  32  SHA-256 of the body
//	48  8   xxhash64 of the 48 bytes before
const (
	magic    = "CSk1"
	headSize = 56
)

// head is the header of a chunk.
type head struct {
	kind kind
	size int64
	sha  [32]byte
}

func (h head) append(b []byte) []byte {
	start := len(b)
	b = append(b, magic...)
	b = append(b, byte(h.kind), 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.size))
	b = append(b, h.sha[:]...)
	return binary.LittleEndian.AppendUint64(b, fingerprint.ContentOf(b[start:]))
}

// parseHead reads a header; false means that there is none.
func parseHead(b []byte) (h head, ok bool) {
	if len(b) < headSize || string(b[:4]) != magic || b[5]|b[6]|b[7] != 0 {
		return h, false
	}
	if binary.LittleEndian.Uint64(b[48:]) != fingerprint.ContentOf(b[:48]) {
		return h, false
	}
	size := binary.LittleEndian.Uint64(b[8:])
	if size > 1<<62 {
		return h, false
	}
	h = head{kind: kind(b[4]), size: int64(size), sha: [32]byte(b[16:48])}
	return h, h.kind == aContent || h.kind == aRecord || h.kind == anEpoch
}

// walk calls f with every whole chunk of a pack from an offset on, and returns
// where the last one ends. What follows was never finished.
func walk(r io.ReaderAt, from, size int64, f func(h head, body int64) error) (end int64, err error) {
	var buf [headSize]byte
	for from+headSize <= size {
		if n, err := r.ReadAt(buf[:], from); n < headSize {
			if err == io.EOF {
				return from, nil
			}
			return from, err
		}
		h, ok := parseHead(buf[:])
		if !ok || h.size > size-from-headSize {
			return from, nil
		}
		if err := f(h, from+headSize); err != nil {
			return from, err
		}
		from += headSize + h.size
	}
	return from, nil
}

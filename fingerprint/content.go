package fingerprint

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// Chunk is the length from which on a content is hashed in pieces, so that
// every processor can take part.
const Chunk = 8 << 20

// Hasher computes the content hash of a file that is written to it: xxhash64,
// and for more than 8 MiB xxhash64 over the big-endian xxhash64 of each 8 MiB.
// The zero Hasher is ready.
type Hasher struct {
	chunk  xxhash.Digest
	n      int // bytes in chunk
	outer  xxhash.Digest
	chunks int // complete chunks in outer
	ready  bool
}

// Write adds p. It never fails.
func (h *Hasher) Write(p []byte) (int, error) {
	if !h.ready {
		h.Reset()
	}
	total := len(p)
	for len(p) > 0 {
		if h.n == Chunk {
			h.close()
		}
		part := p[:min(len(p), Chunk-h.n)]
		h.chunk.Write(part)
		h.n += len(part)
		p = p[len(part):]
	}
	return total, nil
}

// Sum is the content hash of what was written so far.
func (h *Hasher) Sum() uint64 {
	if !h.ready {
		h.Reset()
	}
	if h.chunks == 0 {
		return h.chunk.Sum64()
	}
	last := *h
	last.close()
	return last.outer.Sum64()
}

// Reset makes h new.
func (h *Hasher) Reset() {
	*h = Hasher{ready: true}
	h.chunk.Reset()
	h.outer.Reset()
}

// close adds the open chunk to the outer hash.
func (h *Hasher) close() {
	var sum [8]byte
	binary.BigEndian.PutUint64(sum[:], h.chunk.Sum64())
	h.outer.Write(sum[:])
	h.chunks++
	h.chunk.Reset()
	h.n = 0
}

// ContentOf is the content hash of data.
func ContentOf(data []byte) uint64 {
	if len(data) <= Chunk {
		return xxhash.Sum64(data)
	}
	var h Hasher
	h.Write(data)
	return h.Sum()
}

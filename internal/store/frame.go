package store

import (
	"hash/crc32"
	"io"
	"sync"
)

// castagnoli is the polynomial that processors compute.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// framed writes a tar and keeps count. Everything that is not content is frame
// and goes into a checksum, so that no byte of a payload is without one.
type framed struct {
	w   io.Writer
	n   int64
	crc uint32
	// content says that content is being written.
	content bool
}

func (f *framed) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	f.n += int64(n)
	if !f.content {
		f.crc = crc32.Update(f.crc, castagnoli(), p[:n])
	}
	return n, err
}

// member takes the place that a header was just written for.
func (f *framed) member(size int64) member {
	m := member{at: f.n, size: size, crc: f.crc}
	f.crc = 0
	return m
}

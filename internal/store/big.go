package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/clone"
	"github.com/counterstep/counterstep/internal/fail"
)

// Big adds the content of f: in a file of its own that shares blocks with f
// where the file system can do that, else in the tar, without the holes that
// e.Extents leave. It reads f once and sets e.Size, e.XXH, e.SHA and e.Off or
// e.Big from the bytes that were stored. A failure to read f is a
// *SourceError. Called again for a path, only the last call counts.
func (st *Staging) Big(e *fingerprint.Entry, f *os.File) error {
	if err := st.ready(); err != nil {
		return err
	}
	return st.broken("write payload", st.big(e, f))
}

func (st *Staging) big(e *fingerprint.Entry, f *os.File) error {
	if e.Type != fingerprint.File {
		return fmt.Errorf("%q is not a file", e.Path)
	}
	if err := fail.Point("store.big"); err != nil {
		return err
	}
	if !st.noClone {
		done, err := st.clone(e, f)
		if done || err != nil {
			return err
		}
		st.noClone = true
	}
	return st.stream(e, f)
}

func (st *Staging) bigName(n int) string {
	return filepath.Join(st.dir, "big", strconv.Itoa(n))
}

// clone shares the blocks of f and hashes the clone, which cannot change any
// more. It reports false when this file system cannot.
func (st *Staging) clone(e *fingerprint.Entry, f *os.File) (done bool, err error) {
	if st.bigs == 0 {
		if err := makeDir(filepath.Join(st.dir, "big")); err != nil {
			return false, err
		}
	}
	name := st.bigName(st.bigs + 1)
	dst, err := newFile(name)
	if err != nil {
		return false, err
	}
	defer dst.Close()
	if clone.Try(dst, f) != nil {
		return false, os.Remove(name)
	}
	st.bigs++
	if _, err := dst.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	d := newDigest()
	n, err := io.CopyBuffer(d, onlyReader{dst}, make([]byte, 256<<10))
	if err != nil {
		return false, err
	}
	d.set(e, n)
	st.keep(e, member{}, st.bigs)
	return true, nil
}

// stream copies f into the tar.
func (st *Staging) stream(e *fingerprint.Entry, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return &SourceError{Path: e.Path, Err: err}
	}
	e.Size = info.Size()
	if holes(e.Extents, e.Size) {
		return st.sparse(e, f)
	}
	if err := st.tw.WriteHeader(header(e)); err != nil {
		return err
	}
	m := st.out.member(e.Size)
	d := newDigest()
	read, err := st.copy(st.tw, d, io.NewSectionReader(f, 0, e.Size), e.Size)
	d.set(e, read)
	st.keep(e, m, 0)
	if err != nil && !errors.Is(err, errSource) {
		return err
	}
	return sourceError(e.Path, err)
}

// sparse copies the extents of f into the tar.
func (st *Staging) sparse(e *fingerprint.Entry, f *os.File) error {
	list := sparseMap(e.Extents, e.Size)
	body := int64(len(list)) + stored(e.Extents)
	head, err := sparseHeader(header(e), body, e.Size)
	if err == nil {
		err = st.tw.Flush()
	}
	if err != nil {
		return err
	}
	for _, part := range [][]byte{head, list} {
		if _, err := st.out.Write(part); err != nil {
			return err
		}
	}
	m := st.out.member(stored(e.Extents))
	m.packed = true
	d := newDigest()
	at := int64(0)
	var failed error
	for _, x := range e.Extents {
		d.zeros(x.Off - at)
		at = x.Off + x.Len
		n, err := st.copy(&st.out, d, io.NewSectionReader(f, x.Off, x.Len), x.Len)
		if err == nil && n < x.Len {
			err = errors.Join(errSource, io.ErrUnexpectedEOF)
		}
		if err != nil && !errors.Is(err, errSource) {
			return err
		}
		if err != nil {
			failed = err
		}
	}
	d.zeros(e.Size - at)
	d.set(e, e.Size)
	st.keep(e, m, 0)
	if _, err := st.out.Write(make([]byte, padding(m.size))); err != nil {
		return err
	}
	return sourceError(e.Path, failed)
}

// errSource marks an error of the source.
var errSource = errors.New("source")

func sourceError(path string, err error) error {
	if err == nil {
		return nil
	}
	return &SourceError{Path: path, Err: err}
}

// copy writes want bytes of r to w as content, hashes them, and returns how
// many there were. What is missing is filled up with zeros, so that the tar
// stays whole.
func (st *Staging) copy(w io.Writer, d *digest, r io.Reader, want int64) (read int64, err error) {
	st.out.content = true
	defer func() { st.out.content = false }()
	buf := make([]byte, min(want, 256<<10))
	for read < want {
		n, rerr := r.Read(buf[:min(want-read, int64(len(buf)))])
		d.Write(buf[:n])
		if _, err := w.Write(buf[:n]); err != nil {
			return read, err
		}
		read += int64(n)
		if rerr == io.EOF {
			break
		}
		if rerr != nil {
			err = errors.Join(errSource, rerr)
			break
		}
	}
	clear(buf)
	for left := want - read; left > 0; {
		n := min(left, int64(len(buf)))
		if _, err := w.Write(buf[:n]); err != nil {
			return read, err
		}
		left -= n
	}
	return read, err
}

// digest computes both hashes of a content.
type digest struct {
	xxh fingerprint.Hasher
	sha hash.Hash
}

func newDigest() *digest { return &digest{sha: sha256.New()} }

func (d *digest) Write(p []byte) (int, error) {
	d.xxh.Write(p)
	return d.sha.Write(p)
}

func (d *digest) zeros(n int64) {
	if n <= 0 {
		return
	}
	zero := make([]byte, min(n, 256<<10))
	for n > 0 {
		k, _ := d.Write(zero[:min(n, int64(len(zero)))])
		n -= int64(k)
	}
}

func (d *digest) set(e *fingerprint.Entry, size int64) {
	e.Size, e.XXH, e.SHA = size, d.xxh.Sum(), [32]byte(d.sha.Sum(nil))
}

// onlyReader hides everything but Read, so that a copy goes through its buffer.
type onlyReader struct{ io.Reader }

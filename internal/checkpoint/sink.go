package checkpoint

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// sink keeps contents that are not held yet.
type sink struct {
	set   *Set
	idx   *index
	out   *appender // opened with the first new content
	stats *Stats
	done  func()
}

var _ workspace.Sink = (*sink)(nil)

// held reports whether a content is held, by reading what is held.
func (k *sink) held(sha [32]byte) bool {
	at, ok := k.idx.content(sha)
	if !ok {
		return false
	}
	if k.out != nil && at.pack == k.out.pack && at.off >= k.out.start {
		return true // we have just put it there
	}
	if k.set.proven(&k.idx.packs, sha, at) {
		return true
	}
	k.idx.bad[at] = true
	return false
}

func (k *sink) open() (err error) {
	if k.out == nil {
		k.out, err = k.set.add(k.idx)
	}
	return err
}

// Small keeps a content that is at hand.
func (k *sink) Small(e *fingerprint.Entry, data []byte) error {
	k.stats.Read += int64(len(data))
	defer k.done()
	if k.held(e.SHA) {
		return nil
	}
	if err := k.open(); err != nil {
		return err
	}
	at, err := k.out.put(aContent, e.SHA, data)
	if err != nil {
		return err
	}
	k.idx.fresh[e.SHA] = at
	k.stats.Kept += at.size
	return nil
}

// Big keeps the content of an open file, which it reads once.
func (k *sink) Big(e *fingerprint.Entry, f *os.File) error {
	defer k.done()
	if err := k.open(); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return &workspace.UnreadableError{Path: e.Path, Err: err}
	}
	var xxh fingerprint.Hasher
	at, sha, err := k.out.stream(io.TeeReader(f, &xxh), sha256.New(), func(sha [32]byte) (bool, error) {
		return !k.held(sha), nil
	})
	k.stats.Read += at.size
	var src *sourceError
	if errors.As(err, &src) {
		return &workspace.UnreadableError{Path: e.Path, Err: src.error}
	}
	if err != nil {
		return err
	}
	e.Size, e.SHA, e.XXH = at.size, sha, xxh.Sum()
	if _, ok := k.idx.content(sha); !ok {
		k.idx.fresh[sha] = at
		k.stats.Kept += at.size
	}
	return nil
}

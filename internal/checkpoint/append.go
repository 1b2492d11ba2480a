package checkpoint

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
)

// packLimit is the size from which on a pack is not added to any more.
const packLimit = 64 << 20

// appender adds chunks to the last pack, or to a new one. Only the holder of
// the lock has one. Until sync returns, nothing counts.
type appender struct {
	set        *Set
	f          *os.File
	name       string
	pack       uint32
	start, pos int64 // where it began, where the next chunk goes
	dirty      int64 // the furthest byte that was written
	buf        []byte
	made       bool // the pack is new
	temp       bool // it has a temporary name
	syncs      int
}

// add opens the appender. The last pack is used when it is whole and small.
func (s *Set) add(idx *index) (*appender, error) {
	a := &appender{set: s}
	if n := len(idx.marks); n > 0 {
		last := idx.marks[n-1]
		a.pack = last.pack
		a.name = s.pack(a.pack)
		if last.size < packLimit && idx.ends[last.pack] == last.size {
			f, err := os.OpenFile(a.name, os.O_RDWR|noFollow, 0)
			if err != nil {
				return nil, trouble("open the pack", err)
			}
			a.f, a.start, a.pos, a.dirty = f, last.size, last.size, last.size
			return a, nil
		}
	}
	a.pack++
	a.name = s.pack(a.pack)
	f, err := os.OpenFile(a.name, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if err != nil {
		return nil, trouble("make a pack", err)
	}
	a.f, a.made = f, true
	return a, nil
}

// put adds a chunk whose body is at hand.
func (a *appender) put(k kind, sha [32]byte, body []byte) (place, error) {
	if err := fail.Point("checkpoint.put"); err != nil {
		return place{}, trouble("write the pack", err)
	}
	at := place{pack: a.pack, off: a.pos + int64(len(a.buf)) + headSize, size: int64(len(body))}
	a.buf = head{kind: k, size: at.size, sha: sha}.append(a.buf)
	a.buf = append(a.buf, body...)
	if len(a.buf) >= 1<<20 {
		return at, a.flush()
	}
	return at, nil
}

// flush writes what is buffered.
func (a *appender) flush() error {
	if len(a.buf) == 0 {
		return nil
	}
	if err := fail.Point("checkpoint.write"); err != nil {
		return trouble("write the pack", err)
	}
	n, err := a.f.WriteAt(a.buf, a.pos)
	a.dirty = max(a.dirty, a.pos+int64(n))
	if err != nil {
		return trouble("write the pack", err)
	}
	a.pos += int64(n)
	a.buf = a.buf[:0]
	return nil
}

// stream adds a content that is read from r, and hashes it. When keep says no
// to the hash, the chunk is not added. A failure of r is a *sourceError.
func (a *appender) stream(r io.Reader, h hash.Hash, keep func(sha [32]byte) (bool, error)) (at place, sha [32]byte, err error) {
	if err := a.flush(); err != nil {
		return at, sha, err
	}
	if err := fail.Point("checkpoint.stream"); err != nil {
		return at, sha, trouble("write the pack", err)
	}
	at = place{pack: a.pack, off: a.pos + headSize}
	buf := make([]byte, 256<<10)
	for {
		n, rerr := r.Read(buf)
		h.Write(buf[:n])
		if _, err := a.f.WriteAt(buf[:n], at.off+at.size); err != nil {
			return at, sha, trouble("write the pack", err)
		}
		at.size += int64(n)
		a.dirty = max(a.dirty, at.off+at.size)
		if rerr == io.EOF {
			break
		}
		if rerr != nil {
			return at, sha, &sourceError{rerr}
		}
	}
	sha = [32]byte(h.Sum(nil))
	if ok, err := keep(sha); !ok {
		return at, sha, err
	}
	if _, err := a.f.WriteAt(head{kind: aContent, size: at.size, sha: sha}.append(nil), a.pos); err != nil {
		return at, sha, trouble("write the pack", err)
	}
	a.pos = at.off + at.size
	return at, sha, nil
}

// sourceError is a failure to read what should be kept.
type sourceError struct{ error }

func (e *sourceError) Unwrap() error { return e.error }

// record adds a checkpoint.
func (a *appender) record(r *record) (place, error) {
	body := r.append(nil)
	return a.put(aRecord, sha256.Sum256(body), body)
}

// sync makes everything durable.
func (a *appender) sync() error {
	if err := a.flush(); err != nil {
		return err
	}
	if a.dirty > a.pos {
		if err := a.f.Truncate(a.pos); err != nil {
			return trouble("write the pack", err)
		}
	}
	if err := fail.Point("checkpoint.sync"); err != nil {
		return trouble("sync the pack", err)
	}
	if err := a.f.Sync(); err != nil {
		return trouble("sync the pack", err)
	}
	a.syncs++
	if !a.made {
		return nil
	}
	if err := fail.Point("checkpoint.syncdir"); err != nil {
		return trouble("sync the checkpoints", err)
	}
	if err := durable.SyncDir(a.set.dir); err != nil {
		return trouble("sync the checkpoints", err)
	}
	a.syncs++
	return nil
}

// mark is the pack as it is after the last write.
func (a *appender) mark() (mark, error) {
	info, err := a.f.Stat()
	if err != nil {
		return mark{}, trouble("look at the pack", err)
	}
	return markOf(a.pack, info), nil
}

// close ends the appender. What was not synced is taken away again; a process
// that is killed leaves it, which harms nobody.
func (a *appender) close(synced bool) {
	if !synced {
		var err error
		if a.made || a.temp {
			err = os.Remove(a.name)
		} else {
			err = a.f.Truncate(a.start)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			_ = err // it stays as an unfinished tail
		}
	}
	a.f.Close()
}

package store

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

// Staging is a payload that is being written. It is a sink of a capture: Small
// and Big must not be called at the same time. After an error every later call
// fails with it; Abort is always allowed.
type Staging struct {
	s   *Store
	id  string
	dir string // where it lies until Commit
	f   *os.File
	buf *bufio.Writer
	out framed
	tw  *tar.Writer
	err error

	// kept are the contents in the tar, by where they start, and paths where
	// the content of a path lies.
	kept    map[int64]kept
	paths   map[string]place
	orphans []member

	bigs    int
	noClone bool

	sealed *Sealed
	synced chan error
	done   bool
}

// kept is a content in the tar.
type kept struct {
	path string
	member
}

// place says where the content of a path lies.
type place struct {
	off int64
	big int
}

// Sealed says what a finished payload holds.
type Sealed struct {
	// Manifest and Call are the SHA-256 of the manifest and of call.json.
	Manifest, Call [32]byte
	// Bytes is the size of the captured contents, each counted once; Files is
	// how many entries are files.
	Bytes int64
	Files int
}

// Begin starts the payload of id. Until Commit it lies under a name that
// [Store.Sweep] recognises when this process dies.
func (s *Store) Begin(id string) (*Staging, error) {
	if err := s.writable(); err != nil {
		return nil, err
	}
	if !validID(id) {
		return nil, fmt.Errorf("begin payload: %q is no id", id)
	}
	if _, err := os.Lstat(filepath.Join(s.ShadowDir(), id)); err == nil {
		return nil, fmt.Errorf("begin payload: %s is there already", id)
	}
	st := &Staging{
		s: s, id: id, dir: filepath.Join(s.ShadowDir(), tempName("staging", id)),
		kept: map[int64]kept{}, paths: map[string]place{},
	}
	if err := st.open(); err != nil {
		return nil, trouble("begin payload", err)
	}
	return st, nil
}

func (st *Staging) open() error {
	if err := fail.Point("store.begin"); err != nil {
		return err
	}
	if err := os.Mkdir(st.dir, 0o700); err != nil {
		return err
	}
	err := os.Chmod(st.dir, 0o700)
	if err == nil {
		st.f, err = newFile(filepath.Join(st.dir, "payload.tar"))
	}
	if err != nil {
		os.RemoveAll(st.dir)
		return err
	}
	hold(st.f)
	st.buf = bufio.NewWriterSize(st.f, 256<<10)
	st.out.w = st.buf
	st.tw = tar.NewWriter(&st.out)
	return nil
}

// newFile makes a file that only we can read, whatever the umask.
func newFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// broken makes err final. Errors of the source are not: the store is fine.
func (st *Staging) broken(step string, err error) error {
	var source *SourceError
	if err == nil || errors.As(err, &source) {
		return err
	}
	st.err = trouble(step, err)
	return st.err
}

// ready fails when nothing can be added any more.
func (st *Staging) ready() error {
	switch {
	case st.err != nil:
		return st.err
	case st.sealed != nil || st.done:
		return fmt.Errorf("payload %s: %w", st.id, fs.ErrClosed)
	default:
		return nil
	}
}

// Small adds a file of which data is the whole content, and sets e.Off. The
// other fields of e, the hashes included, must be final.
func (st *Staging) Small(e *fingerprint.Entry, data []byte) error {
	if err := st.ready(); err != nil {
		return err
	}
	return st.broken("write payload", st.small(e, data))
}

func (st *Staging) small(e *fingerprint.Entry, data []byte) error {
	if e.Type != fingerprint.File || e.Size != int64(len(data)) {
		return fmt.Errorf("%q is not a file of %d bytes", e.Path, len(data))
	}
	if err := fail.Point("store.small"); err != nil {
		return err
	}
	if err := st.tw.WriteHeader(header(e)); err != nil {
		return err
	}
	m := st.out.member(e.Size)
	st.out.content = true
	_, err := st.tw.Write(data)
	st.out.content = false
	st.keep(e, m, 0)
	return err
}

// keep remembers where the content of e lies. What it had before is an orphan.
func (st *Staging) keep(e *fingerprint.Entry, m member, big int) {
	if old, ok := st.paths[e.Path]; ok {
		if old.big != 0 {
			os.Remove(st.bigName(old.big))
		} else {
			st.orphans = append(st.orphans, st.kept[old.off].member)
			delete(st.kept, old.off)
		}
	}
	e.Off, e.Big = m.at, big
	st.paths[e.Path] = place{off: m.at, big: big}
	if big == 0 {
		st.kept[m.at] = kept{path: e.Path, member: m}
	}
}

// StartSync begins to write back what was added so far, without waiting.
func (st *Staging) StartSync() {
	if st.ready() != nil {
		return
	}
	if st.broken("write payload", st.buf.Flush()) == nil {
		writeBack(st.f)
	}
}

// Abort removes what was written. After Commit it does nothing.
func (st *Staging) Abort() {
	if st.done {
		return
	}
	st.done = true
	if st.synced != nil {
		<-st.synced
	}
	st.f.Close()
	removeTree(st.dir)
}

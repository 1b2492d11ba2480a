package store

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
)

// Payload is a finished payload, open for reading. Its methods may be used by
// several goroutines.
type Payload struct {
	id   string
	dir  string
	f    *os.File
	size int64
	m    *manifest
	end  last
	// start is where the manifest starts.
	start int64
	// order are the entries that have a member in the tar, by where it is.
	order []int
}

// Payload opens the payload of id. When manifest is not zero the manifest must
// have that SHA-256. Damage is a *DamageError.
func (s *Store) Payload(id string, manifest [32]byte) (*Payload, error) {
	if !validID(id) {
		return nil, fmt.Errorf("%w: %q is no id", ErrNoPayload, id)
	}
	return openPayload(filepath.Join(s.ShadowDir(), id), id, manifest)
}

// Payload reads what was sealed, before it is committed: for a rehearsal. It
// must be closed before Commit or Abort.
func (st *Staging) Payload() (*Payload, error) {
	if st.err != nil {
		return nil, st.err
	}
	if st.sealed == nil || st.done {
		return nil, fmt.Errorf("payload %s is not sealed", st.id)
	}
	return openPayload(st.dir, st.id, st.sealed.Manifest)
}

func openPayload(dir, id string, want [32]byte) (*Payload, error) {
	f, err := openFile(filepath.Join(dir, "payload.tar"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w of %s", ErrNoPayload, id)
	}
	if err != nil {
		return nil, trouble("open payload", err)
	}
	p := &Payload{id: id, dir: dir, f: f}
	if err := p.load(want); err != nil {
		f.Close()
		return nil, err
	}
	return p, nil
}

// openFile opens a regular file for reading, and nothing else.
func openFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|noFollow|nonBlock, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")})
	}
	return f, nil
}

// load reads the manifest.
func (p *Payload) load(want [32]byte) error {
	data, at, size, err := manifestOf(p.f)
	if err != nil {
		return p.damage("", err.Error())
	}
	if want != ([32]byte{}) && sha256.Sum256(data) != want {
		return p.damage("", "the manifest is not the one that was armed")
	}
	m, end, err := decodeManifest(data)
	if err != nil {
		return p.damage("", err.Error())
	}
	if m.id != p.id {
		return p.damage("", "it is the payload of "+m.id)
	}
	p.m, p.end, p.start, p.size = m, end, at, size
	for i := range m.entries {
		if m.members[i].at != 0 {
			p.order = append(p.order, i)
		}
	}
	slices.SortFunc(p.order, func(a, b int) int { return cmp.Compare(m.members[a].at, m.members[b].at) })
	return nil
}

// manifestOf finds the manifest at the end of a tar.
func manifestOf(f *os.File) (data []byte, at, size int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, 0, err
	}
	size = info.Size()
	const zeros = 1024
	tail := make([]byte, min(size, zeros+512+512))
	if size%512 != 0 || int64(len(tail)) < zeros+512+512 {
		return nil, 0, size, errors.New("payload.tar is cut off")
	}
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return nil, 0, size, fmt.Errorf("read the end of payload.tar: %w", err)
	}
	stop := len(tail)
	for stop > 0 && tail[stop-1] == 0 {
		stop--
	}
	if pad := len(tail) - stop; pad < zeros || pad > zeros+511 || int64(stop) < lastLen {
		return nil, 0, size, errors.New("the end of payload.tar is damaged")
	}
	end, err := decodeLast(tail[int64(stop)-lastLen : stop])
	if err != nil {
		return nil, 0, size, err
	}
	at = size - int64(len(tail)-stop) - end.len
	if at < 512 || at%512 != 0 {
		return nil, 0, size, errors.New("the manifest does not fit into payload.tar")
	}
	data = make([]byte, end.len)
	if _, err := f.ReadAt(data, at); err != nil {
		return nil, 0, size, fmt.Errorf("read manifest: %w", err)
	}
	return data, at, size, nil
}

func (p *Payload) damage(path, reason string) error {
	return hint.With(&DamageError{ID: p.id, Path: path, Reason: reason}, "counterstep verify --read-data")
}

// Entries are the captured entries, sorted by path. They must not be changed.
func (p *Payload) Entries() []fingerprint.Entry { return p.m.entries }

// Close lets go of the payload. Readers that are open fail from then on.
func (p *Payload) Close() error { return p.f.Close() }

// Call is the content of call.json.
func (p *Payload) Call() ([]byte, error) {
	c := p.m.call
	if c.at == 0 || c.size < 0 || c.at > p.start-c.size {
		return nil, p.damage("", "call.json is missing")
	}
	data := make([]byte, c.size)
	if _, err := p.f.ReadAt(data, c.at); err != nil && c.size > 0 {
		return nil, p.damage("", "call.json: "+err.Error())
	}
	if sha256.Sum256(data) != p.m.callSHA {
		return nil, p.damage("", "call.json is damaged")
	}
	return data, nil
}

// Open reads the content of a file among Entries. Instead of io.EOF the last
// Read returns a *DamageError when the bytes are not those that were captured:
// nothing that was read may be used then.
func (p *Payload) Open(e fingerprint.Entry) (io.ReadCloser, error) {
	r := &content{p: p, path: e.Path, want: e.SHA, left: e.Size, hash: sha256.New()}
	switch {
	case e.Type != fingerprint.File:
		return nil, fmt.Errorf("payload %s: %q is not a file", p.id, e.Path)
	case e.Big != 0:
		f, err := openFile(filepath.Join(p.dir, "big", strconv.Itoa(e.Big)))
		if err != nil {
			return nil, p.damage(e.Path, err.Error())
		}
		if info, err := f.Stat(); err != nil || info.Size() != e.Size {
			f.Close()
			return nil, p.damage(e.Path, "its copy has another size")
		}
		r.r, r.c = f, f
		return r, nil
	}
	i, ok := p.find(e.Off)
	if !ok {
		return nil, p.damage(e.Path, "its content is not in the payload")
	}
	m := p.m.members[i]
	if e.Size < 0 || m.size < 0 || m.at > p.start-m.size || !m.packed && m.size < e.Size {
		return nil, p.damage(e.Path, "its content is not in the payload")
	}
	if m.packed {
		if !holes(e.Extents, e.Size) || stored(e.Extents) != m.size {
			return nil, p.damage(e.Path, "its holes do not fit")
		}
		r.r = &sparseReader{src: io.NewSectionReader(p.f, m.at, m.size), list: e.Extents, size: e.Size}
	} else {
		r.r = io.NewSectionReader(p.f, m.at, e.Size)
	}
	return r, nil
}

// find returns the entry whose member has its content at off.
func (p *Payload) find(off int64) (int, bool) {
	n, ok := slices.BinarySearchFunc(p.order, off, func(i int, off int64) int {
		return cmp.Compare(p.m.members[i].at, off)
	})
	if !ok {
		return 0, false
	}
	return p.order[n], true
}

// content reads a captured content and checks it at its end.
type content struct {
	p    *Payload
	path string
	want [32]byte
	left int64
	hash hash.Hash
	r    io.Reader
	c    io.Closer
}

func (c *content) Read(b []byte) (int, error) {
	if c.left == 0 {
		if [32]byte(c.hash.Sum(nil)) != c.want {
			return 0, c.p.damage(c.path, "its bytes are damaged")
		}
		return 0, io.EOF
	}
	n, err := c.r.Read(b[:min(int64(len(b)), c.left)])
	c.hash.Write(b[:n])
	c.left -= int64(n)
	switch {
	case err == io.EOF && c.left > 0:
		return n, c.p.damage(c.path, "its end is missing")
	case err == io.EOF:
		return n, nil
	default:
		return n, err
	}
}

func (c *content) Close() error {
	if c.c == nil {
		return nil
	}
	return c.c.Close()
}

// sparseReader puts the holes back between the extents of src.
type sparseReader struct {
	src  io.Reader
	list []fingerprint.Extent
	at   int64
	size int64
}

func (s *sparseReader) Read(b []byte) (int, error) {
	if len(s.list) > 0 && s.list[0].Off+s.list[0].Len == s.at {
		s.list = s.list[1:]
	}
	end := s.size
	inHole := true
	if len(s.list) > 0 {
		if inHole = s.at < s.list[0].Off; inHole {
			end = s.list[0].Off
		} else {
			end = s.list[0].Off + s.list[0].Len
		}
	}
	if s.at == s.size {
		return 0, io.EOF
	}
	b = b[:min(int64(len(b)), end-s.at)]
	n, err := len(b), error(nil)
	if inHole {
		clear(b)
	} else {
		n, err = s.src.Read(b)
	}
	s.at += int64(n)
	return n, err
}

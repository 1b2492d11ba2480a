package store

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/merge"
)

const (
	// KeptFile is the size in bytes up to which the content of a file that a
	// call left is kept, KeptCall the size of all of them together.
	KeptFile = 1 << 20
	KeptCall = 8 << 20
)

// Keeper is a sink for the look at what a call left: it keeps texts that the
// call changed, up to the limits. Everything else is only hashed. The zero
// value keeps all texts.
type Keeper struct {
	// Held, when set, is asked once, when there is something to keep, for the
	// contents that are held already.
	Held func() map[[32]byte]bool

	// Files and Bytes count what is kept, Left what was over a limit or no text.
	Files, Left int
	Bytes       int64

	asked    bool
	held     map[[32]byte]bool
	contents map[[32]byte][]byte
}

// Small keeps a content that is at hand.
func (k *Keeper) Small(e *fingerprint.Entry, data []byte) error {
	if !k.asked && k.Held != nil {
		k.held = k.Held()
	}
	k.asked = true
	switch {
	case k.held[e.SHA] || k.contents[e.SHA] != nil:
	case int64(len(data)) > KeptFile || k.Bytes+int64(len(data)) > KeptCall || merge.Binary(data):
		k.Left++
	default:
		if k.contents == nil {
			k.contents = map[[32]byte][]byte{}
		}
		k.contents[e.SHA] = append([]byte{}, data...)
		k.Files, k.Bytes = k.Files+1, k.Bytes+int64(len(data))
	}
	return nil
}

// Big reads and hashes a file that is too large to be kept.
func (k *Keeper) Big(e *fingerprint.Entry, f *os.File) error {
	var xxh fingerprint.Hasher
	sha := sha256.New()
	buf := make([]byte, 256<<10)
	var size int64
	for {
		n, err := f.ReadAt(buf, size)
		xxh.Write(buf[:n])
		sha.Write(buf[:n])
		size += int64(n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	e.Size, e.XXH, e.SHA = size, xxh.Sum(), [32]byte(sha.Sum(nil))
	k.Left++
	return nil
}

// PutKept writes what a Keeper kept for the post-state of id, in place of what
// was there. It is not synced: after a power cut it may be missing, or be
// damaged, which reading notices.
func (s *Store) PutKept(id string, k *Keeper) error {
	if len(k.contents) == 0 || !validID(id) {
		return nil
	}
	if err := s.writable(); err != nil {
		return err
	}
	shas := make([][32]byte, 0, len(k.contents))
	for sha := range k.contents {
		shas = append(shas, sha)
	}
	slices.SortFunc(shas, func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	return trouble("keep contents", s.putLoose(s.keptName(id), id, func(w io.Writer) error {
		tw := tar.NewWriter(w)
		for _, sha := range shas {
			data := k.contents[sha]
			h := &tar.Header{Name: hex.EncodeToString(sha[:]), Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(data))}
			if err := tw.WriteHeader(h); err != nil {
				return err
			}
			if _, err := tw.Write(data); err != nil {
				return err
			}
		}
		return tw.Close()
	}))
}

// putLoose writes a file whole or not at all, without a sync.
func (s *Store) putLoose(name, id string, write func(io.Writer) error) error {
	tmp := filepath.Join(s.postDir(), tempName("put", id))
	f, err := newFile(tmp)
	if errors.Is(err, fs.ErrExist) {
		os.Remove(tmp) // of a process that had our number and was killed
		f, err = newFile(tmp)
	}
	if err != nil {
		return err
	}
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp, name)
	}
	if err != nil {
		os.Remove(tmp)
	}
	return err
}

func (s *Store) keptName(id string) string { return filepath.Join(s.postDir(), id+".kept.tar") }

// Kept returns the contents that were kept for the post-state of id, by their
// SHA-256. What is missing or damaged is left out: nothing depends on it.
func (s *Store) Kept(id string) map[[32]byte][]byte {
	if !validID(id) {
		return nil
	}
	f, err := openFile(s.keptName(id))
	if err != nil {
		return nil
	}
	defer f.Close()
	out := map[[32]byte][]byte{}
	tr := tar.NewReader(io.LimitReader(f, 2*KeptCall+1<<20))
	for {
		h, err := tr.Next()
		if err != nil {
			return out
		}
		want, err := hex.DecodeString(h.Name)
		if err != nil || len(want) != sha256.Size || h.Size < 0 || h.Size > KeptFile {
			continue
		}
		data, err := io.ReadAll(tr)
		if err == nil && sha256.Sum256(data) == [32]byte(want) {
			out[[32]byte(want)] = data
		}
	}
}

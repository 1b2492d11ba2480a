package checkpoint

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/fail"
)

const indexMagic = "CSindex1"

// writeIndex replaces the file. That it fails costs time later, no more.
func (s *Set) writeIndex(x *index) error {
	b := []byte(indexMagic)
	b = binary.AppendUvarint(b, uint64(len(x.ends)))
	for _, m := range x.marks {
		b = binary.AppendUvarint(b, uint64(m.pack))
		b = binary.AppendUvarint(b, uint64(x.ends[m.pack]))
	}
	b = binary.AppendUvarint(b, uint64(len(x.recs)))
	for i := range x.recs {
		b = x.recs[i].append(b)
	}
	rows := x.rows()
	b = binary.AppendUvarint(b, uint64(len(rows)/rowSize))
	b = append(b, rows...)
	b = binary.LittleEndian.AppendUint64(b, fingerprint.ContentOf(b))
	return replace(s.index, b)
}

func (k *known) append(b []byte) []byte {
	b = appendText(b, k.ID)
	b = binary.AppendVarint(b, k.Time.UnixNano())
	b = append(b, k.State[:]...)
	b = append(b, bit(k.Partial))
	for _, n := range [...]int64{int64(k.Files), k.Bytes, k.weight, int64(k.at.pack), k.at.off, k.at.size} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return appendText(b, k.parent)
}

func (s *scanner) known() (k known) {
	k.ID = s.text()
	k.Time = time.Unix(0, s.int()).UTC()
	k.State = s.hash()
	k.Partial = s.byte() == 1
	k.Files, k.Bytes, k.weight = int(s.size()), s.size(), s.size()
	k.at = place{pack: uint32(s.uint()), off: s.size(), size: s.size()}
	k.parent = s.text()
	return k
}

// readIndex reads the file; nil when there is none that can be used.
func (s *Set) readIndex() *index {
	data, err := os.ReadFile(s.index)
	if err != nil || !sealed(data, indexMagic) {
		return nil
	}
	x := newIndex()
	sc := scan(data[len(indexMagic) : len(data)-8])
	for range sc.length() {
		n := uint32(sc.uint())
		x.ends[n] = sc.size()
	}
	for range sc.length() {
		x.addRecord(sc.known())
	}
	n := sc.length()
	x.table = sc.bytes(min(n, len(sc.b)) * rowSize)
	if sc.end() != nil || len(x.table) != n*rowSize {
		return nil
	}
	return x
}

// sealed reports whether data begins with a magic and ends with the hash of
// everything before.
func sealed(data []byte, magic string) bool {
	n := len(data) - 8
	return n >= len(magic) && string(data[:len(magic)]) == magic &&
		binary.LittleEndian.Uint64(data[n:]) == fingerprint.ContentOf(data[:n])
}

// replace writes a file that may be lost.
func replace(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*.tmp")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = fail.Point("checkpoint.replace")
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		if rerr := os.Remove(tmp.Name()); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			return errors.Join(err, rerr)
		}
	}
	return err
}

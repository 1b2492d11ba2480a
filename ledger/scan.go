package ledger

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
)

// Line is one good record and where it lies.
type Line struct {
	// Offset is where the line starts, Len its length without the line break.
	Offset int64
	Len    int
	// Hash is the SHA-256 of the line.
	Hash   [32]byte
	Record Record
}

// Report is what a scan found.
type Report struct {
	Records int
	// End is how many bytes were read.
	End int64
	// Damage is in the order of the file. At most 1,000 places are listed,
	// More is how many there are beyond them.
	Damage []Damage
	More   int
}

// Corrupt reports whether there is damage that no append heals.
func (r Report) Corrupt() bool {
	for _, d := range r.Damage {
		if d.State == Corrupt {
			return true
		}
	}
	return r.More > 0
}

// Scan reads records from r, oldest first, and hands the good ones to visit,
// which may be nil. It stops at the first error of r or visit; damage is no
// error. Memory is bounded whatever r holds.
func Scan(r io.Reader, visit func(Line) error) (Report, error) {
	s := scanner{prev: noPrev, visit: visit, decode: decode}
	err := s.scan(r)
	return s.report, err
}

// ReadAll reads the whole ledger in dir, oldest first. A missing ledger is
// empty.
func ReadAll(dir string) ([]Record, Report, error) {
	f, err := os.OpenFile(Path(dir), os.O_RDONLY|noFollow, 0)
	if os.IsNotExist(err) {
		return nil, Report{}, nil
	}
	if err != nil {
		return nil, Report{}, err
	}
	defer f.Close()
	var records []Record
	report, err := Scan(f, func(l Line) error {
		records = append(records, l.Record)
		return nil
	})
	return records, report, err
}

// scanner is the state of a scan between two pieces of the file.
type scanner struct {
	visit  func(Line) error
	decode func(line []byte) (Record, error)
	report Report
	// seq, prev and id are of the last good record.
	seq  uint64
	prev string
	id   string
	// bad collects the bad bytes since then; long says that the piece before
	// was the beginning of the same line.
	bad  *run
	long bool
}

func (s *scanner) scan(r io.Reader) error {
	in := bufio.NewReaderSize(r, maxRead+2)
	for {
		piece, err := in.ReadSlice('\n')
		if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		whole := err == nil
		if whole {
			piece = piece[:len(piece)-1]
		}
		if len(piece) > 0 || whole {
			if verr := s.piece(piece, whole, err == io.EOF); verr != nil {
				return verr
			}
		}
		if err == io.EOF {
			s.finish()
			return nil
		}
	}
}

// piece takes a line without its line break, or a part of one that is too long
// for a record. atEnd says that the file ends without a line break.
func (s *scanner) piece(p []byte, whole, atEnd bool) error {
	off := s.report.End
	s.report.End += int64(len(p))
	if whole {
		s.report.End++
	}
	part := s.long || !whole && !atEnd
	s.long = !whole && !atEnd
	var r Record
	err := errors.New("no record has this length")
	if !part {
		r, err = s.decode(p)
	}
	if err != nil {
		if s.bad == nil {
			s.bad = &run{off: off, hash: sha256.New(), reason: err.Error()}
		}
		s.bad.add(p, whole)
		return nil
	}
	line := Line{Offset: off, Len: len(p), Hash: sha256.Sum256(p), Record: r}
	s.good(line)
	if s.visit == nil {
		return nil
	}
	return s.visit(line)
}

// good checks that a record follows what came before it.
func (s *scanner) good(l Line) {
	r := l.Record
	follows := r.Prev == s.prev && r.Seq == s.seq+1
	switch {
	case s.bad != nil:
		d := s.bad.damage(s.seq, r.Seq)
		if follows && r.Kind == Recovered && s.bad.matches(r.Gap) {
			d.State, d.IDs = Healed, nil
		}
		s.add(d)
	case !follows:
		s.add(s.broken(l))
	case r.Kind == Recovered:
		s.add(Damage{
			State: Corrupt, Offset: l.Offset, Len: int64(l.Len), After: s.seq, Before: r.Seq,
			IDs: []string{s.id}, Reason: "the damaged bytes that the record names are gone",
		})
	}
	s.seq, s.prev, s.id, s.bad = r.Seq, prevOf(l.Hash), r.ID, nil
	s.report.Records++
}

// broken is a record that does not follow the one before it.
func (s *scanner) broken(l Line) Damage {
	d := Damage{State: Corrupt, Offset: l.Offset, Len: int64(l.Len), After: s.seq, Before: l.Record.Seq}
	switch {
	case s.seq == 0:
		d.Reason = "the beginning is missing"
	case l.Record.Seq == s.seq+1:
		d.Reason = fmt.Sprintf("record %d or %d was altered", s.seq, l.Record.Seq)
		d.IDs = []string{s.id, l.Record.ID}
	default:
		d.Reason = fmt.Sprintf("record %d follows record %d", l.Record.Seq, s.seq)
	}
	return d
}

// finish takes note of bad bytes at the end.
func (s *scanner) finish() {
	if s.bad != nil {
		d := s.bad.damage(s.seq, 0)
		d.State = Torn
		s.add(d)
	}
}

func (s *scanner) add(d Damage) {
	if len(s.report.Damage) == 1000 {
		s.report.More++
		return
	}
	s.report.Damage = append(s.report.Damage, d)
}

package ledger

import (
	"errors"
	"io"
)

// State classifies damage.
type State string

const (
	// Torn: bad bytes at the end that were never acknowledged. The next Append
	// heals them.
	Torn State = "torn"
	// Healed: bad bytes that the Recovered record behind them names.
	Healed State = "healed"
	// Corrupt: anything else: bad bytes, or a record that does not follow the
	// one before it.
	Corrupt State = "corrupt"
)

// Damage is one place where the ledger is not what was written.
type Damage struct {
	State       State
	Offset, Len int64
	// After and Before are the sequence numbers of the good records around it;
	// 0 when there is none.
	After, Before uint64
	// IDs are ids that could still be read in the damaged bytes.
	IDs    []string
	Reason string
}

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
	End    int64
	Damage []Damage
}

// Scan reads records from r, oldest first, and hands the good ones to visit,
// which may be nil. It stops at the first error of r or visit; damage is no
// error. Memory is bounded whatever r holds.
func Scan(r io.Reader, visit func(Line) error) (Report, error) {
	return Report{}, errors.New("not yet")
}

// ReadAll reads the whole ledger in dir, oldest first. A missing ledger is
// empty.
func ReadAll(dir string) ([]Record, Report, error) { return nil, Report{}, errors.New("not yet") }

// Affects reports whether the damage may hide a record of s, so that s must
// not be fired. Damage that names ids affects these alone.
func (d Damage) Affects(s Saga) bool { return d.State == Corrupt }

package ledger

import (
	"bytes"
	"hash"
	"slices"
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
	// IDs are the ids that the damage is about, as far as they can be told: in
	// bad bytes those that can still be read.
	IDs []string
	// Reason says what is wrong, for people.
	Reason string
}

// Affects reports whether the damage may hide a record of s or may have
// altered one, so that s must not be fired. Damage that names ids affects
// these; other damage affects the sagas of which nothing newer is known.
func (d Damage) Affects(s Saga) bool {
	switch {
	case d.State != Corrupt:
		return false
	case slices.Contains(d.IDs, s.ID):
		return true
	case len(d.IDs) > 0:
		return false
	default:
		return s.Armed.Seq <= d.After && s.Last.Seq <= d.After
	}
}

// run is a sequence of bad lines.
type run struct {
	off, size int64
	hash      hash.Hash
	reason    string
	ids       []string
	// broken says that the last line ended with a line break, which is not in
	// size and hash yet: the healer may have written it.
	broken bool
}

func (b *run) add(p []byte, whole bool) {
	b.flush()
	b.size += int64(len(p))
	b.hash.Write(p)
	b.broken = whole
	for len(b.ids) < 16 {
		i := bytes.Index(p, []byte(`"id":"`))
		if i < 0 {
			return
		}
		p = p[i+6:]
		if n := bytes.IndexByte(p, '"'); n == 26 && isID(p[:n]) {
			b.ids = append(b.ids, string(p[:n]))
		}
	}
}

func (b *run) flush() {
	if b.broken {
		b.broken = false
		b.size++
		b.hash.Write([]byte("\n"))
	}
}

// damage describes the run. Ids that were read in it are trusted only when
// nothing else was lost.
func (b *run) damage(after, before uint64) Damage {
	d := Damage{State: Corrupt, Offset: b.off, Len: b.size, After: after, Before: before, Reason: b.reason}
	if before == 0 || uint64(len(b.ids)) == before-after-1 {
		d.IDs = b.ids
	}
	return d
}

// matches reports whether g names the bytes of the run, with or without the
// line break at their end.
func (b *run) matches(g *Gap) bool {
	if g == nil || g.Offset != b.off {
		return false
	}
	if g.Len == b.size+1 && b.broken {
		b.flush()
	}
	return g.Len == b.size && g.SHA256 == prevOf([32]byte(b.hash.Sum(nil)))
}

// isID reports whether p could be a ULID.
func isID(p []byte) bool {
	for _, c := range p {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

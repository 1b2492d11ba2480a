package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// books are the ledger as a retention reads it.
type books struct {
	sagas   map[string]ledger.Saga
	damage  []ledger.Damage
	corrupt bool
	records []ledger.Record
	age     []time.Duration // of each record, by the ledger's own time
	// favoured are the sagas of the newest prompts of each session.
	favoured map[string]bool
}

// readBooks reads the ledger. Its own time passes from record to record, and a
// pause counts as a day at most: a clock that jumps, in whatever direction and
// for however long, adds no more than that. So nothing is old only because the
// clock says so.
func readBooks(st *store.Store, now time.Time) (*books, error) {
	records, report, err := ledger.ReadAll(st.LedgerDir())
	if err != nil {
		return nil, err
	}
	b := &books{sagas: map[string]ledger.Saga{}, damage: report.Damage, corrupt: report.Corrupt(), records: records, favoured: ledger.Newest(records, ledger.KeepPrompts), age: make([]time.Duration, len(records))}
	for _, s := range ledger.Fold(records) {
		b.sagas[s.ID] = s
	}
	next, age := now, time.Duration(0)
	for i, r := range slices.Backward(records) {
		age += min(max(next.Sub(r.Time), 0), day)
		b.age[i], next = age, r.Time
	}
	return b, nil
}

// expired reports whether the payload of id can go. The reason is what the
// ledger is to say about it, empty when it has been said.
func (b *books) expired(id string, now time.Time) (reason string, ok bool) {
	u, err := ulid.ParseStrict(id)
	if err != nil {
		return "", false
	}
	made := ulid.Time(u.Time())
	s, known := b.sagas[id]
	switch {
	case known && s.Status == ledger.IsForgotten:
		return "", true // killed between the record and the removal
	case !known || s.Manifest == "" || s.Status == ledger.IsCall:
		ok = !b.corrupt && now.Sub(made) > orphanTime && b.since(made) > orphanTime
		if known && s.Status == ledger.IsCall {
			return "", ok
		}
		return "no call was armed with it", ok
	case s.Status == ledger.IsFiring || slices.ContainsFunc(b.damage, func(d ledger.Damage) bool { return d.Affects(s) }):
		return "", false
	}
	return fmt.Sprintf("kept for %d days", keepTime/day), !b.favoured[id] && now.Sub(made) > keepTime && b.after(s.Last.Seq) > keepTime
}

// since is how long ago the clock showed t for the last time.
func (b *books) since(t time.Time) time.Duration {
	for i, r := range slices.Backward(b.records) {
		if !r.Time.After(t) {
			return b.age[i]
		}
	}
	if len(b.age) == 0 {
		return 0
	}
	return b.age[0]
}

// after is how old the record seq is.
func (b *books) after(seq uint64) time.Duration {
	i, ok := slices.BinarySearchFunc(b.records, seq, func(r ledger.Record, seq uint64) int {
		switch {
		case r.Seq < seq:
			return -1
		case r.Seq > seq:
			return 1
		}
		return 0
	})
	if !ok {
		return 0
	}
	return b.age[i]
}

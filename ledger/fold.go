package ledger

import "slices"

// Fold adds up records, given in any order, into sagas, the newest first. A
// saga starts when its first record was written.
func Fold(records []Record) []Saga {
	records = slices.Clone(records)
	slices.SortStableFunc(records, func(a, b Record) int {
		switch {
		case a.Seq < b.Seq:
			return -1
		case a.Seq > b.Seq:
			return 1
		default:
			return 0
		}
	})
	var order []*Saga
	sagas := map[string]*Saga{}
	count := counts(records)
	for i, r := range records {
		if r.Kind == Recovered {
			continue // it is about bytes, its id only says who found them
		}
		s := sagas[r.ID]
		if s == nil {
			s = &Saga{ID: r.ID}
			sagas[r.ID] = s
			order = append(order, s)
		}
		s.number(r, count[i])
		s.apply(r)
		if s.Status == IsFired || s.Status == IsStale {
			takeBack(sagas, s)
		}
		if r.Kind == Armed && r.Undoes != "" && sagas[r.Undoes] != nil {
			o := sagas[r.Undoes]
			if o.Part() {
				o.parts = append(o.parts, part{o.UndoneBy, o.Last})
			}
			o.UndoneBy = r.ID
		}
	}
	folded := make([]Saga, 0, len(order))
	for _, s := range slices.Backward(order) {
		folded = append(folded, *s)
	}
	return folded
}

// number takes the number over that a record gives its saga.
func (s *Saga) number(r Record, c Count) {
	switch {
	case r.IsAction(): // armed ahead and then called: the newer record counts
		s.Number = c.Actions
	case r.Kind == Checkpoint:
		s.Number = c.Prompts
	}
}

// takeBack gives the saga whose firing s undid the status it had before. When
// that firing itself had taken one back, that one stands again, and so on.
func takeBack(sagas map[string]*Saga, s *Saga) {
	o := sagas[s.Armed.Undoes]
	if o == nil || o.UndoneBy != s.ID || o.Status != IsFired && o.Status != IsStale && o.Status != IsConflict {
		return
	}
	if n := len(o.parts) - 1; n >= 0 && o.parts[n].undoneBy != s.ID {
		// The part that was fired before it stands again.
		o.Status, o.UndoneBy, o.Last, o.parts = IsStale, o.parts[n].undoneBy, o.parts[n].last, o.parts[:n]
		return
	}
	o.Status, o.UndoneBy = o.rest, ""
	for fired := true; o.Armed.Undoes != ""; fired = !fired {
		next := sagas[o.Armed.Undoes]
		if next == nil || next.Armed.Seq >= o.Armed.Seq {
			return
		}
		if fired {
			next.Status, next.UndoneBy = IsFired, o.ID
		} else {
			next.Status, next.UndoneBy = next.rest, ""
		}
		o = next
	}
}

// apply moves the saga on by one record. Kinds that are not known change
// nothing.
func (s *Saga) apply(r Record) {
	if r.Intent != "" && (s.Intent == "" || r.Kind == Noted) {
		s.Intent = r.Intent
	}
	if r.UUID != "" {
		s.UUID = r.UUID
	}
	status, start := outcome(r)
	switch {
	case s.Status == IsForgotten:
		return // nothing brings it back
	case r.Kind == Repacked:
		s.Manifest, s.Last = r.Manifest, r
		return
	case status == "":
		return
	case r.Kind == Barrier && s.Status != "":
		s.Barriers = append(s.Barriers, r.Barrier...)
		return // it says more about a saga that stays what it is
	}
	// What was armed before its call is armed again by it.
	if r.Again && r.Kind == Armed && s.Armed.Kind == Armed {
		s.Armed = r
	}
	// A call that turns out to have created something is that from then on.
	if start && (s.Armed.Kind == "" || s.Armed.Kind == Call && r.Kind == Created) {
		s.Armed, s.Manifest = r, r.Manifest
		s.Barriers = append(s.Barriers, r.Barrier...)
	}
	if r.Kind == Settled {
		s.Settle = &r
		if !resting(s.Status) {
			s.rest = status // fired before its call was settled
			return
		}
	}
	s.Status, s.Last = status, r
	switch {
	case resting(status):
		s.rest = status
	case r.Kind == Rewind:
		s.rest = IsRedone
	}
}

// resting reports whether a saga in this status waits to be fired, or never
// will be.
func resting(s Status) bool {
	switch s {
	case IsFiring, IsFired, IsStale, IsConflict, IsFailed, IsRefused, IsForgotten:
		return false
	default:
		return true
	}
}

// outcome is the status that a record gives its saga, and whether a saga can
// start with it.
func outcome(r Record) (status Status, start bool) {
	switch r.Kind {
	case Armed:
		if r.Background {
			return IsOpen, true
		}
		return IsArmed, true
	case Settled:
		if r.Background {
			return IsOpen, false
		}
		return IsSettled, false
	case Call, Created, Refused, Checkpoint, Barrier, Unguarded:
		return Status(r.Kind), true
	case Rewind:
		return IsFiring, true
	case Firing, Fired, Stale, Conflict, Failed, Forgotten:
		return Status(r.Kind), false
	default:
		return "", false
	}
}

package ledger

import "io"

// Count says how many of what people give numbers to a ledger holds. Every
// record that is written carries it, so that the next one is numbered without
// reading more than the last line.
type Count struct {
	// Actions are mutating calls: records of kind Armed and Created that undo
	// nothing. The number of such a record's saga is the Actions of its own
	// Count; it never changes, whatever becomes of the saga.
	Actions int `json:"actions"`
	// Prompts are records of kind Checkpoint, numbered in the same way.
	Prompts int `json:"prompts"`
}

// IsAction reports whether a record starts a saga that has an action number:
// a call of an agent that was armed, or that turned out to have created
// something. Undos have none.
func (r Record) IsAction() bool {
	return (r.Kind == Armed || r.Kind == Created) && r.Undoes == "" && !r.Again
}

// add counts a record.
func (c Count) add(r Record) Count {
	switch {
	case r.IsAction():
		c.Actions++
	case r.Kind == Checkpoint:
		c.Prompts++
	}
	return c
}

// minus takes the records of d away.
func (c Count) minus(d Count) Count {
	return Count{Actions: c.Actions - d.Actions, Prompts: c.Prompts - d.Prompts}
}

// countOf is the count behind last, the record that b returned before. Where
// last has none, as those of earlier versions, the records before it are
// counted, back to one that has.
func countOf(last Record, b *back) (Count, error) {
	if last.Count != nil {
		return *last.Count, nil
	}
	seen := Count{}.add(last)
	for {
		_, line, err := b.line()
		if err == io.EOF {
			return seen, nil
		}
		if err != nil {
			return seen, err
		}
		r, err := decode(line)
		if err != nil {
			continue
		}
		if r.Count != nil {
			return Count{r.Count.Actions + seen.Actions, r.Count.Prompts + seen.Prompts}, nil
		}
		seen = seen.add(r)
	}
}

// counts gives the count of every record, in the order of their Seq, those of an
// earlier version included. It is zero where it cannot be told: records without
// one that are not joined, without a gap, to the beginning of the ledger or to
// one that has it.
func counts(records []Record) []Count {
	out := make([]Count, len(records))
	for from := 0; from < len(records); {
		to := from + 1
		for to < len(records) && records[to].Seq == records[to-1].Seq+1 {
			to++
		}
		countRun(records[from:to], out[from:to])
		from = to
	}
	return out
}

// countRun counts records without a gap between them.
func countRun(run []Record, out []Count) {
	known := run[0].Seq == 1
	var at, before Count
	for i := 0; i < len(run) && !known; i++ {
		before = before.add(run[i])
		if c := run[i].Count; c != nil {
			at, known = c.minus(before), true
		}
	}
	if !known {
		return
	}
	for i, r := range run {
		at = at.add(r)
		if r.Count != nil {
			at = *r.Count
		}
		out[i] = at
	}
}

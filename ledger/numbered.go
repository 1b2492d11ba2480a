package ledger

import (
	"bytes"
	"fmt"
	"strings"
)

// Action is the id of the saga with action number n, empty when there is none.
// It reads from the end, and of an older action only its own line is decoded.
func Action(dir string, n int) (id string, err error) {
	err = numbered(dir, n, func(c Count) int { return c.Actions }, Record.IsAction, &id)
	return id, err
}

// Prompt is the id of the checkpoint with prompt number n, empty when there is
// none.
func Prompt(dir string, n int) (id string, err error) {
	err = numbered(dir, n, func(c Count) int { return c.Prompts }, func(r Record) bool { return r.Kind == Checkpoint }, &id)
	return id, err
}

func numbered(dir string, n int, of func(Count) int, is func(Record) bool, id *string) error {
	if n <= 0 {
		return nil
	}
	// What a line with number n says in its count, whichever of the two it is.
	marks := [][]byte{fmt.Appendf(nil, `"actions":%d,`, n), fmt.Appendf(nil, `"prompts":%d}`, n)}
	old := false
	err := walk(dir, func(line []byte) bool {
		if !bytes.Contains(line, []byte(`"count":{`)) {
			old = true // from here to the beginning nothing has a count
			return true
		}
		return bytes.Contains(line, marks[0]) || bytes.Contains(line, marks[1])
	}, func(r Record) bool {
		switch {
		case old, r.Count == nil:
			return false
		case is(r) && of(*r.Count) == n:
			*id = r.ID
			return false
		}
		return of(*r.Count) >= n
	})
	if err != nil || !old || *id != "" {
		return err
	}
	records, _, err := ReadAll(dir)
	if err != nil {
		return err
	}
	for i, c := range counts(records) {
		if is(records[i]) && of(c) == n {
			*id = records[i].ID
			return nil
		}
	}
	return nil
}

// Trace returns what is needed to fold every saga whose id begins with idPrefix
// (upper or lower case) to its right status, newest first: its own records, and
// those of all undos. Other sagas that they fold to are not whole. Lines of
// other calls are passed over without being decoded. With a whole id it reads no
// further than to the record that the saga begins with.
func Trace(dir, idPrefix string) ([]Record, error) {
	own, undo := []byte(`"id":"`+strings.ToUpper(idPrefix)), []byte(`"undoes":"`)
	var records []Record
	err := walk(dir, func(line []byte) bool {
		return bytes.Contains(line, own) || bytes.Contains(line, undo)
	}, func(r Record) bool {
		records = append(records, r)
		_, start := outcome(r)
		return !start || len(idPrefix) != lenID || r.ID != strings.ToUpper(idPrefix)
	})
	return records, err
}

// lenID is the length of a ULID.
const lenID = 26

// Marked hands the good records whose line contains one of marks to visit, newest
// first, until visit returns false. Other lines are not decoded. A mark with an
// unescaped quote cannot stand inside a text.
func Marked(dir string, visit func(Record) (more bool), marks ...string) error {
	return walk(dir, func(line []byte) bool {
		for _, m := range marks {
			if bytes.Contains(line, []byte(m)) {
				return true
			}
		}
		return false
	}, visit)
}

// Recent folds the newest part of the ledger in dir: at least so much that want
// is satisfied with the sagas whose beginning was read, newest first. The sagas
// it is handed are whole; want is asked again with more of them as long as it
// returns false and there is more. It returns the last sagas that want saw.
func Recent(dir string, want func([]Saga) (enough bool)) ([]Saga, error) {
	var records []Record
	next, seen, done := 128, 0, false
	var sagas []Saga
	look := func() bool {
		sagas = begun(Fold(records))
		seen = len(records)
		next = max(next, seen) // double what was read
		return want(sagas)
	}
	err := Walk(dir, func(r Record) bool {
		records = append(records, r)
		if len(records)-seen >= next {
			done = look()
		}
		return !done
	})
	if err == nil && !done {
		look()
	}
	return sagas, err
}

// begun drops sagas whose first record was not read. That is so for the
// records of a call that turned out to have created something, too: only their
// later ones count.
func begun(sagas []Saga) []Saga {
	out := sagas[:0]
	for _, s := range sagas {
		if s.Armed.Kind != "" {
			out = append(out, s)
		}
	}
	return out
}

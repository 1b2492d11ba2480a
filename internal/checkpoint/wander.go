package checkpoint

import (
	"slices"
	"strings"
)

// wanderer goes from one checkpoint to the next, in the order in which they
// were written, with one state in memory.
type wanderer struct {
	set *Set
	idx *index
	at  string // where it is; empty: nowhere yet
	now state
}

// move goes to a checkpoint and returns it as a record of what differs from
// where the wanderer was. The steps between are only read once.
func (w *wanderer) move(id string) (record, error) {
	steps, from, err := w.steps(id)
	if err != nil {
		return record{}, err
	}
	before := w.now
	touched := map[string]bool{}
	if from == "" {
		w.now = state{}
		for p := range before {
			touched[p] = true
		}
	} else {
		before = state{}
	}
	for i := range steps {
		for _, p := range steps[i].gone {
			touched[p] = true
		}
		for k := range steps[i].items {
			touched[steps[i].items[k].Path] = true
		}
		w.now.apply(&steps[i])
	}
	w.at = id
	r := steps[len(steps)-1]
	r.gone, r.items = w.differ(touched, before)
	return r, nil
}

// differ lists, of the touched paths, those that are not as they were before.
func (w *wanderer) differ(touched map[string]bool, before state) (gone []string, items []item) {
	for p := range touched {
		now, ok := w.now[p]
		switch was := before[p]; {
		case !ok:
			gone = append(gone, p)
		case was == nil || !same(was, now):
			items = append(items, *now)
		}
	}
	slices.Sort(gone)
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.Path, b.Path) })
	return gone, items
}

// steps are the records from where the wanderer is to a checkpoint, or, when no
// way leads there, all that the checkpoint builds on; then from is empty.
func (w *wanderer) steps(id string) (out []record, from string, err error) {
	for next := id; w.at != "" && next != "" && len(out) <= len(w.idx.recs); {
		if next == w.at {
			slices.Reverse(out)
			return out, w.at, nil
		}
		i, ok := w.idx.byID[next]
		if !ok {
			break
		}
		r, err := w.set.read(w.idx, w.idx.recs[i].at)
		if err != nil {
			return nil, "", wrapDamage(id, err)
		}
		out = append(out, r)
		next = r.parent
	}
	out, err = w.set.chain(w.idx, id)
	return out, "", err
}

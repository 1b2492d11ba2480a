package checkpoint

import "fmt"

// store records the state unless it is held already.
func (t *taking) store(k *sink) (found bool, err error) {
	n := &t.new
	var size int64
	n.State, size = stateOf(n.roots, n.rules, n.items)
	n.totals(n.items)
	if r, ok := t.idx.withState(n.State); ok && !t.idx.bad[r.at] && t.idx.whole(r.ID) {
		n.Info = r.Info
		return true, nil
	}
	if _, ok := t.idx.byID[t.o.ID]; ok {
		return false, fmt.Errorf("there is a checkpoint %s of another state", t.o.ID)
	}
	n.ID, n.Time = t.o.ID, t.o.Now().UTC()
	r := record{Info: n.Info, roots: n.roots, rules: n.rules, items: n.items}
	if i, ok := t.idx.byID[t.old.ID]; ok && t.idx.whole(t.old.ID) {
		parent := &t.idx.recs[i]
		gone, changed := compare(t.old.items, n.items)
		delta := r
		delta.parent, delta.gone, delta.items = parent.ID, gone, changed
		delta.weight = parent.weight + int64(len(delta.append(nil)))
		if delta.weight <= size {
			r = delta // else the chain is as long as a record of everything
		}
	}
	if err := k.open(); err != nil {
		return false, err
	}
	at, err := k.out.record(&r)
	if err != nil {
		return false, err
	}
	t.idx.addRecord(known{Info: r.Info, parent: r.parent, weight: r.weight, at: at})
	return false, nil
}

// whole reports whether a record and all that it builds on are there.
func (x *index) whole(id string) bool {
	for range len(x.recs) {
		i, ok := x.byID[id]
		if !ok || x.bad[x.recs[i].at] {
			return false
		}
		if id = x.recs[i].parent; id == "" {
			return true
		}
	}
	return false
}

// keep writes down what the next Take can use. Nothing depends on it.
func (t *taking) keep(k *sink) {
	n := &t.new
	n.recent = remember(t.old.recent, n.ID)
	n.marks = t.idx.marks
	if k.out != nil {
		m, err := k.out.mark()
		if err != nil {
			return
		}
		if k.out.made {
			n.marks = append(n.marks, m)
		} else {
			n.marks[len(n.marks)-1] = m
		}
		t.idx.ends[m.pack] = m.size
		t.idx.marks = n.marks
	}
	if t.set.writeCache(n) != nil {
		return
	}
	if t.idx.stale() {
		_ = t.set.writeIndex(t.idx)
	}
}

// stale reports whether the file of the index should be written again.
func (x *index) stale() bool {
	return len(x.bad) > 0 || x.listed > 1024 || len(x.fresh) > 256+len(x.table)/rowSize/4
}

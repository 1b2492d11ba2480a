package classify

import "slices"

// state is what the shell knows at one point: variables (functions, aliases
// and options are kept among them under names no variable can have) and the
// directories it may be in. States are values; a fork shares everything until
// one side writes.
type state struct {
	vars *layer
	// cwds are absolute paths without "." or ".."; they may have holes. No
	// directory at all means that this point cannot be reached.
	cwds []string
}

func (st state) dead() bool { return len(st.cwds) == 0 }

// layer is a set of variables on top of others. Once another layer or another
// state stands on it, it does not change any more.
type layer struct {
	parent *layer
	vars   map[string]variable
	frozen bool
	depth  int
}

// maxLayers is how many layers may stand on each other before they are merged.
const maxLayers = 24

// fork gives a second state with the same contents.
func (st *state) fork() state {
	if st.vars != nil {
		st.vars.frozen = true
	}
	return *st
}

func (st *state) get(name string) (variable, bool) {
	for l := st.vars; l != nil; l = l.parent {
		if v, ok := l.vars[name]; ok {
			return v, true
		}
	}
	return variable{}, false
}

func (st *state) set(name string, v variable) {
	if st.vars == nil || st.vars.frozen {
		st.push()
	}
	st.vars.vars[name] = v
}

func (st *state) push() {
	l := &layer{parent: st.vars, vars: map[string]variable{}}
	if st.vars != nil {
		l.depth = st.vars.depth + 1
	}
	if l.depth > maxLayers {
		for p := l.parent; p != nil; p = p.parent {
			for k, v := range p.vars {
				if _, ok := l.vars[k]; !ok {
					l.vars[k] = v
				}
			}
		}
		l.parent, l.depth = nil, 0
	}
	st.vars = l
}

// changed lists the variables that were set above base.
func (st *state) changed(base *layer) []string {
	var names []string
	for l := st.vars; l != nil && l != base; l = l.parent {
		for k := range l.vars {
			if !slices.Contains(names, k) {
				names = append(names, k)
			}
		}
	}
	slices.Sort(names)
	return names
}

// variable is what is known of one shell variable.
type variable struct {
	val value
	// list are the elements of an array, keys their names when they are not
	// 0, 1, 2 …; open says that there may be elements that are not known.
	list  []value
	keys  []string
	array bool
	open  bool
	// shaky says that elements may be missing, so that the place of one is not
	// known; integer that what is assigned is computed first.
	shaky, integer bool
	// unset: certainly not set. mayUnset: possibly not.
	unset, mayUnset bool
	exported        bool
}

func scalar(v value) variable { return variable{val: v} }

func noVariable() variable { return variable{unset: true, mayUnset: true} }

// unknownVariable is one that nothing is known of.
func unknownVariable() variable { return variable{val: unknownValue(), mayUnset: true} }

// joinVariables is what holds when either a or b does.
func joinVariables(a, b variable) variable {
	out := variable{
		array: a.array || b.array, open: a.open || b.open,
		unset: a.unset && b.unset, mayUnset: a.mayUnset || b.mayUnset,
		exported: a.exported || b.exported, shaky: a.shaky || b.shaky, integer: a.integer || b.integer,
	}
	switch {
	case a.unset:
		out.val, out.list, out.keys = b.val, b.list, b.keys
	case b.unset:
		out.val, out.list, out.keys = a.val, a.list, a.keys
	default:
		out.val = a.val.or(b.val)
		out.shaky = out.shaky || len(a.list) != len(b.list)
		out.list, out.keys = a.list, a.keys
		for i, v := range b.list {
			if !slices.ContainsFunc(out.list, v.equal) {
				out.list = append(out.list[:len(out.list):len(out.list)], v)
				if i < len(b.keys) {
					out.keys = append(out.keys[:len(out.keys):len(out.keys)], b.keys[i])
				}
			}
		}
		if len(out.keys) != len(out.list) {
			out.keys = nil
		}
	}
	return out
}

// equal reports whether v and w are the same strings in the same order.
func (v value) equal(w value) bool { return slices.Equal(v.all(), w.all()) }

func (v variable) equal(w variable) bool {
	return v.val.equal(w.val) && v.array == w.array && v.open == w.open && v.unset == w.unset &&
		v.mayUnset == w.mayUnset && v.shaky == w.shaky && v.integer == w.integer && v.exported == w.exported && slices.Equal(v.keys, w.keys) &&
		slices.EqualFunc(v.list, w.list, value.equal)
}

// join is the state at a point that a and b both lead to.
func (ev *evaluator) join(a, b state) state {
	switch {
	case a.dead():
		return b
	case b.dead():
		return a
	}
	out := state{vars: a.vars, cwds: union(a.cwds, b.cwds)}
	if a.vars == b.vars {
		return out
	}
	base := commonLayer(a.vars, b.vars)
	merged := state{vars: base}
	if base != nil {
		base.frozen = true
	}
	names := a.changed(base)
	for _, n := range b.changed(base) {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for _, n := range names {
		merged.set(n, joinVariables(ev.lookupIn(&a, n), ev.lookupIn(&b, n)))
	}
	out.vars = merged.vars
	return out
}

func commonLayer(a, b *layer) *layer {
	seen := map[*layer]bool{}
	for ; a != nil; a = a.parent {
		seen[a] = true
	}
	for ; b != nil && !seen[b]; b = b.parent {
	}
	return b
}

// union joins two sets of directories; too many become one that is not known.
func union(a, b []string) []string {
	out := a
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out[:len(out):len(out)], s)
		}
	}
	if len(out) > maxValues {
		return []string{anyHole}
	}
	return out
}

package gate

import (
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

const (
	// maxNamed is how many changed paths the ledger names of one call.
	maxNamed = 16
	// maxCompared is the number of held files up to which a settle says which of
	// them have changed. Of larger calls it names the scope.
	maxCompared = 5000
)

// changed fills in which paths a settled call changed, for people. A mistake here
// misleads nobody but them: firing compares the states themselves.
func changed(st *store.Store, p pending, rec *ledger.Record, post []fingerprint.Entry, bounded []string) {
	paths := slices.Clone(bounded)
	for _, m := range p.Step.Moves {
		paths = append(paths, string(m.From), string(m.To))
	}
	more := 0
	switch held, err := heldOf(st, p); {
	case err == nil && held != nil:
		paths = append(paths, differing(held, post)...)
		rec.Surprise = surprises(p, held, post)
	default:
		for _, r := range p.Step.Roots {
			paths = append(paths, string(r.Path))
		}
		more = max(p.Files-len(p.Step.Roots), 0)
	}
	name(rec, paths, more)
}

// heldOf is the state before an armed call; nil when it is too large.
func heldOf(st *store.Store, p pending) ([]fingerprint.Entry, error) {
	if p.Files > maxCompared {
		return nil, nil
	}
	payload, err := st.Payload(p.ID, [32]byte{})
	if err != nil {
		return nil, err
	}
	defer payload.Close()
	return payload.Entries(), nil
}

// maxSurprise is how many surprises the ledger names of one call.
const maxSurprise = 8

// surprises are paths at which an exact call should have left nothing, and at
// which something new is. What is as it was is none: the call may have failed. Nor
// is anything where the same line runs a program of which the writes are not
// known.
func surprises(p pending, pre, post []fingerprint.Entry) (out []ledger.Name) {
	if p.Bound != nil {
		return nil
	}
	now := map[string]bool{}
	for _, e := range present(post) {
		now[e.Path] = true
	}
	for _, path := range differing(pre, post) {
		gone := func(r inverse.Root) bool {
			return r.Gone && (path == string(r.Path) || r.Tree && inverse.Within(path, string(r.Path)))
		}
		if now[path] && slices.ContainsFunc(p.Step.Roots, gone) {
			out = append(out, ledger.Name(path))
		}
	}
	slices.Sort(out)
	return out[:min(len(out), maxSurprise)]
}

// differing lists the paths that are not the same in two states of one scope.
func differing(pre, post []fingerprint.Entry) []string {
	now := make(map[string]fingerprint.Entry, len(post))
	for _, e := range post {
		now[e.Path] = e
	}
	var out []string
	for _, e := range pre {
		n, ok := now[e.Path]
		if !ok {
			n = fingerprint.Entry{Path: e.Path, Type: fingerprint.Absent}
		}
		delete(now, e.Path)
		if !inverse.Same(e, n) || e.Type == fingerprint.File && e.MTime != n.MTime {
			out = append(out, e.Path)
		}
	}
	for p, e := range now {
		if e.Type != fingerprint.Absent {
			out = append(out, p)
		}
	}
	return out
}

// name puts the first paths into a record.
func name(rec *ledger.Record, paths []string, more int) {
	slices.Sort(paths)
	paths = slices.Compact(paths)
	for _, p := range paths[:min(len(paths), maxNamed)] {
		rec.Paths = append(rec.Paths, ledger.Name(p))
	}
	rec.More = len(paths) - len(rec.Paths) + more
}

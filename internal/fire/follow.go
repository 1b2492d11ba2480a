package fire

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// follow goes after files that the call changed and that later calls moved: they
// are taken back under their new names. Only moves that were recorded when the
// later call was settled count, and only when nothing is at the old name.
func (j *job) follow(ctx context.Context, e *Engine) {
	if !j.settled || j.saga.Armed.Undoes != "" {
		return
	}
	post := map[string]int{}
	for i, p := range j.post {
		post[p.Path] = i
	}
	var moves []inverse.Move
	looked := false
	for i, pre := range j.pre {
		n, ok := post[pre.Path]
		if !ok || pre.Type != fingerprint.File || j.post[n].Type != fingerprint.File || !missing(pre.Path) {
			continue
		}
		if _, git := j.gitDir(pre.Path); git {
			continue
		}
		if !looked {
			moves, looked = e.movesSince(ctx, j.saga), true
		}
		to := pre.Path
		for _, m := range moves {
			if inverse.Within(to, string(m.From)) {
				to = string(m.To) + to[len(m.From):]
			}
		}
		if to == pre.Path || missing(to) || slices.ContainsFunc(j.pre, func(p fingerprint.Entry) bool { return p.Path == to }) {
			continue
		}
		j.follows[to] = pre.Path
		j.pre[i].Path, j.post[n].Path = to, to
		j.roots = append(j.roots, workspace.Root{Path: to})
		dir := path.Dir(to)
		if mtime, names, err := (workspace.Disk{}).Listing(dir); err == nil {
			j.around = append(j.around, inverse.Parent{Path: inverse.Name(dir), MTime: mtime, Names: names})
		}
	}
	if len(j.follows) > 0 {
		byPath := func(a, b fingerprint.Entry) int { return strings.Compare(a.Path, b.Path) }
		slices.SortFunc(j.pre, byPath)
		slices.SortFunc(j.post, byPath)
	}
}

func missing(p string) bool {
	info, err := workspace.Disk{}.Lstat(p)
	return err == nil && info.Type == '-'
}

// movesSince are the renames that later calls carried out and that were not
// taken back, the oldest first.
func (e *Engine) movesSince(ctx context.Context, s ledger.Saga) (moves []inverse.Move) {
	var records []ledger.Record
	if ledger.Walk(e.Store.LedgerDir(), func(r ledger.Record) bool {
		records = append(records, r)
		return r.Seq > s.Armed.Seq
	}) != nil {
		return nil
	}
	for _, later := range slices.Backward(ledger.Fold(records)) {
		if later.ID == s.ID || later.Armed.Kind != ledger.Armed || later.Armed.Undoes != "" || later.Settle == nil || !later.Fireable() {
			continue
		}
		if c, err := e.Changes(ctx, later); err == nil {
			moves = append(moves, c.Moves...)
			c.Close()
		}
	}
	return moves
}

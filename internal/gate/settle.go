package gate

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// pending is what settling a call needs to know; it waits in the store until
// the call has run.
type pending struct {
	ID    string       `json:"id"`
	Armed bool         `json:"armed,omitempty"`
	Step  inverse.Step `json:"step"`
	Tool  string       `json:"tool,omitempty"`
	// Remotes are to be read again.
	Remotes []git.Remote `json:"remotes,omitempty"`
	// Files is how many are held.
	Files int `json:"files,omitempty"`
	// Bound is to be looked at again.
	Bound *inverse.Bound `json:"bound,omitempty"`
	// Background says that it was armed as a call that goes on; Open is set once
	// it does.
	Background bool        `json:"background,omitempty"`
	Open       *background `json:"open,omitempty"`
}

// expect leaves a note for the settle. Without it a call can still be fired, on
// what was predicted; so trouble here stops nothing.
func expect(st *store.Store, r Request, p pending) {
	if p.Step.Empty() && len(p.Remotes) == 0 && p.Bound == nil {
		return
	}
	p.Background = r.Background
	if data, err := json.Marshal(p); err == nil {
		st.PutPending(key(r), data)
	}
}

// key names a call from before it runs until after.
func key(r Request) string {
	if r.CallID != "" {
		return r.Harness + "\x00" + r.Session + "\x00" + r.CallID
	}
	return r.Harness + "\x00" + r.Session + "\x00" + r.Tool + "\x00" + string(r.Input.Canonical)
}

// after settles a call: it records what the call left. A call that goes on in
// the background stays open. Nothing that goes wrong here stops the agent.
func (g *Gate) after(ctx context.Context, r Request) Decision {
	if r.Input.Kind == Read || !filepath.IsAbs(r.Cwd) {
		return Decision{}
	}
	stores := g.stores(r)
	if len(stores) == 0 {
		return Decision{Note: "settle: there is no store here"}
	}
	defer g.retain(ctx, stores[0]) // what it cannot do now it does the next time
	defer g.listen(ctx, stores[0], r)
	if err := g.settleIn(ctx, stores, r); err != nil {
		return Decision{Note: "settle: " + hint.Clean(err.Error())}
	}
	return Decision{}
}

// settleIn settles the call in the store that waits for it.
func (g *Gate) settleIn(ctx context.Context, stores []*store.Store, r Request) error {
	for _, st := range stores {
		if r.Background {
			if err := g.opened(ctx, r, st); err != nil {
				return err
			}
			continue
		}
		data, ok, err := st.TakePending(key(r))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		var p pending
		if err := json.Unmarshal(data, &p); err != nil {
			return err
		}
		return g.settle(ctx, st, r, p)
	}
	return g.unguarded(ctx, r, stores)
}

func (g *Gate) settle(ctx context.Context, st *store.Store, r Request, p pending) error {
	keeper := &store.Keeper{Held: func() map[[32]byte]bool { return heldBy(st, p) }}
	entries, err := workspace.Capture(ctx, Roots(p.Step), workspace.Options{Sink: keeper})
	if err != nil {
		return err
	}
	rec := g.record(ledger.Settled, p.ID, r, classify.Verdict{})
	rec.Kept = keep(st, p.ID, keeper)
	rec.Class, rec.Command, rec.Barrier = "", "", nil
	if !p.Armed {
		entries = present(entries)
		if len(entries) == 0 && len(p.Step.Moves) == 0 {
			return nil
		}
		rec.Kind, rec.Class, rec.Command = ledger.Created, classify.Inert.String(), hint.CleanText(Redact(what(r)))
		rec.Inverse = inverse.WordsCreated(entries)
		var made []string
		for _, e := range entries {
			made = append(made, e.Path)
		}
		name(&rec, made, 0)
		return g.created(ctx, st, r, p, entries, rec)
	}
	remotes, err := g.settleRemotes(ctx, st, p)
	if err != nil {
		return err
	}
	var bounded []string
	if p.Bound != nil {
		if bounded, err = g.settleBound(ctx, st, p.Bound); err != nil {
			return err
		}
		if len(bounded) == 0 && p.Step.Empty() && len(remotes) == 0 && !takesObjects(p.Bound) {
			return g.harmless(ctx, st, r, p)
		}
		var others []string
		p.Bound.Shared, others = overlapping(st, p.ID)
		p.Bound.Others = scopes(st, others)
	}
	if err := putLeft(st, p.ID, remotes, p.Bound); err != nil {
		return err
	}
	rec.Candidates = sharedWith(p.Bound)
	changed(st, p, &rec, entries, bounded)
	rec.Fingerprint = fingerprint.Hex(inverse.Fingerprint(entries, inverse.AfterCall(remotes)))
	ends, err := workspace.Capture(ctx, ends(p.Step), workspace.Options{StatOnly: true})
	if err != nil {
		return err
	}
	if _, err := st.PutPost(p.ID, merge(entries, ends)); err != nil {
		return err
	}
	_, err = g.append(ctx, st, rec, ledger.AppendOptions{Sync: true})
	return err
}

// ends are both ends of every rename: they tell whether it happened.
func ends(s inverse.Step) []workspace.Root {
	var roots []workspace.Root
	for _, m := range s.Moves {
		roots = append(roots, workspace.Root{Path: string(m.From)}, workspace.Root{Path: string(m.To)})
	}
	return roots
}

// merge adds the entries of b whose path a does not have, and sorts.
func merge(a, b []fingerprint.Entry) []fingerprint.Entry {
	have := make(map[string]bool, len(a))
	for _, e := range a {
		have[e.Path] = true
	}
	out := slices.Clone(a)
	for _, e := range b {
		if !have[e.Path] {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(x, y fingerprint.Entry) int { return strings.Compare(x.Path, y.Path) })
	return out
}

// created gives a purely creating call a payload of its own: absent paths
// before, and the post-state, so that firing removes what is still as it was
// left.
func (g *Gate) created(ctx context.Context, st *store.Store, r Request, p pending, entries []fingerprint.Entry, rec ledger.Record) error {
	staging, err := st.Begin(p.ID)
	if err != nil {
		return err
	}
	var before []fingerprint.Entry
	for _, root := range p.Step.Roots {
		before = append(before, fingerprint.Entry{Path: string(root.Path), Type: fingerprint.Absent})
	}
	call, err := json.Marshal(g.call(p.ID, r, classify.Verdict{Class: classify.Inert}, p.Step))
	if err != nil {
		staging.Abort()
		return err
	}
	sealed, err := staging.Finish(ctx, before, call)
	if err != nil {
		staging.Abort()
		return err
	}
	if _, err := st.PutPost(p.ID, entries); err != nil {
		return err
	}
	rec.Fingerprint = fingerprint.Hex(fingerprint.Sum(before))
	rec.Manifest, rec.CallSHA = hexOf(sealed.Manifest), hexOf(sealed.Call)
	rec.Files = len(entries)
	_, err = g.append(ctx, st, rec, ledger.AppendOptions{Sync: true})
	return err
}

func sharedWith(b *inverse.Bound) []string {
	if b == nil {
		return nil
	}
	return b.Shared
}

// present drops what is not there.
func present(entries []fingerprint.Entry) []fingerprint.Entry {
	var out []fingerprint.Entry
	for _, e := range entries {
		if e.Type != fingerprint.Absent {
			out = append(out, e)
		}
	}
	return out
}

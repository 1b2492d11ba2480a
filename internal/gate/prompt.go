package gate

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

const (
	// promptTime is how long the checkpoint of a prompt may take; what it has
	// not seen by then it does not hold.
	promptTime = 5 * time.Second
	// promptWait is when a prompt goes on without a checkpoint.
	promptWait = 15 * time.Second
	// maxPrompt is how many characters of a prompt are written down.
	maxPrompt = 160
)

// prompt records the state of the workspace before a prompt, so that it can be
// rewound to. Nothing that goes wrong here stops the prompt.
func (g *Gate) prompt(ctx context.Context, r Request) Decision {
	if machine(r) || !filepath.IsAbs(r.Cwd) || g.Store == "" && g.StateHome == "" {
		return Decision{}
	}
	ws := g.Workspace(r.Cwd)
	if !g.bounds(ws) {
		return Decision{Note: "no checkpoint: " + hint.Clean(ws.Root) + " is no workspace"}
	}
	st, err := g.open(ws)
	if err != nil {
		return Decision{Note: "no checkpoint: " + hint.Clean(err.Error())}
	}
	ctx, cancel := context.WithTimeout(ctx, promptWait)
	defer cancel()
	if g.prompted(st, r) {
		return Decision{}
	}
	c, err := g.TakeCheckpoint(ctx, st, ws, g.NewID(), nil, promptTime)
	if err != nil {
		return Decision{Note: "no checkpoint: " + hint.Clean(err.Error())}
	}
	defer c.Close()
	if err := fail.Point("gate.prompt"); err != nil {
		return Decision{Note: "no checkpoint: " + err.Error()}
	}
	rec := ledger.Record{
		ID: g.NewID(), Kind: ledger.Checkpoint, Time: g.Now(),
		Harness: r.Harness, Session: r.Session, Prompt: r.Prompt, Cwd: ledger.Name(r.Cwd),
		Command:    shorten(hint.Clean(strings.Join(strings.Fields(Redact(r.PromptText)), " ")), maxPrompt),
		Checkpoint: c.ID, Partial: c.Partial, Files: c.Files, Bytes: c.Bytes,
	}
	for _, gap := range c.Missing() {
		if len(rec.Paths) == 8 {
			rec.More++
			continue
		}
		rec.Paths = append(rec.Paths, ledger.Name(gap.Path))
	}
	if _, err := g.append(ctx, st, rec, ledger.AppendOptions{Sync: true}); err != nil {
		return Decision{Note: "no checkpoint: " + hint.Clean(err.Error())}
	}
	g.listen(ctx, st, r)
	return Decision{}
}

// machine reports a prompt that no person has typed.
func machine(r Request) bool {
	return r.Agent != "" || r.Source == "task-notification" || r.Source == "system"
}

// prompted reports whether the prompt has its checkpoint: two hooks may be
// there, one of the project and one of the user.
func (g *Gate) prompted(st *store.Store, r Request) bool {
	if r.Prompt == "" {
		return false
	}
	last, err := ledger.Tail(st.LedgerDir(), 16)
	if err != nil {
		return false
	}
	for _, l := range last {
		if l.Kind == ledger.Checkpoint && l.Prompt == r.Prompt && l.Session == r.Session {
			return true
		}
	}
	return false
}

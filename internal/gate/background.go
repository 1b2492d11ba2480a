package gate

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// background is what settling a call needs to know of it once the event that
// reported it is gone.
type background struct {
	Harness string `json:"harness"`
	Session string `json:"session"`
	Prompt  string `json:"prompt,omitempty"`
	Call    string `json:"call,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Tool    string `json:"tool"`
	Cwd     string `json:"cwd"`
	// What is the call in words, redacted; Task the harness's id of what runs.
	What string `json:"what,omitempty"`
	Task string `json:"task,omitempty"`
}

// opened notes that a call goes on after its event: it is settled when it is
// over. Until then the ledger says that it is open.
func (g *Gate) opened(ctx context.Context, r Request, st *store.Store) error {
	data, ok, err := st.TakePending(key(r))
	if err != nil || !ok {
		return err
	}
	var p pending
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	p.Open = &background{
		Harness: r.Harness, Session: r.Session, Prompt: r.Prompt, Call: r.CallID, Agent: r.Agent,
		Tool: r.Tool, Cwd: r.Cwd, What: Redact(what(r)), Task: r.Task,
	}
	if data, err = json.Marshal(p); err != nil {
		return err
	}
	if err := st.PutPending(key(r), data); err != nil || !p.Armed || p.Background {
		return err
	}
	// It was armed as a call that ends; the harness let it go on later.
	rec := g.record(ledger.Settled, p.ID, r, classify.Verdict{})
	rec.Class, rec.Command, rec.Barrier, rec.Background = "", "", nil, true
	_, err = g.append(ctx, st, rec, ledger.AppendOptions{Sync: true})
	return err
}

// ended settles the background calls that an event says are over.
func (g *Gate) ended(ctx context.Context, r Request) Decision {
	if len(r.Ended) == 0 && r.Event != End && (r.Event != Stop || r.Running == nil) {
		return Decision{}
	}
	var d Decision
	for _, st := range g.stores(r) {
		list, err := st.TakePendings(func(data []byte) bool {
			var p pending
			return json.Unmarshal(data, &p) == nil && p.Open != nil && p.Open.over(r)
		})
		if err != nil {
			d = both(d, Decision{Note: hint.Clean(err.Error())})
		}
		for _, data := range list {
			var p pending
			if err := json.Unmarshal(data, &p); err != nil {
				continue
			}
			if err := g.settle(ctx, st, p.Open.request(), p); err != nil {
				d = both(d, Decision{Note: "settle: " + hint.Clean(err.Error())})
			}
		}
	}
	return d
}

// over reports whether an event says that the call is over.
func (b *background) over(r Request) bool {
	switch {
	case b.Harness != r.Harness || b.Session != r.Session:
		return false
	case b.Call != "" && slices.Contains(r.Ended, b.Call), b.Task != "" && slices.Contains(r.Ended, b.Task):
		return true
	case r.Event == Stop:
		// What a subagent started may be missing in the list of the main agent.
		return r.Running != nil && b.Task != "" && b.Agent == "" && !slices.Contains(r.Running, b.Task)
	}
	return r.Event == End
}

// request is the call as it was reported.
func (b *background) request() Request {
	return Request{
		Harness: b.Harness, Event: After, Session: b.Session, Prompt: b.Prompt, CallID: b.Call, Agent: b.Agent,
		Tool: b.Tool, Cwd: b.Cwd, Input: Input{Kind: Shell, Command: b.What},
	}
}

// stores are where a call may have been recorded: a call that changes the
// directory is reported from another one than it started in. None is made.
func (g *Gate) stores(r Request) []*store.Store {
	if g.Store == "" && g.StateHome == "" {
		return nil
	}
	var out []*store.Store
	var seen []string
	for _, dir := range []string{r.Cwd, g.Env["CLAUDE_PROJECT_DIR"]} {
		if !filepath.IsAbs(dir) {
			continue
		}
		at := g.Dir(g.Workspace(dir))
		if slices.Contains(seen, at) {
			continue
		}
		seen = append(seen, at)
		if st, err := store.Open(at); err == nil {
			out = append(out, st)
		}
	}
	return out
}

// both joins two answers to an event that cannot be refused.
func both(a, b Decision) Decision {
	b.Message = joined(a.Message, b.Message)
	b.Note = joined(a.Note, b.Note)
	return b
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

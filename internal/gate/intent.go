package gate

import (
	"context"
	"strings"

	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// Wanted names what is looked for in the harness's record of a conversation.
type Wanted struct {
	Calls   []string // the harness's ids of calls
	Prompts []string // ids of prompts
}

// Said is what a conversation says. What was not found is not there.
type Said struct {
	Before map[string]string // of a call: what the agent said before it
	UUIDs  map[string]string // of a prompt: the id of the message that it became
}

// maxIntent is how many characters of an intent are written down.
const maxIntent = 240

// intent brings the agent's own words into the form in which they are kept.
func intent(text string) string {
	return shorten(hint.Clean(strings.Join(strings.Fields(Redact(text)), " ")), maxIntent)
}

// heard is how far back records are completed from the conversation.
const heard = 60

// listen completes the newest records of a session with what the conversation
// says by now: a harness writes it down later than it calls the hooks. It never
// fails; what it does not find it looks for the next time.
func (g *Gate) listen(ctx context.Context, st *store.Store, r Request) {
	if g.Said == nil || r.Transcript == "" || r.Agent != "" {
		return
	}
	records, err := ledger.Tail(st.LedgerDir(), heard)
	if err != nil {
		return
	}
	calls, prompts := unheard(records, r.Session)
	if len(calls)+len(prompts) == 0 {
		return
	}
	var w Wanted
	for id := range calls {
		w.Calls = append(w.Calls, id)
	}
	for id := range prompts {
		w.Prompts = append(w.Prompts, id)
	}
	said := g.Said(r.Transcript, w)
	note := func(id string, n ledger.Record) {
		n.ID, n.Kind, n.Time = id, ledger.Noted, g.Now()
		g.append(ctx, st, n, ledger.AppendOptions{})
	}
	for call, text := range said.Before {
		if text = intent(text); text != "" && calls[call] != "" {
			note(calls[call], ledger.Record{Intent: text})
		}
	}
	for prompt, uuid := range said.UUIDs {
		if uuid != "" && prompts[prompt] != "" {
			note(prompts[prompt], ledger.Record{UUID: uuid})
		}
	}
}

// unheard are the calls and prompts of a session, by the harness's ids, that
// the conversation was not asked about with success.
func unheard(records []ledger.Record, session string) (calls, prompts map[string]string) {
	calls, prompts = map[string]string{}, map[string]string{}
	noted := map[string]bool{}
	for _, r := range records { // the newest first
		switch {
		case r.Kind == ledger.Noted:
			noted[r.ID] = true
		case noted[r.ID] || r.Session != session:
		case r.Kind == ledger.Checkpoint && r.Prompt != "":
			prompts[r.Prompt] = r.ID
		case (r.IsAction() || r.Kind == ledger.Barrier) && r.Call != "" && r.Agent == "":
			calls[r.Call] = r.ID
		}
	}
	return calls, prompts
}

package gate

import (
	"context"
	"encoding/hex"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

func (g *Gate) call(id string, r Request, v classify.Verdict, step inverse.Step) inverse.Call {
	return inverse.Call{
		V: 1, ID: id, Harness: r.Harness, Session: r.Session, Prompt: r.Prompt, CallID: r.CallID, Agent: r.Agent,
		Tool: r.Tool, Cwd: inverse.Name(r.Cwd), Command: Redact(what(r)), Description: Redact(r.Description),
		Class: v.Class.String(), Effects: v.Effects, Parts: redactParts(v.Parts), Opaque: v.Opaque, Step: step,
	}
}

// what is the call in one text: the command, or the tool and its paths.
func what(r Request) string {
	switch {
	case r.Input.Command != "":
		return r.Input.Command
	case len(r.Input.Paths) > 0:
		text := r.Tool
		for _, p := range r.Input.Paths {
			text += " " + p
		}
		return text
	default:
		return r.Tool
	}
}

// record starts a ledger record about a call.
func (g *Gate) record(kind ledger.Kind, id string, r Request, v classify.Verdict) ledger.Record {
	return ledger.Record{
		ID: id, Kind: kind, Time: g.Now(),
		Harness: r.Harness, Session: r.Session, Prompt: r.Prompt, Call: r.CallID, Agent: r.Agent,
		Tool: r.Tool, Cwd: ledger.Name(r.Cwd), Class: v.Class.String(), Command: hint.CleanText(Redact(what(r))),
		Intent:  intent(r.Description),
		Barrier: barriers(v),
	}
}

// barriers names what runs without an inverse.
func barriers(v classify.Verdict) []string {
	return append(append([]string{}, v.Barriers...), v.Opaque...)
}

func redactParts(parts []classify.Part) []classify.Part {
	out := make([]classify.Part, len(parts))
	for i, p := range parts {
		out[i] = p
		out[i].Text = Redact(p.Text)
		out[i].Argv = make([]string, len(p.Argv))
		for j, a := range p.Argv {
			out[i].Argv[j] = Redact(a)
		}
	}
	return out
}

func (g *Gate) append(ctx context.Context, st *store.Store, r ledger.Record, o ledger.AppendOptions) (ledger.Record, error) {
	return ledger.Append(ctx, st.LedgerDir(), r, o)
}

func hexOf(sum [32]byte) string { return hex.EncodeToString(sum[:]) }

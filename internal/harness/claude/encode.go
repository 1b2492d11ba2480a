package claude

import (
	"strings"
	"unicode/utf8"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/hint"
)

// Exit codes that Claude Code tells apart: 0 passes, 2 blocks. It lets the
// call run on any other.
const (
	pass  = 0
	block = 2
)

// maxMessage bounds the text for the person; Claude Code cuts at 10,000.
const maxMessage = 4000

// takeOut is said with every failure of ours that blocks.
const takeOut = "to take the hook out: counterstep uninstall"

// Encode gives the answer to r. Going along is silent, or only a system
// message; we never say allow, so Claude Code's own permission prompt stays.
// Refusals and faults block where the event can be refused, and never block
// anything else. An event that could not be told counts as refusable.
func (Adapter) Encode(r gate.Request, d gate.Decision) harness.Output {
	refusable := r.Event == "" || r.Event.CanRefuse()
	switch {
	case refusable && d.Fault:
		return harness.Output{Stderr: line(reason(d) + "\nhint: " + takeOut), Code: block}
	case refusable && d.Refused && d.Ask && r.CanAsk:
		return harness.Output{Stdout: decided(r, "ask", reason(d)), Code: pass}
	case refusable && d.Refused && r.Event == gate.Before:
		text := reason(d)
		return harness.Output{Stdout: deny(r, text), Stderr: line(text), Code: block}
	case refusable && d.Refused:
		return harness.Output{Stderr: line(reason(d)), Code: block}
	}
	out := harness.Output{Stdout: message(d.Message), Code: pass}
	switch {
	case d.Fault || d.Refused:
		out.Stderr = line(reason(d))
	case d.Note != "":
		out.Stderr = line(clean(d.Note))
	}
	return out
}

// reason is why, and what would work instead, as the model reads it. It is
// never empty: without a reason some versions let the call run.
func reason(d gate.Decision) string {
	text := d.Reason
	if text == "" {
		text = "the call was refused without a reason, which is a bug"
	}
	text = "counterstep: " + clean(text)
	if d.Hint != "" {
		text += "\nhint: " + clean(d.Hint)
	}
	return text
}

func clean(s string) string { return strings.TrimRight(hint.CleanText(s), "\n") }

func line(s string) []byte { return append([]byte(s), '\n') }

// deny is the refusal of a call.
func deny(r gate.Request, text string) []byte { return decided(r, "deny", text) }

// decided is what becomes of a call. The event's name must be the one that asked:
// with another one the call runs.
func decided(r gate.Request, word, text string) []byte {
	name := "PreToolUse"
	if r.Source == skillShell {
		name = skillShell
	}
	b := []byte(`{"hookSpecificOutput":{"hookEventName":"` + name + `","permissionDecision":"` + word + `","permissionDecisionReason":`)
	return append(harness.AppendString(b, text), "}}\n"...)
}

// message is a system message for the person, and nothing for no text.
func message(text string) []byte {
	if text == "" {
		return nil
	}
	text = clean(text)
	if len(text) > maxMessage {
		cut := maxMessage
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + " …"
	}
	return append(harness.AppendString([]byte(`{"systemMessage":`), text), "}\n"...)
}

// Package harness says what an adapter for a coding agent has to do: read the
// payload of one event, and put our decision into the form that this agent is
// known to honour.
package harness

import (
	"fmt"
	"time"

	"github.com/counterstep/counterstep/internal/gate"
)

// Adapter speaks the dialect of one coding agent. It holds no state and does
// nothing but translate.
type Adapter interface {
	// Name is the word that selects the adapter: counterstep hook NAME.
	Name() string
	// Decode reads one payload. On an error the Request holds what could still
	// be told of the event, so that Encode answers it rightly: an Event that is
	// "" stays unknown and is answered as one that can be refused.
	Decode(payload []byte) (gate.Request, error)
	// Encode gives the answer to r. A refusal or a fault of an event that can
	// be refused always blocks; any other event always passes.
	Encode(r gate.Request, d gate.Decision) Output
}

// Listener is an adapter of a harness that keeps its conversations in files.
type Listener interface {
	// Said looks in the file of a conversation for what is wanted. It reads no
	// more than the newest part of it and does without what it cannot read: what
	// is not found is not in the answer.
	Said(transcript string, w gate.Wanted) gate.Said
}

// Opener is an adapter of a harness whose records tell when it went on without
// an answer of ours.
type Opener interface {
	// Opens finds such times since then, the newest first, for a workspace.
	// config is where the harness keeps its own files. It does without what it
	// cannot read.
	Opens(config, root string, since time.Time) []Open
}

// Open is a time at which a harness went on without our answer.
type Open struct {
	Time    time.Time
	Session string
	// Event is the event, Hook the harness's name for it with the tool, Call the
	// id of the call.
	Event, Hook, Call string
	Why               string
}

// Output is what the hook process leaves behind: both streams and the exit
// code, nothing else.
type Output struct {
	Stdout, Stderr []byte
	Code           int
}

// Exchange answers one payload: it decodes it, asks decide, and encodes what
// decide says. A payload that cannot be read and a panic anywhere on the way
// are faults of ours, answered as such; Exchange itself never panics because
// of what payload or decide do.
func Exchange(a Adapter, payload []byte, decide func(gate.Request) gate.Decision) (out Output) {
	var r gate.Request
	defer func() {
		if p := recover(); p != nil {
			out = a.Encode(r, gate.Decision{Fault: true, Reason: fmt.Sprintf("counterstep met a bug of its own: %v", p)})
		}
	}()
	r, err := a.Decode(payload)
	if err != nil {
		return a.Encode(r, gate.Decision{Fault: true, Reason: err.Error()})
	}
	return a.Encode(r, decide(r))
}

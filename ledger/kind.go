package ledger

// Kind says what a record is about. Kinds that this version does not know are
// kept as they are and change no status.
type Kind string

// The kinds of records.
const (
	// Call: a call was let go without a saga; nothing needed one.
	Call Kind = "call"
	// Armed: the inverse of a call exists, is proven, and is durable.
	Armed Kind = "armed"
	// Created: a purely creating call was settled; firing removes what it left.
	Created Kind = "created"
	// Settled: the post-state of a call has been recorded.
	Settled Kind = "settled"
	// Fired: the saga was undone and the state equals the armed one.
	Fired Kind = "fired"
	// Stale: the saga was undone or merged, but live content had drifted.
	Stale Kind = "stale"
	// Conflict: the saga was merged, and lines that both sides changed stand
	// between markers; a person has to decide.
	Conflict Kind = "conflict"
	// Failed: the inverse could not run; nothing was changed.
	Failed Kind = "failed"
	// Refused: a call was not let go.
	Refused Kind = "refused"
	// Firing: a saga is about to be undone. Without a later outcome of the
	// same id it was interrupted and can be resumed.
	Firing Kind = "firing"
	// Checkpoint: the state before a prompt, to which the workspace can be
	// rewound.
	Checkpoint Kind = "checkpoint"
	// Noted: something was learned about a saga later: its intent, the uuid of
	// a prompt.
	Noted Kind = "noted"
	// Rewind: the workspace is about to be rewound; what becomes of it is told
	// as of a firing.
	Rewind Kind = "rewind"
	// Barrier: something ran that no inverse covers.
	Barrier Kind = "barrier"
	// Unguarded: a call ran whose hook did not.
	Unguarded Kind = "unguarded"
	// Recovered: damaged bytes before this record were found and are named.
	Recovered Kind = "recovered"
	// Repacked: the payload of an id was written again; Manifest is the new one.
	Repacked Kind = "repacked"
	// Forgotten: the payload of an id was deleted for good.
	Forgotten Kind = "forgotten"
)

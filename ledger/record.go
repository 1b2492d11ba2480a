// Package ledger keeps what happened, in order, for ever: one record a line in
// an append-only file. docs/format/ledger-v1.md is its format.
//
// The package holds wire structs only. What a record means to a saga is folded
// from events by [Fold].
package ledger

import (
	"encoding/json"
	"time"
)

// Version is the v of the records that this package writes.
const Version = 1

// Record is one line of the ledger. [Append] fills V, Seq, Prev and Count and brings
// Time to UTC; everything else is the caller's. Contents of files and commands
// that were not redacted must not get in here.
type Record struct {
	V   int    `json:"v"`
	Seq uint64 `json:"seq"`
	// ID is the ULID of the saga, checkpoint or call that the record is about.
	ID   string    `json:"id"`
	Kind Kind      `json:"kind"`
	Time time.Time `json:"time"`
	// Prev is the SHA-256 of the previous good line without its line break, in
	// hex; 64 zeros in the first record.
	Prev string `json:"prev"`

	Harness string `json:"harness,omitempty"`
	Session string `json:"session,omitempty"`
	Prompt  string `json:"prompt,omitempty"`
	// Call is the harness's own id of the call.
	Call  string `json:"call,omitempty"`
	Agent string `json:"agent,omitempty"`
	Tool  string `json:"tool,omitempty"`
	Cwd   Name   `json:"cwd,omitempty"`
	Class string `json:"class,omitempty"`
	// Command is redacted, for people, and never longer than [MaxCommand].
	Command string `json:"command,omitempty"`
	// CallSHA is the SHA-256 of call.json, in hex.
	CallSHA string `json:"call_sha256,omitempty"`
	// Background says that the call goes on after its settle: it stays open.
	Background bool `json:"background,omitempty"`

	// Intent says in the agent's words why: at first its description of the
	// call, in a later record of the id what it said before the call. Like
	// Command it is redacted and for people.
	Intent string `json:"intent,omitempty"`
	// Checkpoint is the id under which a Checkpoint record's state is held. One
	// state that was met twice is held once. UUID is the harness's id of the
	// message that the prompt became.
	Checkpoint string `json:"checkpoint,omitempty"`
	UUID       string `json:"uuid,omitempty"`
	// Partial says that the checkpoint does not hold everything.
	Partial bool `json:"partial,omitempty"`
	// Again says that an Armed record is about a saga that was armed before its
	// call was made; it names the call.
	Again bool `json:"again,omitempty"`

	// Inverse says in words what firing would do.
	Inverse string `json:"inverse,omitempty"`
	// Fingerprint is the value of the armed state, 16 hex digits.
	Fingerprint string `json:"fingerprint,omitempty"`
	Proof       *Proof `json:"proof,omitempty"`
	// Manifest is the SHA-256 of the payload's manifest, in hex.
	Manifest string `json:"manifest,omitempty"`
	Files    int    `json:"files,omitempty"`
	Bytes    int64  `json:"bytes,omitempty"`

	Reason string `json:"reason,omitempty"`
	Hint   string `json:"hint,omitempty"`
	// Undoes is the id whose firing this saga takes back.
	Undoes string `json:"undoes,omitempty"`

	// Paths are the first paths that the record is about, More how many there
	// are beyond them.
	Paths []Name `json:"paths,omitempty"`
	More  int    `json:"more,omitempty"`
	// Barrier says what ran that no inverse covers.
	Barrier []string `json:"barrier,omitempty"`
	// Temps are the directories that may hold temporaries of a firing.
	Temps []Name `json:"temps,omitempty"`
	// Shared are changed paths that more than one call may have changed;
	// Candidates are the ids of those calls.
	Shared     []Name   `json:"shared,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	// Surprise are the first paths at which a call left something although its
	// effects say that nothing would be there.
	Surprise []Name `json:"surprise,omitempty"`
	// Gap is what a Recovered record found.
	Gap *Gap `json:"gap,omitempty"`
	// Count is filled by [Append]. Records of earlier versions have none.
	Count *Count `json:"count,omitempty"`
	// Kept says which contents of the post-state are held.
	Kept *Kept `json:"kept,omitempty"`
	// Choice is what a firing does where both sides changed the same lines:
	// ours, theirs or markers; empty is neither.
	Choice string `json:"choice,omitempty"`
	// Cut names the fields that were shortened so that the line fits.
	Cut []string `json:"cut,omitempty"`

	// Extra keeps the fields that this version does not know.
	Extra map[string]json.RawMessage `json:"-"`
}

// Proof says how far the rehearsal went.
type Proof struct {
	// Kind is executed, simulated or restored.
	Kind string `json:"kind"`
	// Reason is why it went no further, empty for the usual kind.
	Reason string `json:"reason,omitempty"`
}

// Gap names damaged bytes: from the end of the last good line to the end of
// the file as it was found.
type Gap struct {
	Offset int64 `json:"offset"`
	Len    int64 `json:"len"`
	// SHA256 is of the bytes, in hex.
	SHA256 string `json:"sha256"`
}

// Kept counts the contents that are held of what a call left.
type Kept struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
	// Left counts files of which only hashes are held: no text, or over Cap
	// bytes, or beyond what is kept of one call.
	Left int   `json:"left,omitempty"`
	Cap  int64 `json:"cap"`
}

package ledger

// Status is where a saga stands, folded from its records.
type Status string

// The statuses.
const (
	IsArmed      Status = "armed"   // let go, not settled yet
	IsOpen       Status = "open"    // let go, still running in the background
	IsSettled    Status = "settled" // let go, post-state known
	IsCreated    Status = "created"
	IsFiring     Status = "firing" // interrupted, unless it runs right now
	IsFired      Status = "fired"
	IsStale      Status = "stale"
	IsConflict   Status = "conflict" // merged with markers, waits to be resolved
	IsFailed     Status = "failed"
	IsRefused    Status = "refused"
	IsCheckpoint Status = "checkpoint"
	IsBarrier    Status = "barrier"
	IsUnguarded  Status = "unguarded"
	IsForgotten  Status = "forgotten"
	IsCall       Status = "call"
	IsRedone     Status = "redone" // a rewind that was taken back
)

// Saga is what the records of one id add up to.
type Saga struct {
	ID     string
	Status Status
	// Number is the action number, for a checkpoint the number of the prompt;
	// 0 for what has none, and when the records that were folded do not tell.
	Number int
	// Armed is the record that started it: of kind Armed, Created, Checkpoint,
	// Refused, Barrier, Unguarded or Call. Its Kind is empty when that record
	// was not among those folded.
	Armed Record
	// Settle is the Settled record, nil before.
	Settle *Record
	// Last is the newest record that changed the status.
	Last Record
	// Manifest is the manifest that the payload has now, in hex; it differs
	// from Armed.Manifest after a repack.
	Manifest string
	// Intent and UUID are what is known of them by now, see [Record].
	Intent, UUID string
	// Barriers are the barriers that were recorded under this id.
	Barriers []string
	// UndoneBy is the id of the saga that takes back this one's firing.
	UndoneBy string

	// rest is the status it has when no firing of it stands, parts are firings of
	// only some paths that stand beside the newest one.
	rest  Status
	parts []part
}

// part is a firing of some paths.
type part struct {
	undoneBy string
	last     Record
}

// Changed are the first paths that the call changed, and how many there are
// beyond them; nothing as long as that was not recorded.
func (s Saga) Changed() (paths []Name, more int) {
	switch {
	case s.Armed.Kind == Created:
		return s.Armed.Paths, s.Armed.More
	case s.Settle != nil:
		return s.Settle.Paths, s.Settle.More
	}
	return nil, 0
}

// Seen is the status in the words that people see: armed, fired, stale,
// conflict or failed, else the status itself.
func (s Saga) Seen() Status {
	switch s.Status {
	case IsOpen, IsSettled:
		return IsArmed
	default:
		return s.Status
	}
}

// OnlyPart is the reason of a Stale record when a person wanted only some paths
// to be taken back.
const OnlyPart = "only a part was asked for"

// Part reports whether some paths were taken back as asked and the others can
// be.
func (s Saga) Part() bool { return s.Status == IsStale && s.Last.Reason == OnlyPart }

// Fireable reports whether firing the saga could change something.
func (s Saga) Fireable() bool {
	if s.Armed.Kind == Rewind {
		return false // a redo takes it back
	}
	switch s.Status {
	case IsArmed, IsOpen, IsSettled, IsCreated, IsFiring, IsFailed:
		return true
	default:
		return false
	}
}

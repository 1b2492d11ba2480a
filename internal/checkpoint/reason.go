package checkpoint

import (
	"errors"

	"github.com/counterstep/counterstep/internal/workspace"
)

// Reason is why a checkpoint does not hold something.
type Reason byte

// The reasons. Held is none.
const (
	Held       Reason = 0
	Excluded   Reason = 'x' // a rule leaves the directory out
	GitObjects Reason = 'o' // git's objects; they are never changed in place
	TooLarge   Reason = 's' // the file is over the size cap
	OverBudget Reason = 'b' // the time was up before it was looked at or read
	Unreadable Reason = 'u' // the system did not let us
	Changing   Reason = 'c' // it changed each time it was read
	Mounted    Reason = 'm' // another file system begins here
	Outside    Reason = '-' // the path is below none of the roots
)

// String is the reason in words.
func (r Reason) String() string {
	switch r {
	case Held:
		return "held"
	case Excluded:
		return "excluded"
	case GitObjects:
		return "git objects"
	case TooLarge:
		return "over the size cap"
	case OverBudget:
		return "over the time budget"
	case Unreadable:
		return "not readable"
	case Changing:
		return "changed while it was read"
	case Mounted:
		return "another file system"
	case Outside:
		return "outside"
	default:
		return "unknown"
	}
}

// partial reports whether something with this reason should have been held.
func (r Reason) partial() bool {
	switch r {
	case Held, Excluded, GitObjects, Outside:
		return false
	default:
		return true
	}
}

// lasting reports whether the reason stays true for as long as the thing does
// not change.
func (r Reason) lasting() bool {
	return r == Held || r == Excluded || r == GitObjects || r == Mounted || r == TooLarge
}

// valid reports whether the reason can stand in a record.
func (r Reason) valid() bool { return r != Outside && r.String() != "unknown" }

// leave is a reason as the error that a survey wants.
type leave struct{ Reason }

func (l leave) Error() string { return l.String() }

// reasonOf turns the trouble of a survey into a reason.
func reasonOf(err error) Reason {
	var l leave
	var changed *workspace.ChangedError
	var mount *workspace.MountError
	switch {
	case err == nil:
		return Held
	case errors.As(err, &l):
		return l.Reason
	case errors.As(err, &changed):
		return Changing
	case errors.As(err, &mount):
		return Mounted
	default:
		return Unreadable
	}
}

package classify

// Class says how far a call can be taken back. The zero value is the cautious
// one.
type Class uint8

const (
	// Irreversible: an effect has no inverse, or a target is not known.
	Irreversible Class = iota
	// Bounded: what is written is not known, but a bound on it is.
	Bounded
	// Invertible: every effect is known and has an inverse.
	Invertible
	// Inert: nothing that exists is destroyed.
	Inert
)

// String is the word used in records and output.
func (c Class) String() string {
	switch c {
	case Inert:
		return "inert"
	case Invertible:
		return "invertible"
	case Bounded:
		return "bounded"
	default:
		return "irreversible"
	}
}

// Worse reports whether c leaves less that can be taken back than d.
func (c Class) Worse(d Class) bool { return c < d }

// Worst returns the worse of two classes. A call is as bad as its worst part.
func Worst(c, d Class) Class { return min(c, d) }

// Kind is what an effect does to its target.
type Kind uint8

const (
	// External: something outside files and refs that no inverse covers.
	External Kind = iota
	// Delete: the target goes away.
	Delete
	// Overwrite: the content of an existing target changes, in place or not.
	Overwrite
	// Create: a target that does not exist appears.
	Create
	// Move: Path appears at To and goes away.
	Move
	// Metadata: mode, owner, times, xattrs or ACLs change; content stays.
	Metadata
	// RefUpdate: a git ref moves, appears or goes away.
	RefUpdate
)

// String is the word used in records and output.
func (k Kind) String() string {
	return [...]string{"external", "delete", "overwrite", "create", "move", "metadata", "ref-update"}[k]
}

// Pos is a place in the command, for people. Line and Col count from 1, Col in
// bytes; Off counts bytes from 0.
type Pos struct {
	Off, Line, Col int
}

// Effect is one predicted change.
type Effect struct {
	Kind Kind
	// Path is absolute and clean. Links in its parent directories are resolved
	// as they stand on the disk; the last element is the thing itself, also
	// when a link led to it. For a Move it is the source; for a RefUpdate the
	// directory of the repository.
	Path string
	// To is the destination of a Move, in the same form as Path.
	To string
	// Tree says that everything below Path can be affected as well.
	Tree bool
	// InPlace says that an Overwrite writes into the existing inode, so that
	// other links to it change too.
	InPlace bool
	// May says that the effect is part of a superset only: a shell with other
	// options would cause it, the usual one would not. It is captured, and it
	// is no reason to refuse.
	May bool
	// Remote describes a RefUpdate on a remote repository.
	Remote *Push
	// By is the program that causes the effect, as the command names it.
	By  string
	Pos Pos
}

// Push is a git push as the command spells it: the repository's own
// configuration decides what it means.
type Push struct {
	// Dir is the directory git runs in, GitDir and WorkTree are what --git-dir
	// and --work-tree say, Config the values of -c in order.
	Dir, GitDir, WorkTree string
	Config                []string
	// Args are the arguments behind "push".
	Args []string
	// Maybe says that the words alone make it a push that only adds; what the
	// repository's configuration adds (a forcing refspec, a mirror) decides.
	Maybe bool
}

// Repository is a local repository as the command spells it.
type Repository struct {
	// Dir is the directory git runs in, GitDir and WorkTree are what --git-dir
	// and --work-tree say; all absolute or empty.
	Dir, GitDir, WorkTree string
	// Objects says that git takes objects away which nothing names any more.
	Objects bool
}

// Part is one simple command, redirection or tool call within a call.
type Part struct {
	// Text is the source text, shortened; Argv is what its words resolved to
	// (a word that is not known is shown as its source in ⟨…⟩).
	Text  string
	Argv  []string
	Class Class
	// Reason is why the class is what it is, for people.
	Reason string
	Pos    Pos
}

// Refusal says why a call cannot be let go and what would work instead.
type Refusal struct {
	// Reason is one line: what was found.
	Reason string
	// Instead is the nearest form that could be armed; empty when there is none.
	Instead string
	// Guarded says that the place is one that no agent may touch: nobody is
	// asked, and no exception lets the call go.
	Guarded bool
	Pos     Pos
}

// Verdict is what a call would do.
type Verdict struct {
	Class   Class
	Effects []Effect
	Parts   []Part
	// Refusals is why an Irreversible call is refused, in source order.
	Refusals []Refusal
	// Opaque names the programs whose writes are not known (Class Bounded).
	Opaque []string
	// Unnamed says that some command word itself is not known.
	Unnamed bool
	// Dirs are directories and files outside the workspace that the opaque
	// programs name; Wide are those of which a checkpoint would be of no use,
	// such as / or what holds the home directory.
	Dirs, Wide []string
	// Repositories are those in which git may throw something away.
	Repositories []Repository
	// Barriers are things that are let go though no inverse covers them, such
	// as a request to a server on this machine or a plain push.
	Barriers []string
}

// Package inverse plans how a call is taken back. Effects become steps, steps
// are data that a ledger can hold; when a step is fired, the states before the
// call, after it and now become the actions to take.
//
// The package is pure: it sees the disk through what it is handed.
package inverse

// Step is the inverse of all file effects of a call: the union of every path
// that any part may change or remove, put back once.
type Step struct {
	// Roots are the paths whose state before the call is held.
	Roots []Root `json:"roots,omitempty"`
	// Moves are armed by identity: nothing is copied, firing renames back.
	Moves []Move `json:"moves,omitempty"`
	// Parents are the directories whose listing the call changes. Their
	// modification time is put back when their listing is what it was.
	Parents []Parent `json:"parents,omitempty"`
}

// Root is one path of the scope.
type Root struct {
	Path Name `json:"name"`
	// Tree includes everything below Path.
	Tree bool `json:"tree,omitempty"`
	// Gone says that the call is predicted to leave nothing at Path.
	Gone bool `json:"gone,omitempty"`
	// Born says that nothing was at Path and that the call is predicted to
	// make it.
	Born bool `json:"born,omitempty"`
}

// Move is a thing that the call renames. Firing renames it from To to From,
// replacing nothing.
type Move struct {
	From Name   `json:"from"`
	To   Name   `json:"to"`
	Dev  uint64 `json:"dev"`
	Ino  uint64 `json:"ino"`
}

// Parent is a directory as it was before the call.
type Parent struct {
	Path  Name   `json:"name"`
	MTime int64  `json:"mtime"`
	Names uint64 `json:"names"`
}

// Empty reports that the step would do nothing.
func (s Step) Empty() bool { return len(s.Roots) == 0 && len(s.Moves) == 0 }

// Reverse is the shape of the step that takes the firing of s back: the same
// scope, the renames the other way round, and nothing predicted.
func (s Step) Reverse() Step {
	r := Step{Parents: append([]Parent(nil), s.Parents...)}
	for _, root := range s.Roots {
		r.Roots = append(r.Roots, Root{Path: root.Path, Tree: root.Tree})
	}
	for _, m := range s.Moves {
		r.Moves = append(r.Moves, Move{From: m.To, To: m.From, Dev: m.Dev, Ino: m.Ino})
	}
	return r
}

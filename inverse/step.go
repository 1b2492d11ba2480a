// Package inverse plans how a call is taken back. Effects become steps, steps
// are data that a ledger can hold; when a step is fired, the states before the
// call, after it and now become the actions to take.
//
// The package is pure: it sees the disk through what it is handed.
package inverse

import (
	"path"
	"slices"

	"github.com/counterstep/counterstep/classify"
)

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
// replacing nothing. It is known by its inode, or, when it was restored in
// between, by its type, size, time and the names in it.
type Move struct {
	From  Name   `json:"from"`
	To    Name   `json:"to"`
	Dev   uint64 `json:"dev"`
	Ino   uint64 `json:"ino"`
	Type  string `json:"type"`
	Size  int64  `json:"size,omitempty"`
	MTime int64  `json:"mtime"`
	Names uint64 `json:"names,omitempty"`
}

// Is reports whether what a look found at a path is the thing that was moved.
func (m Move) Is(info classify.Info, mtime int64, names uint64) bool {
	if info.Type == '-' {
		return false
	}
	return info.Dev == m.Dev && info.Ino == m.Ino ||
		string(info.Type) == m.Type && info.Size == m.Size && mtime == m.MTime && names == m.Names
}

// Parent is a directory as it was before the call.
type Parent struct {
	Path  Name   `json:"name"`
	MTime int64  `json:"mtime"`
	Names uint64 `json:"names"`
}

// reversed is the same thing, moved the other way.
func (m Move) reversed() Move {
	m.From, m.To = m.To, m.From
	return m
}

// Empty reports that the step would do nothing.
func (s Step) Empty() bool { return len(s.Roots) == 0 && len(s.Moves) == 0 }

// Include adds one existing path to the scope, with the directory around it.
func (s *Step) Include(name string, disk Disk) error {
	s.Roots = append(s.Roots, Root{Path: Name(name)})
	s.Sort()
	dir := path.Dir(name)
	if covered(s.Roots, dir) || slices.ContainsFunc(s.Parents, func(p Parent) bool { return string(p.Path) == dir }) {
		return nil
	}
	mtime, names, err := disk.Listing(dir)
	if err != nil {
		return err
	}
	s.Parents = append(s.Parents, Parent{Path: Name(dir), MTime: mtime, Names: names})
	return nil
}

// Sort brings the roots into the order that [Plan] gives them.
func (s *Step) Sort() {
	slices.SortFunc(s.Roots, func(a, b Root) int { return ComparePaths(string(a.Path), string(b.Path)) })
}

// Reverse is the shape of the step that takes the firing of s back: the same
// scope, the renames the other way round, and nothing predicted.
func (s Step) Reverse() Step {
	r := Step{Parents: append([]Parent(nil), s.Parents...)}
	for _, root := range s.Roots {
		r.Roots = append(r.Roots, Root{Path: root.Path, Tree: root.Tree})
	}
	for _, m := range s.Moves {
		r.Moves = append(r.Moves, m.reversed())
	}
	return r
}

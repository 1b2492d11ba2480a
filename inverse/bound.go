package inverse

import "github.com/counterstep/counterstep/internal/git"

// Bound is the part of a call whose writes are not known: what differs between
// two checkpoints of the bound is what it changed.
type Bound struct {
	// Checkpoint is the state before the call, Post the one after it; empty as
	// long as the call was not settled.
	Checkpoint string `json:"checkpoint"`
	Post       string `json:"post,omitempty"`
	// Root is the workspace, Also are directories besides that the call names.
	Root Name   `json:"root"`
	Also []Name `json:"also,omitempty"`
	// Partial says that the checkpoint does not hold everything.
	Partial bool `json:"partial,omitempty"`
	// Repos are the repositories whose objects are held besides.
	Repos []git.Objects `json:"repos,omitempty"`
	// Shared says that other calls with unknown writes ran in the same time, so
	// that what changed may be theirs.
	Shared []string `json:"shared,omitempty"`
	// Others are paths that the exact effects of other calls name that ran in
	// the same time: what changed there is theirs.
	Others []Root `json:"others,omitempty"`
}

// Left is what a call left, besides the files of its exact scope.
type Left struct {
	Remotes []git.Remote `json:"remotes,omitempty"`
	Bound   *Bound       `json:"bound,omitempty"`
}

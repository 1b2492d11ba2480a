package fire

import (
	"time"

	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/ledger"
)

// Rewound is what a rewind did; docs/format/rewind-v1.md describes its JSON.
type Rewound struct {
	V int `json:"v"`
	// Status is rewound; "would rewind" for a dry run; "nothing to do" when the
	// state is that of the point already.
	Status string `json:"status"`
	// ID is the id of the rewind, Redo the saga that takes it back; both are
	// empty when nothing was changed.
	ID    string `json:"id,omitempty"`
	Redo  string `json:"redo,omitempty"`
	Point Point  `json:"to"`

	Restored []ledger.Name `json:"restored"`
	Removed  []ledger.Name `json:"removed"`
	Merged   []Kept        `json:"merged"`
	Kept     []Kept        `json:"kept"`
	Skipped  []Skip        `json:"skipped"`

	// Calls are the numbers of the calls whose changes it took back.
	Calls []int `json:"calls"`
	// Repository are calls that changed repositories' own files, which stay
	// unless asked for.
	Repository []int `json:"repository_changed_by,omitempty"`
	// Refs are refs that are not where they were and that stay; Git are the calls
	// since the point that ran git, as far as they were recorded.
	Refs []MovedRef `json:"refs_moved,omitempty"`
	Git  []int      `json:"git_ran_in,omitempty"`
	// NotUndone is what ran since the point that a rewind does not take back.
	NotUndone []NotUndone `json:"not_undone,omitempty"`
}

// Point is where a rewind goes.
type Point struct {
	// Number, Prompt, UUID and Text are those of the prompt; Call is the number
	// of the call instead.
	Number  int       `json:"prompt,omitempty"`
	Prompt  string    `json:"prompt_id,omitempty"`
	UUID    string    `json:"uuid,omitempty"`
	Text    string    `json:"text,omitempty"`
	Call    int       `json:"before_call,omitempty"`
	ID      string    `json:"id"`
	Harness string    `json:"harness,omitempty"`
	Session string    `json:"session,omitempty"`
	Time    time.Time `json:"time"`
}

// Kept is a path of which a person's change stays.
type Kept struct {
	Path   ledger.Name `json:"name"`
	Reason string      `json:"reason"`
	// Beside is where the state at the point was put.
	Beside ledger.Name `json:"beside,omitempty"`
	// Conflicts counts the places that are marked to be decided.
	Conflicts int `json:"conflicts,omitempty"`
}

// Skip is something that could not be put back. Path is empty when it is not
// known what a call changed.
type Skip struct {
	Path   ledger.Name `json:"name,omitempty"`
	Call   int         `json:"call,omitempty"`
	Reason string      `json:"reason"`
}

// NotUndone is a call that a rewind does not take back.
type NotUndone struct {
	ID      string `json:"id"`
	Number  int    `json:"number,omitempty"`
	Command string `json:"command,omitempty"`
	Why     string `json:"why"`
	// Next is what takes it back, when something does.
	Next string `json:"next,omitempty"`
}

// sortLines puts what happened to each path where it belongs.
func (r *Rewound) sortLines(lines []Line) {
	for _, l := range lines {
		p := ledger.Name(l.Path)
		switch {
		case quietly(l):
		case l.Status == workspace.StatusSkipped:
			r.Skipped = append(r.Skipped, Skip{Path: p, Reason: l.Reason})
		case l.Status == workspace.StatusDrifted:
			r.Kept = append(r.Kept, Kept{Path: p, Reason: "changed at this moment: " + l.Reason})
		case l.Do == doKeep, l.Do == "beside":
			r.Kept = append(r.Kept, Kept{Path: p, Reason: l.Reason, Beside: ledger.Name(l.Beside)})
		case l.Do == doMerge:
			r.Merged = append(r.Merged, Kept{Path: p, Reason: l.Reason, Beside: ledger.Name(l.Beside), Conflicts: l.Conflicts})
		case l.Do == "remove":
			r.Removed = append(r.Removed, p)
		default:
			r.Restored = append(r.Restored, p)
		}
	}
}

// quietly are lines about nothing that a person wants to know.
func quietly(l Line) bool { return l.Do == doTimes || l.Do == "link" }

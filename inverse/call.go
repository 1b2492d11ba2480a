package inverse

import (
	"encoding/json"
	"fmt"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
)

// Call is what call.json holds about a call: all that showing and firing it
// need besides its payload.
type Call struct {
	V           int               `json:"v"`
	ID          string            `json:"id"`
	Harness     string            `json:"harness"`
	Session     string            `json:"session,omitempty"`
	Prompt      string            `json:"prompt,omitempty"`
	CallID      string            `json:"call,omitempty"`
	Agent       string            `json:"agent,omitempty"`
	Tool        string            `json:"tool"`
	Cwd         Name              `json:"cwd"`
	Command     string            `json:"command,omitempty"`
	Description string            `json:"description,omitempty"`
	Class       string            `json:"class"`
	Effects     []classify.Effect `json:"effects,omitempty"`
	Parts       []classify.Part   `json:"parts,omitempty"`
	Opaque      []string          `json:"opaque,omitempty"`
	Step        Step              `json:"step"`
	// Remotes are the refs of other repositories that the call can take
	// something from, one entry per remote.
	Remotes []git.Remote `json:"remotes,omitempty"`
	// Bound is set when what the call writes is not known.
	Bound *Bound `json:"bound,omitempty"`
	// Undoes is the saga that this one takes back, for an undo of an undo.
	Undoes string `json:"undoes,omitempty"`
}

// ReadCall reads what call.json holds.
func ReadCall(data []byte) (Call, error) {
	var c Call
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("read call.json: %w", err)
	}
	return c, nil
}

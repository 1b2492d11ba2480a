package ledger

import "slices"

// KeepPrompts is how many of the newest prompts of a session are kept, however
// old they are, while the quota allows.
const KeepPrompts = 100

// Newest are the ids of what was armed or created for the newest prompts of
// each session, given all records in order. Records without a prompt belong to
// none.
func Newest(records []Record, prompts int) map[string]bool {
	seen := map[string]map[string]bool{} // the prompts of each session
	out := map[string]bool{}
	for _, r := range slices.Backward(records) {
		if r.Prompt == "" || r.Kind != Armed && r.Kind != Created {
			continue
		}
		of := seen[r.Session]
		if of == nil {
			of = map[string]bool{}
			seen[r.Session] = of
		}
		if !of[r.Prompt] && len(of) == prompts {
			continue
		}
		of[r.Prompt] = true
		out[r.ID] = true
	}
	return out
}

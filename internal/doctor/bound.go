package doctor

import (
	"fmt"
	"strings"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/store"
)

// shown is how many gaps of a checkpoint are named.
const shown = 5

// bound looks at the newest checkpoint: what it does not hold does not come
// back when a program whose writes are not known destroys it.
func bound(st *store.Store) []Finding {
	if st.ReadOnly() {
		return nil
	}
	set := checkpoint.In(st)
	list, err := set.List()
	if err != nil {
		return []Finding{{Level: Fail, What: "the checkpoints cannot be read: " + err.Error(), Fix: "counterstep verify --read-data"}}
	}
	if len(list) == 0 {
		return nil
	}
	c, err := set.Load(list[len(list)-1].ID)
	if err != nil {
		return []Finding{{Level: Fail, What: "the newest checkpoint cannot be read: " + err.Error(), Fix: "counterstep verify --read-data"}}
	}
	defer c.Close()
	gaps := c.Missing()
	if len(gaps) == 0 {
		return nil
	}
	var names []string
	for i, g := range gaps {
		if i == shown {
			names = append(names, fmt.Sprintf("and %d more", len(gaps)-shown))
			break
		}
		names = append(names, fmt.Sprintf("%s (%s)", g.Path, g.Reason))
	}
	return []Finding{{Level: Note, What: "the newest checkpoint does not hold " + strings.Join(names, ", ")}}
}

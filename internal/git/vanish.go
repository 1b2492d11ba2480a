package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Vanishing is what a remote loses when a step is fired.
type Vanishing struct {
	// Commits is how many commits no ref of the remote reaches any more.
	Commits int
	// Tips are the objects that the fired refs have now: they bring back what
	// vanishes.
	Tips []OID
	// Known says that Commits was counted. It is false when the private store
	// lacks a tip; after Hold(Reverse(r)) it never does.
	Known bool
}

// Vanish counts what the remote loses when r is fired. It reads the private
// store only. seen is what Observe found: what other refs of the remote reach
// does not vanish, as far as the store has them. Without it (nil) the count is
// an upper bound.
func (d *Door) Vanish(ctx context.Context, r Remote, seen map[string]OID, dir string) (Vanishing, error) {
	store, err := openStore(dir, r)
	if err != nil {
		return Vanishing{}, fmt.Errorf("count what vanishes: %w: %w", ErrDamaged, err)
	}
	out := Vanishing{Known: true}
	var in strings.Builder
	own := map[string]bool{}
	for _, u := range r.Refs {
		own[u.Name] = true
		if now := u.expected(); now.Is() && now != u.Old {
			out.Tips = append(out.Tips, now)
			if !isKept(store, now) {
				out.Known = false
			}
			in.WriteString(string(now) + "\n")
		}
		if u.Old.Is() {
			in.WriteString("^" + string(u.Old) + "\n")
		}
	}
	if len(out.Tips) == 0 || !out.Known {
		return out, nil
	}
	for name, id := range seen {
		if id.Is() && !own[name] {
			in.WriteString("^" + string(id) + "\n")
		}
	}
	res, err := d.git(ctx, run{
		gitDir: store, stdin: strings.NewReader(in.String()),
		args: []string{"rev-list", "--count", "--ignore-missing", "--stdin"},
	})
	if err != nil {
		return Vanishing{}, fmt.Errorf("count what vanishes: %w", err)
	}
	out.Commits, err = strconv.Atoi(strings.TrimSpace(string(res.Stdout)))
	return out, err
}

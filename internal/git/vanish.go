package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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
	// Known says that the count is right. It is false when the private store
	// lacks a tip; after Hold(Reverse(r)) it never does.
	Known bool
}

// Vanish counts what the remote loses when r is fired. It reads the private
// store only, and takes the remote's other refs for what they were when the
// store last heard of them.
func (d *Door) Vanish(ctx context.Context, r Remote, dir string) (Vanishing, error) {
	store, err := openStore(dir, r)
	if err != nil {
		return Vanishing{}, fmt.Errorf("count what vanishes: %w: %w", ErrDamaged, err)
	}
	out := Vanishing{Known: true}
	var in strings.Builder
	for _, u := range r.Refs {
		if now := u.expected(); now.Is() && now != u.Old {
			out.Tips = append(out.Tips, now)
			if _, err := os.Lstat(filepath.Join(store, filepath.FromSlash(kept), string(now))); err != nil {
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
	res, err := d.git(ctx, run{
		gitDir: store, stdin: strings.NewReader(in.String()),
		args: []string{"rev-list", "--count", "--stdin"},
	})
	if err != nil {
		return Vanishing{}, fmt.Errorf("count what vanishes: %w", err)
	}
	out.Commits, err = strconv.Atoi(strings.TrimSpace(string(res.Stdout)))
	return out, err
}

package doctor

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/proc"
)

// version is the version of a client.
type version [3]int

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

func (v version) before(w version) bool {
	for i := range v {
		if v[i] != w[i] {
			return v[i] < w[i]
		}
	}
	return false
}

// client asks the agent's program for its version: older ones let a call run
// when its hook fails.
func client(ctx context.Context, o Options) []Finding {
	// blocks is the first Claude Code that honours onFailure; before oldest, exit
	// code 2 did not block when standard output was not understood.
	blocks, oldest := version{2, 1, 295}, version{2, 1, 214}
	const update = "claude update"
	program, err := proc.Look("claude", o.Path)
	if err != nil {
		return []Finding{{Level: Note, What: "claude is not on PATH, so its version is not known"}}
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	res, err := proc.Run(ctx, proc.Cmd{Path: program, Args: []string{"--version"}, Dir: filepath.Dir(program), Env: o.Environ, Limit: 64 << 10})
	v, ok := parseVersion(string(res.Stdout))
	switch {
	case err != nil || res.Code != 0 || !ok:
		return []Finding{{Level: Warn, What: program + " does not tell its version", Fix: quote(program) + " --version"}}
	case v.before(oldest):
		return []Finding{{Level: Fail, What: fmt.Sprintf("Claude Code %s: before %s a hook that refuses a call could be overruled by what it printed", v, oldest), Fix: update}}
	case v.before(blocks):
		return []Finding{{Level: Warn, What: fmt.Sprintf("Claude Code %s ignores onFailure (honoured from %s): a call runs when the hook itself cannot be started or is cut off", v, blocks), Fix: update}}
	}
	return []Finding{{Level: OK, What: fmt.Sprintf("Claude Code %s blocks a call when its hook fails", v)}}
}

// parseVersion reads the first word of text that has the form 1.2.3.
func parseVersion(text string) (version, bool) {
	for _, word := range strings.Fields(text) {
		parts := strings.SplitN(strings.TrimPrefix(word, "v"), ".", 3)
		if len(parts) != 3 {
			continue
		}
		if i := strings.IndexAny(parts[2], "-+"); i >= 0 {
			parts[2] = parts[2][:i]
		}
		var v version
		ok := true
		for i, p := range parts {
			n, err := strconv.Atoi(p)
			v[i], ok = n, ok && err == nil && n >= 0
		}
		if ok {
			return v, true
		}
	}
	return version{}, false
}

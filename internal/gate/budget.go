package gate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/counterstep/counterstep/internal/clone"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// inTime is what can be captured while an agent waits, with room for slow
// disks. More is armed before the call.
var inTime = workspace.Limits{Files: 300_000, Bytes: 4 << 30}

// budget is what a capture may hold.
func (g *Gate) budget() workspace.Limits {
	switch {
	case g.unhurried:
		return workspace.Limits{}
	case g.Budget != workspace.Limits{}:
		return g.Budget
	}
	return inTime
}

// withinBudget forgives a size that need not be copied.
func (g *Gate) withinBudget(st *store.Store, a *Armed, err error) (workspace.Limits, bool) {
	over, ok := errors.AsType[*workspace.LimitError](err)
	if !ok || over.Files > over.Limit.Files && over.Limit.Files > 0 || len(a.Step.Roots) == 0 {
		return workspace.Limits{}, false
	}
	if !shares(st.Dir(), string(a.Step.Roots[0].Path)) {
		return workspace.Limits{}, false
	}
	return workspace.Limits{Files: over.Limit.Files}, true
}

// shares reports whether a file at or near path can share its blocks with a
// file in dir.
func shares(dir, path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	src := path
	if info.IsDir() {
		list, err := os.ReadDir(path)
		if err != nil {
			return false
		}
		src = ""
		for _, d := range list {
			if d.Type().IsRegular() {
				src = filepath.Join(path, d.Name())
				break
			}
		}
	} else if !info.Mode().IsRegular() {
		return false
	}
	if src == "" {
		return false
	}
	from, err := os.Open(src)
	if err != nil {
		return false
	}
	defer from.Close()
	to, err := os.CreateTemp(dir, ".probe-*.tmp")
	if err != nil {
		return false
	}
	defer os.Remove(to.Name())
	defer to.Close()
	return clone.Try(to, from) == nil
}

// tooMuch says in words that a call is over the budget.
func tooMuch(e *workspace.LimitError) string {
	return fmt.Sprintf("this call touches at least %d files with %s, more than can be held while you wait; arm it first, then make the same call again",
		e.Files, inverse.Size(e.Bytes))
}

// armFirst is what a model can do about a call that is over the budget.
func armFirst(r Request) string {
	if r.Input.Kind != Shell {
		return "change fewer files in one call"
	}
	return "counterstep arm -- " + quoted(r.Input.Command)
}

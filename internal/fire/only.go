package fire

import (
	"slices"

	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// only drops what lies outside the paths that are meant. Of a directory that is
// not meant, the times stay as they are too.
func (j *job) only(paths []string) {
	if len(paths) == 0 {
		return
	}
	meant := func(p string) bool {
		return slices.ContainsFunc(paths, func(o string) bool { return inverse.Within(j.source(p), o) })
	}
	var left []string
	j.undo.Actions = slices.DeleteFunc(j.undo.Actions, func(a workspace.Action) bool {
		switch {
		case meant(a.Entry.Path):
			return false
		case a.Op != workspace.Keep && line(a).Do != doTimes:
			left = append(left, a.Entry.Path)
		}
		return true
	})
	j.undo.Drift = slices.DeleteFunc(j.undo.Drift, func(d inverse.Drift) bool { return !meant(d.Path) })
	j.undo.Merges = slices.DeleteFunc(j.undo.Merges, func(m inverse.Merged) bool { return !meant(m.Path) })
	j.undo.Bystanders = slices.DeleteFunc(j.undo.Bystanders, func(p string) bool { return !meant(p) })
	for _, p := range left {
		j.skipped = append(j.skipped, Line{Path: p, Do: doKeep, Status: workspace.StatusKept, Reason: "not among --paths"})
	}
}

package fire

import (
	"fmt"
	"slices"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// meant reports whether a path is among those that were asked for, by the name
// that it has now or had then. Git's own files go together or not at all.
func (j *job) meant(p string) bool {
	if len(j.paths) == 0 {
		return true
	}
	if dir, git := gitDir(p); git {
		p = dir
	}
	return slices.ContainsFunc(j.paths, func(o string) bool {
		return inverse.Within(j.unsuffixed(p), o) || inverse.Within(j.source(p), o)
	})
}

// only drops what was not asked for. Of a directory that is not meant, the times
// stay as they are too.
func (j *job) only(paths []string) {
	j.paths = paths
	var left []string
	j.undo.Actions = slices.DeleteFunc(j.undo.Actions, func(a workspace.Action) bool {
		switch {
		case j.meant(a.Entry.Path):
			return false
		case a.Op != workspace.Keep && line(a).Do != doTimes:
			left = append(left, a.Entry.Path)
		}
		return true
	})
	stays := func(p string) bool { return !j.meant(p) }
	j.undo.Drift = slices.DeleteFunc(j.undo.Drift, func(d inverse.Drift) bool {
		if stays(d.Path) && d.Beside == "" {
			left = append(left, d.Path)
		}
		return stays(d.Path)
	})
	j.undo.Merges = slices.DeleteFunc(j.undo.Merges, func(m inverse.Merged) bool { return stays(m.Path) })
	j.undo.Bystanders = slices.DeleteFunc(j.undo.Bystanders, stays)
	j.skipped = slices.DeleteFunc(j.skipped, func(l Line) bool { return stays(l.Path) })
	for _, p := range left {
		j.leave(j.unsuffixed(p))
	}
}

// leave says that a path was not asked for.
func (j *job) leave(p string) {
	j.part = true
	j.skipped = append(j.skipped, Line{Path: p, Do: doKeep, Status: workspace.StatusKept, Reason: notAmong})
}

// nothing fails when none of the paths that were asked for is of this call, and
// when it has moved refs elsewhere, which are no paths.
func (j *job) nothing() error {
	if len(j.paths) > 0 && len(j.remotes) > 0 {
		return hint.New("counterstep fire "+short(j.saga.ID), "%s has changed a remote, so it is taken back as a whole", short(j.saga.ID))
	}
	if len(j.paths) == 0 || slices.ContainsFunc(j.pre, func(e fingerprint.Entry) bool { return j.meant(e.Path) }) ||
		slices.ContainsFunc(j.step().Moves, func(m inverse.Move) bool { return j.meant(string(m.From)) || j.meant(string(m.To)) }) {
		return nil
	}
	return hint.With(&untouchedError{short(j.saga.ID), j.paths[0]}, "counterstep show "+short(j.saga.ID))
}

// untouchedError says that a call is not about the paths that were asked for.
type untouchedError struct{ id, path string }

func (e *untouchedError) Error() string {
	return fmt.Sprintf("%s has not touched %s", e.id, hint.Clean(e.path))
}

// Why a path was left as a person wanted it.
const (
	notAmong  = "not among --paths"
	notChosen = "not chosen"
)

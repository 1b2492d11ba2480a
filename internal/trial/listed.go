package trial

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/inverse"
)

// listed are the programs that may be run: their nature is known. None runs
// code that it finds.
func listed() []string {
	return strings.Fields(`[ : basename cat cd chgrp chmod chown cksum comm cp cut date dirname echo exit expand expr
		export false find fmt fold git grep head install join link ln ls md5sum mkdir mktemp mv nl od paste printf pwd
		readlink realpath rm rmdir sed seq set sha1sum sha256sum shred sort split stat sync tac tail tee test touch tr
		true truncate tsort uniq unlink unset wc xargs`)
}

// Refuse says why a command cannot be rehearsed; empty when it can.
func Refuse(v classify.Verdict, root string) string {
	switch {
	case v.Class == classify.Irreversible && len(v.Refusals) > 0:
		return "the gate refuses it: " + v.Refusals[0].Reason
	case v.Class == classify.Irreversible, v.Unnamed:
		return "what it runs is not known"
	}
	for _, o := range v.Opaque {
		if o != "git" {
			return fmt.Sprintf("%s runs code whose writes are not known", o)
		}
	}
	programs := listed()
	for _, p := range v.Parts {
		if len(p.Argv) == 0 {
			continue // a redirection or an assignment
		}
		name := p.Argv[0]
		if dir := filepath.Dir(name); dir == "/bin" || dir == "/usr/bin" {
			name = filepath.Base(name)
		}
		if !slices.Contains(programs, name) {
			return fmt.Sprintf("%s is not on the list of programs that are run in a rehearsal", name)
		}
	}
	for _, e := range v.Effects {
		for _, path := range []string{e.Path, e.To} {
			if e.Remote != nil || e.Kind == classify.External {
				return "it changes something that is not in the workspace"
			}
			if path != "" && !inverse.Within(path, root) && !inverse.Within(path, "/dev") {
				return fmt.Sprintf("it would change %s, outside of the workspace %s", path, root)
			}
		}
	}
	return ""
}

func usesGit(v classify.Verdict) bool {
	return slices.ContainsFunc(v.Parts, func(p classify.Part) bool {
		return len(p.Argv) > 0 && filepath.Base(p.Argv[0]) == "git"
	})
}

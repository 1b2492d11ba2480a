package main

import (
	"fmt"
	"slices"
	"strings"
)

// Mutant is one safety step, how to take it out, and what must notice.
type Mutant struct {
	// Name is short and unique.
	Name string
	// Step says in plain words what is taken out.
	Step string
	// File is the path from the root of the module; Old occurs in it once and
	// is replaced by New.
	File, Old, New string
	// Pkg is the package of the tests, Run the pattern that selects them.
	Pkg, Run string
}

// All lists every mutant.
func All() []Mutant {
	return slices.Concat(durableMutants(), storeMutants(), ledgerMutants(), workspaceMutants(), proofMutants(),
		fireMutants(), gateMutants(), payloadMutants(), setupMutants(), classifyMutants(), gitMutants(), checkpointMutants(), mergeMutants(), policyMutants(), localMutants())
}

// Apply returns src with the step taken out.
func (m Mutant) Apply(src string) (string, error) {
	if n := strings.Count(src, m.Old); n != 1 {
		return "", fmt.Errorf("the old text occurs %d times in %s", n, m.File)
	}
	return strings.Replace(src, m.Old, m.New, 1), nil
}

// Table is the list as it stands in docs/SAFETY.md.
func Table(list []Mutant) string {
	var b strings.Builder
	b.WriteString("| taken out | in | noticed by |\n|---|---|---|\n")
	for _, m := range list {
		fmt.Fprintf(&b, "| %s | `%s` | `%s` `%s` |\n", m.Step, m.File, m.Pkg, strings.NewReplacer("|", `\|`, "^", "", "$", "").Replace(m.Run))
	}
	return b.String()
}

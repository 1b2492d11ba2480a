package main

// localMutants take out what keeps a local repository's work.
func localMutants() []Mutant {
	const pkg, run = "cmd/counterstep", "^TestScripts$/^fire_git$"
	const repo, repacked, units, objects = "internal/gate/repo.go", "internal/fire/repacked.go", "internal/fire/units.go", "internal/git/objects.go"
	return []Mutant{
		{
			Name: "objects-not-held", Step: "holding the objects of a repository before git can lose them",
			File: objects, Old: "if err := borrow(ctx, path, l.Objects()); err != nil {", New: "if err := borrow(ctx, path, path); err != nil {",
			Pkg: pkg, Run: run,
		},
		{
			Name: "objects-of-index", Step: "looking for the objects that the index will name",
			File: "internal/fire/local.go", Old: `if path.Base(a.Entry.Path) == "index" {`, New: `if path.Base(a.Entry.Path) == "" {`,
			Pkg: pkg, Run: run,
		},
		{
			Name: "objects-nobody-names", Step: "putting back what gc took although nothing names it",
			File: repo, Old: "o.All = slices.ContainsFunc(", New: "o.All = st == nil && slices.ContainsFunc(",
			Pkg: pkg, Run: run,
		},
		{
			Name: "gc-changes-nothing", Step: "not taking a call for harmless that took objects away",
			File: repo, Old: "return slices.ContainsFunc(b.Repos,", New: "return b.Repos == nil && slices.ContainsFunc(b.Repos,",
			Pkg: pkg, Run: "^TestScripts$/^fire_git_prune$",
		},
		{
			Name: "objects-let-go", Step: "keeping objects that a payload needs",
			File: repo, Old: "return needed == nil || needed[name]", New: "return needed == nil",
			Pkg: "internal/gate", Run: "^TestObjectsGoWithTheLastPayloadThatNeedsThem$",
		},
		{
			Name: "repository-outside", Step: "taking a repository outside the workspace into the bound",
			File: repo, Old: "v.Dirs = append(v.Dirs, dir)", New: "_ = dir",
			Pkg: pkg, Run: "^TestScripts$/^fire_git_outside$",
		},
		{
			Name: "home-is-a-repository", Step: "refusing a work tree that no checkpoint holds",
			File: repo, Old: `if dir != "" && classify.TooWide(dir, real(g.Home)) {`, New: `if dir == "/" && classify.TooWide(dir, g.Home) {`,
			Pkg: pkg, Run: "^TestScripts$/^fire_git_outside$",
		},
		{
			Name: "reflog-grown", Step: "leaving a reflog that has grown since",
			File: repacked, Old: "if !had[string(line)] {", New: "if !had[string(line)] && had == nil {",
			Pkg: pkg, Run: "^TestScripts$/^fire_git_used$",
		},
		{
			Name: "index-refreshed", Step: "not taking an index for used that git status refreshed",
			File: repacked, Old: "return err == nil && same", New: "return err != nil && same",
			Pkg: pkg, Run: "^TestScripts$/^fire_git_used$",
		},
		{
			Name: "repacked-and-moved", Step: "leaving packed refs of which one moved since",
			File: repacked, Old: "!maps.Equal(left, live) {", New: "!maps.Equal(left, live) && live == nil {",
			Pkg: pkg, Run: "^TestScripts$/^fire_git_used$",
		},
		{
			Name: "branch-apart-from-head", Step: "keeping HEAD, its branch and the index together",
			File: units, Old: "case slices.Contains(branches, ref):", New: "case branches == nil && ref != name:",
			Pkg: pkg, Run: "^TestScripts$/^fire_git_used$",
		},
	}
}

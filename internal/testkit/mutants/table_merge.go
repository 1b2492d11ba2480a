package main

// mergeMutants take out what keeps merging and choosing safe.
func mergeMutants() []Mutant {
	return []Mutant{
		{
			Name: "overlap-taken-for-clean", Step: "leaving a text alone in which the same lines were changed",
			File: "inverse/merge.go", Old: "if len(r.Conflicts) > 0 && s.Choice != Markers {", New: "if len(r.Conflicts) > 0 && s.Choice == \"never\" {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_conflict$",
		},
		{
			Name: "both-set-the-mode", Step: "leaving a file alone of which both sides set the mode",
			File: "inverse/merge.go", Old: "ok = ok && (s.Choice == Ours || s.Choice == Theirs)", New: "ok = ok && s.Choice != \"never\"",
			Pkg: "inverse", Run: "^TestResolveMetadata$",
		},
		{
			Name: "lines-joined", Step: "not putting a line behind one that has no end",
			File: "internal/merge/three.go", Old: "\tif m.joined {", New: "\tif m.joined && m.wide {",
			Pkg: "internal/merge", Run: "^TestNeighbours$",
		},
		{
			Name: "markers-left", Step: "looking for markers before a conflict counts as resolved",
			File: "internal/fire/resolve.go", Old: "i >= 0 && (i == 0", New: "i < -1 && (i == 0",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_conflict$",
		},
		{
			Name: "all-paths", Step: "leaving paths that were not asked for",
			File: "internal/fire/only.go", Old: "\tif len(j.paths) == 0 {\n\t\treturn true\n\t}", New: "\tif len(j.paths) < 100 {\n\t\treturn true\n\t}",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_paths$",
		},
		{
			Name: "kept-unchecked", Step: "checking the hash of a text that was kept",
			File: "internal/store/kept.go", Old: "err == nil && sha256.Sum256(data) == [32]byte(want)", New: "err == nil",
			Pkg: "internal/store", Run: "^TestKept$",
		},
		{
			Name: "redo-of-a-part", Step: "telling the firings of parts of a call apart",
			File: "ledger/fold.go", Old: "\t\t\tif o.Part() {", New: "\t\t\tif o.Part() && o.ID == \"\" {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^fire_paths$",
		},
	}
}

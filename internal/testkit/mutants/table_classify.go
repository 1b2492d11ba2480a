package main

// classifyMutants take out what makes the reading of a command cautious.
func classifyMutants() []Mutant {
	const pkg, report, effects = "classify", "classify/report.go", "classify/effects.go"
	return []Mutant{
		{
			Name: "unresolved-let-go", Step: "refusing to destroy what is not known before it runs",
			File: effects, Old: "\t\t\t\tinv.unresolvedOperand(w, s, verb)\n", New: "",
			Pkg: pkg, Run: "^TestUnknownStaysUnknown$",
		},
		{
			Name: "protected-path", Step: "asking whether a path is protected",
			File: report, Old: "if reason, bad := ctx.Protected(path); bad {", New: "if reason, bad := ctx.Protected(path); bad && path == \"\" {",
			Pkg: pkg, Run: "^TestProtectedPlaces$",
		},
		{
			Name: "protected-tree", Step: "asking whether a tree holds something protected",
			File: report, Old: "if below, reason, bad := ctx.ProtectedBelow(path); bad {", New: "if below, reason, bad := ctx.ProtectedBelow(path); bad && path == \"\" {",
			Pkg: pkg, Run: "^TestProtectedByOneCheckAlone$",
		},
		{
			Name: "home-let-go", Step: "refusing to destroy the home directory",
			File: report, Old: "case path == ctx.Home && (whole || e.Kind == Overwrite):", New: "case path == ctx.Home && path == \"\":",
			Pkg: pkg, Run: "^TestProtectedByOneCheckAlone$",
		},
		{
			Name: "mount-let-go", Step: "refusing to destroy a mount point",
			File: report, Old: "if whole && e.Kind != Create && ev.isMount(path) {", New: "if whole && e.Kind == Create && ev.isMount(path) {",
			Pkg: pkg, Run: "^TestProtectedPlaces$",
		},
		{
			Name: "reads-of-the-store", Step: "refusing commands that read the store",
			File: "classify/run.go", Old: "\tif bad {\n\t\tp.forbid(reason, \"\", w.posOr(ev.here()))", New: "\tif bad && s == \"\" {\n\t\tp.forbid(reason, \"\", w.posOr(ev.here()))",
			Pkg: pkg, Run: "^TestProtectedPlaces$",
		},
		{
			Name: "unnamed-let-go", Step: "holding a command whose name is computed",
			File: "classify/call.go", Old: "\tpart.unnamed(\"the command's name is not known before it runs\")\n", New: "",
			Pkg: pkg, Run: "^TestUnknownStaysUnknown$",
		},
		{
			Name: "shadowed-program", Step: "noticing that PATH puts another program first",
			File: "classify/call.go", Old: "return name, !ev.shadowed(name, vars)", New: "return name, true",
			Pkg: pkg, Run: "^TestUnknownStaysUnknown$",
		},
		{
			Name: "hidden-programs", Step: "noticing that names may stand for other programs",
			File: "classify/call.go", Old: "if ev.hidden() != \"\" {", New: "if ev.hidden() == \"\\x00\" {",
			Pkg: pkg, Run: "^TestHiddenNamesWidenWhatFollows$",
		},
		{
			Name: "not-followed", Step: "widening every command that was not followed",
			File: "classify/evaluator.go", Old: "if len(n.Args) > 0 && !ev.visited[n] {", New: "if len(n.Args) == 0 && !ev.visited[n] {",
			Pkg: pkg, Run: "^TestWhatIsNotFollowedIsWidened$",
		},
		{
			Name: "sudo", Step: "looking through sudo at the command",
			File: "classify/table_sudo.go", Old: "\tdefault:\n\t\tpeelEnv(inv, ops)\n", New: "\tdefault:\n\t\tinv.Inert(\"\")\n",
			Pkg: pkg, Run: "^TestTables$",
		},
		{
			Name: "env", Step: "looking through env at the command",
			File: "classify/table_sudo.go", Old: "\tdefault:\n\t\tinv.Run(ops)\n", New: "\tdefault:\n\t\tinv.Inert(\"\")\n",
			Pkg: pkg, Run: "^TestTables$",
		},
		{
			Name: "nice-nohup-timeout", Step: "looking through nice, nohup, timeout and the like",
			File: "classify/table_wrap.go", Old: "\tinv.Run(argv)\n", New: "\tinv.Inert(\"\")\n",
			Pkg: pkg, Run: "^TestTables$",
		},
		{
			Name: "xargs", Step: "looking at what xargs runs",
			File: "classify/table_xargs.go", Old: "\tif !replace {\n\t\tinv.RunWith(append(append([]Word{}, cmd...), words...), inv.Lit(\"\"))\n", New: "\tif !replace {\n",
			Pkg: pkg, Run: "^TestTables$",
		},
		{
			Name: "shell-c", Step: "reading the code behind bash -c",
			File: "classify/shells.go", Old: "\t\tinv.runScript(rest[0], rest[1:])\n", New: "",
			Pkg: pkg, Run: "^(TestTables|TestUnknownStaysUnknown)$",
		},
		{
			Name: "overlay", Step: "following what earlier parts of a line moved",
			File: "classify/overlay.go", Old: "w.put(dst, n, may || i > 0)", New: "_, _ = n, may || i > 0",
			Pkg: pkg, Run: "^TestNamed",
		},
		{
			Name: "command-cap", Step: "the limit of a command's length",
			File: "classify/guard.go", Old: "if len(src) > maxCommand {", New: "if len(src) > maxCommand*1000 {",
			Pkg: pkg, Run: "^(TestBombs|TestInputThatIsNotUnderstood)$",
		},
		{
			Name: "command-nesting", Step: "the limit of a command's nesting",
			File: "classify/guard.go", Old: "if at := tooDeep(src); at >= 0 {", New: "if at := tooDeep(src); at > len(src) {",
			Pkg: pkg, Run: "^(TestBombs|TestInputThatIsNotUnderstood)$",
		},
		{
			Name: "carriage-return", Step: "refusing characters that shells read in different ways",
			File: "classify/guard.go", Old: "if at := strings.IndexByte(src, '\\r'); at >= 0 {", New: "if at := strings.IndexByte(src, '\\r'); at > len(src) {",
			Pkg: pkg, Run: "^(TestBombs|TestInputThatIsNotUnderstood)$",
		},
	}
}

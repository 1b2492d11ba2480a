package main

// gateMutants take out what the gate protects and how it answers.
func gateMutants() []Mutant {
	const protect, gate, claude = "internal/gate/protect.go", "internal/gate/gate.go", "internal/harness/claude"
	return []Mutant{
		{
			Name: "armed-line-sync", Step: "syncing the armed line before the call is let go",
			File: "internal/gate/arm.go", Old: "g.append(ctx, st, rec, ledger.AppendOptions{Sync: true}); err != nil {\n\t\tg.unrecord", New: "g.append(ctx, st, rec, ledger.AppendOptions{}); err != nil {\n\t\tg.unrecord",
			Pkg: "cmd/counterstep", Run: "^TestOrderOnTheDisk$",
		},
		{
			Name: "settings-open", Step: "protecting the settings that hold the hook",
			File: protect, Old: "\t\tif path == f.path {", New: "\t\tif path == f.path && p.store == nil {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^hook_refuses$",
		},
		{
			Name: "protected-below", Step: "protecting what lies below a folder that goes",
			File: protect, Old: "\tif i < 0 {\n\t\treturn \"\", \"\", false", New: "\tif i < len(p.files) {\n\t\treturn \"\", \"\", false",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^hook_refuses$",
		},
		{
			Name: "store-open", Step: "protecting the store from being read or written",
			File: protect, Old: "if within(path, s) || within(p.real(path), s) {", New: "if path == \"\" && within(p.real(path), s) {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^hook_guards$",
		},
		{
			Name: "store-linked", Step: "protecting the store when a link leads to it",
			File: protect, Old: "if within(path, s) || within(p.real(path), s) {", New: "if within(path, s) {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^hook_guards$",
		},
		{
			Name: "within-prefix", Step: "ending a folder's name at a slash when paths are compared",
			File: protect, Old: "strings.HasPrefix(path, strings.TrimSuffix(dir, \"/\")+\"/\")", New: "strings.HasPrefix(path, strings.TrimSuffix(dir, \"/\"))",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^hook_guards$",
		},
		{
			Name: "binary-open", Step: "protecting counterstep's own binary",
			File: protect, Old: "add(\"counterstep's own binary\", g.Binary)", New: "add(\"counterstep's own binary\")",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^hook_guards$",
		},
		{
			Name: "policy-open", Step: "protecting the policy",
			File: protect, Old: "append([]string{g.UserPolicy, filepath.Join(ws.Root, policy.Name)}, g.Policy...)...)", New: "[]string{policy.Name}[1:]...)",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^hook_guards$",
		},
		{
			Name: "hard-link-to-settings", Step: "knowing a protected file by its other names",
			File: protect, Old: "info.Type != 'f' || info.Links < 2 {", New: "info.Type != 'f' || info.Links >= 2 {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^hook_guards$",
		},
		{
			Name: "read-of-the-store", Step: "refusing to let a tool read the store",
			File: gate, Old: "if reason, ok := c.ReadProtected(p); ok {", New: "if reason, ok := c.ReadProtected(p); ok && p == \"\" {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^hook_guards$",
		},
		{
			Name: "config-change", Step: "refusing a change of settings that takes the hook out",
			File: gate, Old: "if err := g.Intact(r.SettingsFile); err != nil {", New: "if err := g.Intact(r.SettingsFile); err != nil && r.Event == \"\" {",
			Pkg: "cmd/counterstep", Run: "^TestScripts$/^hook_guards$",
		},
		{
			Name: "relative-cwd", Step: "refusing a call without an absolute directory",
			File: gate, Old: "if r.Cwd == \"\" || !filepath.IsAbs(r.Cwd) {", New: "if r.Cwd == \"\\x00\" || !filepath.IsAbs(\"/\"+r.Cwd) {",
			Pkg: "internal/gate", Run: "^TestACallNeedsADirectory$",
		},
		{
			Name: "fault-passes", Step: "exit 2 when something of ours fails",
			File: claude + "/encode.go", Old: "hint: \" + takeOut), Code: block}", New: "hint: \" + takeOut), Code: 1}",
			Pkg: claude, Run: "^(TestFaultNamesTheWayOut|TestConformance)$",
		},
		{
			Name: "deny-unsaid", Step: "exit 2 with a refusal",
			File: claude + "/encode.go", Old: "Stdout: deny(r, text), Stderr: line(text), Code: block}", New: "Stdout: deny(r, text), Stderr: line(text), Code: 1}",
			Pkg: claude, Run: "^(TestDenyIsOneLineOfJSONAlone|TestConformance)$",
		},
		{
			Name: "panic-passes", Step: "blocking when we panic",
			File: "internal/harness/harness.go", Old: "Fault: true, Reason: fmt.Sprintf(\"counterstep met a bug of its own: %v\", p)", New: "Reason: fmt.Sprintf(\"counterstep met a bug of its own: %v\", p)",
			Pkg: claude, Run: "^TestConformance$",
		},
		{
			Name: "no-deadline", Step: "answering in time whatever hangs",
			File: "internal/cli/hook.go", Old: "case <-time.After(deadline + time.Second):", New: "case <-time.After(deadline + time.Hour):",
			Pkg: "internal/cli", Run: "^TestTheHookAnswersInTime$",
		},
	}
}

// payloadMutants take out how a payload is read, and what reaches a terminal.
func payloadMutants() []Mutant {
	const json, pkg = "internal/harness/json.go", "internal/harness"
	return []Mutant{
		{
			Name: "duplicate-keys", Step: "refusing JSON with a field that occurs twice",
			File: json, Old: "if v.has(m.Name, &seen) {", New: "if v.has(m.Name, &seen) && depth < 0 {",
			Pkg: pkg, Run: "^TestParseRefuses$",
		},
		{
			Name: "duplicate-keys-large", Step: "the same in large objects",
			File: json, Old: "if (*seen)[name] {", New: "if (*seen)[name] && name == \"\" {",
			Pkg: pkg, Run: "^TestDuplicateInLargeObject$",
		},
		{
			Name: "nesting-cap", Step: "the limit of nesting",
			File: json, Old: "if depth == MaxDepth {", New: "if depth == MaxDepth*1000 {",
			Pkg: pkg, Run: "^TestParseRefuses$",
		},
		{
			Name: "size-cap", Step: "the limit of a payload that decides something",
			File: "internal/harness/claude/decode.go", Old: "harness.Parse, harness.MaxPayload", New: "harness.Parse, harness.MaxReport",
			Pkg: "internal/harness/claude", Run: "^TestConformance$",
		},
		{
			Name: "not-utf8", Step: "refusing bytes that are not UTF-8",
			File: json, Old: "if !utf8.Valid(data) {", New: "if !utf8.Valid(data) && len(data) == 0 {",
			Pkg: pkg, Run: "^TestParseRefuses$",
		},
		{
			Name: "control-characters", Step: "escaping control characters in what is shown",
			File: "internal/hint/clean.go", Old: "return unicode.IsControl(r) || ", New: "return ",
			Pkg: "internal/hint", Run: "^Test",
		},
	}
}

// setupMutants take out what keeps the hook wired.
func setupMutants() []Mutant {
	const pkg = "internal/setup"
	return []Mutant{
		{
			Name: "wrapper-fails-open", Step: "blocking when the binary crashes, hangs or is missing",
			File: pkg + "/wrapper.go", Old: "case $r in 0|2) exit $r;; esac; ", New: "case $r in *) exit $r;; esac; ",
			Pkg: pkg, Run: "^TestWrapper$",
		},
		{
			Name: "wrapper-waits", Step: "the time limit around the binary",
			File: pkg + "/wrapper.go", Old: "&& t=\"$c -k 2 $3\" && break", New: "&& t= && break",
			Pkg: pkg, Run: "^TestWrapper$/^hangs$",
		},
		{
			Name: "entries-gone", Step: "noticing that our entries are gone from the settings",
			File: pkg + "/intact.go", Old: "err != nil || !bytes.Equal(merged, t.data) {", New: "err != nil && !bytes.Equal(merged, t.data) {",
			Pkg: pkg, Run: "^TestIntact$",
		},
		{
			Name: "hooks-off", Step: "noticing that the settings switch all hooks off",
			File: pkg + "/intact.go", Old: "off.Kind != 0 && (off.Kind != harness.Bool || off.True())", New: "off.Kind != 0 && off.Kind != harness.Bool",
			Pkg: pkg, Run: "^TestIntact$",
		},
	}
}

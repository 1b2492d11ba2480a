package main

// policyMutants take out what keeps a policy, background calls, and calls that
// were armed ahead honest.
func policyMutants() []Mutant {
	const gate, cmd, cli, pol = "internal/gate", "cmd/counterstep", "internal/cli", "internal/policy"
	return []Mutant{
		{
			Name: "background-settled-at-once", Step: "leaving a background call open until it is over",
			File: gate + "/settle.go", Old: "\t\tif r.Background {", New: "\t\tif r.Background && r.Tool == \"\" {",
			Pkg: cmd, Run: "^TestScripts$/^fire_background$",
		},
		{
			Name: "stop-that-lists-it", Step: "leaving a call open that a Stop still lists",
			File: gate + "/background.go", Old: "b.Agent == \"\" && !slices.Contains(r.Running, b.Task)", New: "b.Agent == \"\"",
			Pkg: cmd, Run: "^TestScripts$/^fire_background$",
		},
		{
			Name: "stop-without-a-list", Step: "telling no list of running tasks from an empty one",
			File: "internal/harness/claude/decode.go", Old: "tasks.Kind == harness.Array {", New: "tasks.Kind != harness.Object {",
			Pkg: "internal/harness/claude", Run: "^TestEndsOfBackgroundWork$",
		},
		{
			Name: "notice-of-running", Step: "reading the status of a notification",
			File: "internal/harness/claude/tasks.go", Old: "if over(element(notice, \"status\")) {", New: "if notice != \"\" {",
			Pkg: "internal/harness/claude", Run: "^TestEndsOfBackgroundWork$",
		},
		{
			Name: "unguarded-unsaid", Step: "naming a call that no hook was asked about",
			File: gate + "/settle.go", Old: "\treturn g.unguarded(ctx, r, stores)\n", New: "\treturn nil\n",
			Pkg: cmd, Run: "^TestScripts$/^ledger_unguarded$",
		},
		{
			Name: "others-taken-back", Step: "leaving alone what the exact effects of another call name",
			File: "internal/fire/bound.go", Old: " || slices.ContainsFunc(j.call.Bound.Others, named) {", New: " {",
			Pkg: cmd, Run: "^TestScripts$/^fire_shared$",
		},
		{
			Name: "tool-reads-the-store", Step: "refusing tools that are not known the store",
			File: "classify/tool.go", Old: "\t\tev.checkRead(part, ctx.Cwd, w)\n", New: "",
			Pkg: "classify", Run: "^TestTool$",
		},
		{
			Name: "over-budget", Step: "refusing what is too large before it is copied",
			File: gate + "/arm.go", Old: "Progress: g.Progress, Limit: limit})", New: "Progress: g.Progress})",
			Pkg: gate, Run: "^TestArmedAhead$",
		},
		{
			Name: "ahead-by-times", Step: "looking at the time of change of what was armed ahead",
			File: gate + "/ahead.go", Old: "uint64(s.MTime), uint64(s.CTime)}", New: "uint64(s.MTime)}",
			Pkg: gate, Run: "^TestArmedAhead$",
		},
		{
			Name: "ahead-by-content", Step: "comparing contents where times differ",
			File: gate + "/ahead.go", Old: "if fingerprint.Sum(held) != fingerprint.Sum(now) {", New: "if len(held) == 0 {",
			Pkg: gate, Run: "^TestArmedAhead$",
		},
		{
			Name: "over-quota", Step: "holding nothing more in a full store",
			File: gate + "/quota.go", Old: "if used+more >= g.quota() {", New: "if used+more < 0 {",
			Pkg: gate, Run: "^TestQuota$",
		},
		{
			Name: "squeeze-any", Step: "keeping the newest prompts longest when the quota presses",
			File: gate + "/quota.go", Old: "\t\tcase kept[x] == kept[y]:\n", New: "\t\tcase x != y:\n",
			Pkg: gate, Run: "^TestQuota$",
		},
		{
			Name: "repository-weakens", Step: "letting a repository's policy only tighten",
			File: pol + "/policy.go", Old: "repo.tighten(&p)", New: "repo.apply(&p)",
			Pkg: pol, Run: "^TestARepositoryOnlyTightens$",
		},
		{
			Name: "policy-slip", Step: "blocking when the policy is not understood",
			File: gate + "/gate.go", Old: "\tv, err := g.Judge(r, ws)\n\tif err != nil {", New: "\tv, err := g.Judge(r, ws)\n\tif err != nil && ws.Root == \"\" {",
			Pkg: gate, Run: "^TestInertCallsReadNoPolicy$",
		},
		{
			Name: "rule-in-changed-path", Step: "trusting no rule where the line changes PATH",
			File: "classify/rule.go", Old: "st.get(\"PATH\"); changed {", New: "st.get(\"PATH\"); changed && trusted == !trusted {",
			Pkg: "classify", Run: "^TestRules$",
		},
		{
			Name: "rule-with-variables", Step: "trusting no rule behind variables",
			File: "classify/rule.go", Old: "|| len(inv.vars) > 0 ", New: "",
			Pkg: "classify", Run: "^TestRules$",
		},
		{
			Name: "host-with-user", Step: "reading the host of an address cautiously",
			File: "classify/rule.go", Old: "return false // programs read such an address in their own ways", New: "ctx.Home += \"\"",
			Pkg: "classify", Run: "^TestRules$",
		},
		{
			Name: "allow-for-ever", Step: "letting what a person allowed expire",
			File: gate + "/allow.go", Old: "now.Before(a.Until)", New: "!now.IsZero()",
			Pkg: cli, Run: "^TestAllowOnce$",
		},
		{
			Name: "allow-anything", Step: "allowing nothing that reaches for a guarded place",
			File: gate + "/allow.go", Old: "case !askable(v):", New: "case !askable(v) && ws.Root == \"\":",
			Pkg: cli, Run: "^TestAllowOnce$",
		},
		{
			Name: "ask-about-guarded", Step: "asking nobody about guarded places",
			File: gate + "/refuse.go", Old: "p.Ask && r.CanAsk && askable(v) {", New: "p.Ask && r.CanAsk {",
			Pkg: cli, Run: "^TestAsking$",
		},
		{
			Name: "partial-forbidden", Step: "refusing a checkpoint that is not complete where the policy says so",
			File: gate + "/bound.go", Old: "p.NoPartial && c.Partial {", New: "p.NoPartial && c.ID == \"\" {",
			Pkg: gate, Run: "^TestThePolicyOfCheckpoints$",
		},
	}
}

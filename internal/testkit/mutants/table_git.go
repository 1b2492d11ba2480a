package main

// gitMutants take out what keeps remotes and hostile repositories harmless.
func gitMutants() []Mutant {
	const pkg, door, push, fire = "internal/git", "internal/git/door.go", "internal/git/push.go", "internal/git/fire.go"
	return []Mutant{
		{
			Name: "plain-force", Step: "moving refs without a + in the refspec",
			File: push, Old: "args = append(args, string(m.to)+\":\"+m.name)", New: "args = append(args, \"+\"+string(m.to)+\":\"+m.name)",
			Pkg: pkg, Run: "^TestThirdPartyBetweenLookAndPush$",
		},
		{
			Name: "no-lease", Step: "the lease on what the call left",
			File: push, Old: "args = append(args, \"--force-with-lease=\"+m.name+\":\"+string(m.from))", New: "_ = m\n\t\targs = append(args, \"--force\")",
			Pkg: pkg, Run: "^TestThirdPartyBetweenLookAndPush$",
		},
		{
			Name: "hooks-run", Step: "switching hooks off in the git door",
			File: door, Old: "\t\t{\"core.hooksPath\", os.DevNull},\n", New: "",
			Pkg: pkg, Run: "^TestThePersonsProgramsStayOut$",
		},
		{
			Name: "fsmonitor-runs", Step: "switching file system monitors off in the git door",
			File: door, Old: "\t\t{\"core.fsmonitor\", \"false\"},\n", New: "",
			Pkg: pkg, Run: "^TestWhatIsSwitchedOffStaysOff$",
		},
		{
			Name: "person-config", Step: "keeping the person's configuration out where no remote is reached",
			File: door, Old: "env = append(env, \"GIT_CONFIG_NOSYSTEM=1\", \"GIT_CONFIG_GLOBAL=\"+os.DevNull)", New: "env = append(env, \"GIT_CONFIG_NOSYSTEM=1\")",
			Pkg: pkg, Run: "^TestThePersonsProgramsStayOut$",
		},
		{
			Name: "redirects", Step: "not following redirects with the person's credentials",
			File: door, Old: "\t\t{\"http.followRedirects\", \"false\"},\n", New: "",
			Pkg: pkg, Run: "^TestRedirectsAreNotFollowed$",
		},
		{
			Name: "replace-refs", Step: "seeing objects as they are, not as replace refs show them",
			File: door, Old: "\"GIT_NO_REPLACE_OBJECTS=1\", ", New: "",
			Pkg: pkg, Run: "^TestReplacedObjectsAreSeenAsTheyAre$",
		},
		{
			Name: "environment", Step: "keeping the environment from git",
			File: door, Old: "if passed(name) {", New: "if passed(name) || true {",
			Pkg: pkg, Run: "^(TestEnvironmentIsNotFollowed|TestThePersonsProgramsStayOut)$",
		},
		{
			Name: "repository-rewrites", Step: "refusing URLs that the repository's own configuration rewrites",
			File: pkg + "/url.go", Old: "if !w.scope.trusted() {", New: "if !w.scope.trusted() && u == \"\" {",
			Pkg: pkg, Run: "^TestWhereAPushGoes$",
		},
		{
			Name: "ext-urls", Step: "refusing URLs that name a program",
			File: pkg + "/url.go", Old: "case !strings.Contains(\":\"+protocols+\":\", \":\"+kind+\":\"):", New: "case u == protocols:",
			Pkg: pkg, Run: "^(TestWhereAPushGoes|TestHostileRepositoryRunsNothing)$",
		},
		{
			Name: "closure", Step: "checking that everything an old tip reaches is held",
			File: pkg + "/store.go", Old: "if err := d.complete(ctx, store, missing); err != nil {", New: "if err := d.complete(ctx, store, missing); err != nil && store == \"\" {",
			Pkg: pkg, Run: "^TestIncomplete",
		},
		{
			Name: "tip-not-held", Step: "not sending what the private store lacks",
			File: fire, Old: "if !isKept(store, u.Old) {", New: "if !isKept(store, u.Old) && store == \"\" {",
			Pkg: pkg, Run: "^TestDamage$",
		},
		{
			Name: "remote-rehearsal", Step: "comparing the rehearsed remote with what was there",
			File: pkg + "/rehearse.go", Old: "if now := after.find(u.Name); now != u.Old {", New: "if now := after.find(u.Name); now != u.Old && u.Name == \"\" {",
			Pkg: pkg, Run: "^TestRehearsalNotices$",
		},
		{
			Name: "forged-step", Step: "checking a recorded step before anything of it reaches git",
			File: pkg + "/store.go", Old: "if err := r.check(); err != nil {", New: "if err := r.check(); err != nil && dir == \"\" {",
			Pkg: pkg, Run: "^TestForgedStep$",
		},
		{
			Name: "embedded-hooks", Step: "switching hooks off in a remote that lies in the repository",
			File: push, Old: "if r.Embedded {", New: "if r.Embedded && r.URL == \"\" {",
			Pkg: pkg, Run: "^TestEmbeddedRemoteRunsNothing$",
		},
	}
}

package classify

import "strings"

// buildModels are package managers and builders of projects: what they run
// comes from the project, so the workspace is their bound.
func buildModels() []*Model {
	out := models([]verbs{
		{
			names: "npm cnpm", family: "package", title: "Installs packages and runs a project's scripts", undo: "puts the workspace back; a published package stays published",
			class: Bounded, examples: []string{"npm ls", "npm ci", "npm run clean", "npm publish", "npm unpublish x --force"}, values: "--prefix -w --workspace --registry --loglevel --tag -C",
			read: `ls list ll la view info show v outdated audit/signatures config/get config/list config/ls root prefix bin search find why explain fund doctor
				ping whoami docs repo bugs team/ls access/ls access/list owner/ls dist-tag/ls dist-tags/ls profile/get token/list cache/ls help query sbom`,
			refuse: "publish unpublish deprecate undeprecate owner/* dist-tag/* dist-tags/* access/* token/* team/* org/* hook/* star unstar stage/*",
			allow:  "login logout adduser add-user", peel: "exec x", thing: "a package in the registry", instead: "npm pack",
			first: npmFirst,
		},
		{
			names: "yarn yarnpkg", family: "package", title: "Installs packages and runs a project's scripts", undo: "puts the workspace back", class: Bounded,
			values: "--cwd", read: "list info why outdated audit config/list config/get licenses workspaces/list workspaces/info bin cache/dir cache/list help versions npm/info npm/audit npm/whoami",
			refuse: "publish unpublish npm/publish npm/tag tag/add tag/remove owner/* team/*", allow: "login logout npm/login npm/logout", peel: "dlx exec",
			thing: "a package in the registry", instead: "yarn pack",
		},
		{
			names: "pnpm", family: "package", title: "Installs packages and runs a project's scripts", undo: "puts the workspace back", class: Bounded,
			values: "-C --dir --filter -F", read: "ls list ll la why outdated audit config/get config/list root bin licenses store/path store/status help view info show whoami",
			refuse: "publish unpublish deprecate owner/* dist-tag/*", allow: "login logout", peel: "exec dlx", thing: "a package in the registry", instead: "pnpm pack",
		},
		{
			names: "bun bunx", family: "package", title: "Installs packages and runs scripts", undo: "puts the workspace back", class: Bounded,
			values: "--cwd", read: "pm/ls pm/bin pm/cache pm/hash outdated why info help", refuse: "publish", peel: "x", thing: "a package in the registry", instead: "bun pm pack",
			first: func(inv *Invocation, said []string, args []Word) bool {
				if inv.Name() != "bunx" {
					return false
				}
				peelRunner(inv, args)
				return true
			},
		},
		{
			names: "npx pnpx", family: "package", title: "Runs a package's program", undo: "as for the program", class: Bounded,
			examples: []string{"npx prettier --check F", "npx prisma migrate reset --force"}, rest: restOpaque,
			first: func(inv *Invocation, said []string, args []Word) bool {
				peelRunner(inv, args)
				return true
			},
		},
		{
			names: "pip pip3 pip2 pipx pipenv", family: "package", title: "Installs Python packages", undo: "puts the workspace back", class: Bounded,
			read: "list show freeze check search index/* config/list config/get debug inspect help hash cache/dir cache/list cache/info graph requirements",
			peel: "run",
		},
		{
			names: "uv uvx", family: "package", title: "Installs Python packages and runs programs with them", undo: "puts the workspace back", class: Bounded,
			values: "--directory --project --python -p --with --from", read: "pip/list pip/show pip/freeze pip/tree pip/check python/list python/find python/dir tree version cache/dir tool/list tool/dir help",
			refuse: "publish", peel: "run tool/run", thing: "a package in the registry", instead: "uv build",
			first: func(inv *Invocation, said []string, args []Word) bool {
				if inv.Name() != "uvx" {
					return false
				}
				peelRunner(inv, args)
				return true
			},
		},
		{
			names: "poetry pdm hatch rye flit", family: "package", title: "Manages a Python project", undo: "puts the workspace back", class: Bounded,
			read: "show check env/info env/list env/show search about list info config/show help status", refuse: "publish", peel: "run",
			thing: "a package in the registry", instead: "poetry build",
		},
		{
			names: "conda mamba micromamba", family: "package", title: "Manages environments", undo: "puts the workspace back", class: Bounded,
			values: "-n --name -p --prefix", read: "list info search config/--show env/list env/export compare help", peel: "run",
		},
		{
			names: "cargo", family: "package", title: "Builds and tests Rust projects", undo: "puts the workspace back", class: Bounded,
			examples: []string{"cargo tree", "cargo clean", "cargo publish"}, values: "--manifest-path -C --color --config -Z",
			read: "tree metadata search version locate-project read-manifest verify-project pkgid help info", refuse: "publish yank owner unyank", allow: "login logout",
			thing: "a package in the registry", instead: "cargo publish --dry-run", first: dryRun,
		},
		{
			names: "go", family: "package", title: "Builds and tests Go projects", undo: "puts the workspace back", class: Bounded,
			examples: []string{"go vet ./...", "go test ./...", "go run x.go"}, values: "-C", first: goFirst,
			read: "version list doc mod/graph mod/why mod/verify help tool/nm tool/objdump",
		},
		{
			names: "gem", family: "package", title: "Installs Ruby packages", undo: "puts the workspace back", class: Bounded,
			read: "list search info which env environment contents dependency outdated specification help query", refuse: "push yank owner",
			thing: "a package in the registry", instead: "gem build",
		},
		{
			names: "bundle bundler", family: "package", title: "Installs Ruby packages and runs programs with them", undo: "puts the workspace back", class: Bounded,
			read: "list show info outdated check platform env config/list config/get help licenses", peel: "exec",
		},
		{
			names: "composer", family: "package", title: "Installs PHP packages", undo: "puts the workspace back", class: Bounded,
			read: "show info outdated validate licenses why why-not depends prohibits diagnose search status check-platform-reqs help list fund suggests",
		},
		{
			names: "mvn mvnw gradle gradlew sbt ant", family: "package", title: "Builds Java projects", undo: "puts the workspace back", class: Bounded,
			refuse: "deploy release:* publish deploy:* uploadArchives publishAll* publishTo*", read: "dependency:tree help:* dependencies tasks projects properties help",
			thing: "a package in the registry", instead: "mvn package",
		},
		{
			names: "dotnet", family: "package", title: "Builds .NET projects", undo: "puts the workspace back", class: Bounded,
			read: "list help sln/list nuget/list", refuse: "nuget/push nuget/delete", thing: "a package in the registry", instead: "dotnet pack",
		},
	})
	return append(out, opaqueModels()...)
}

// opaqueModels are programs that run what a project holds; they are listed so
// that the documentation names them.
func opaqueModels() []*Model {
	return []*Model{
		{
			// -n is no promise: make still runs $(shell …) while it reads the
			// Makefile, lines that begin with "+" or name $(MAKE), and makes the
			// Makefile itself anew. Help and version come before anything is read.
			Names: []string{"make", "gmake", "bmake", "remake"}, Family: "package", Title: "Runs a project's recipes", Undo: "puts the workspace back",
			Class: Bounded, Examples: []string{"make --version", "make -n", "make clean", "make SHELL='rm F' x"},
			Apply: func(inv *Invocation) {
				if args := inv.Args(); len(args) == 1 && args[0].Is("--version", "--help") && inv.Name() != "bmake" {
					inv.Inert("prints help or its version before it reads a Makefile")
					return
				}
				inv.Opaque("make runs what the project says")
				for _, w := range inv.Args() {
					for _, name := range []string{"SHELL=", ".SHELLFLAGS=", "MAKE=", "CC=", "CXX="} {
						if beginsWith(w, name) && !w.Is("SHELL=/bin/bash", "SHELL=bash", "SHELL=/bin/sh", "SHELL=sh", "CC=gcc", "CC=clang", "CXX=g++", "CXX=clang++") {
							inv.RunScript(w.cut(len(name)))
						}
					}
				}
			},
		},
		opaque("cmake ctest cpack ninja meson bazel bazelisk buck buck2 scons waf just task mage rake tox nox invoke fab doit", "Builds a project"),
		opaque("pytest py.test jest vitest mocha ava tap karma cypress playwright phpunit rspec minitest behave cucumber nose2 ginkgo gotestsum", "Runs a project's tests"),
		opaque("gcc g++ cc c++ clang clang++ rustc javac kotlinc scalac ghc tsc esbuild webpack vite rollup parcel swc babel turbo nx lerna gulp grunt tsup next nuxt astro ng vue-cli-service expo", "Compiles sources"),
		opaque("pre-commit husky lint-staged mypy pyright pylint flake8 bandit semgrep swiftlint nodemon entr watchexec air reflex", "Checks a project, and may write into it"),
	}
}

func opaque(names, title string) *Model {
	return verbs{names: names, family: "package", title: title, undo: "puts the workspace back", class: Bounded, rest: restOpaque, examples: []string{firstName(names)}, first: func(inv *Invocation, _ []string, args []Word) bool {
		if wantsHelp(args) {
			return false
		}
		inv.Opaque(inv.Name() + " runs what the project says")
		return true
	}}.model()
}

func firstName(names string) string {
	for i := range len(names) {
		if names[i] == ' ' {
			return names[:i]
		}
	}
	return names
}

// peelRunner runs the program behind a runner's own options.
func peelRunner(inv *Invocation, args []Word) {
	if script, ok := flagValue(args, "-c", "--call"); ok {
		inv.RunScript(script)
		return
	}
	for len(args) > 0 && beginsWith(args[0], "-") {
		if args[0].Is("-p", "--package", "--from", "--with", "--python", "-w", "--workspace") && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		inv.Inert("prints help")
		return
	}
	if s, ok := args[0].One(); ok {
		name := s
		if at := lastAt(name); at > 0 {
			name = name[:at] // prettier@3
		}
		args = append([]Word{inv.Lit(name)}, args[1:]...)
	}
	inv.Run(args)
}

func lastAt(s string) int {
	for i := len(s) - 1; i > 0; i-- {
		if s[i] == '@' {
			return i
		}
	}
	return -1
}

// dryRun ends the call when it only tries.
func dryRun(inv *Invocation, _ []string, args []Word) bool {
	if hasFlag(args, "--dry-run", "-n") {
		inv.Opaque("only tries, but builds")
		return true
	}
	return false
}

func npmFirst(inv *Invocation, said []string, args []Word) bool {
	switch {
	case len(said) == 1 && said[0] == "audit":
		inv.Inert("only reads")
		return true
	case hasFlag(args, "--dry-run") && len(said) > 0 && said[0] == "publish":
		inv.Opaque("only tries, but runs the project's scripts")
		return true
	}
	return false
}

func goFirst(inv *Invocation, said []string, args []Word) bool {
	if len(said) == 0 {
		return false
	}
	switch said[0] {
	case "vet":
		if !hasFlag(args, "-vettool", "--vettool", "-fix", "--fix") {
			inv.Inert("writes only its own cache")
			return true
		}
	case "env":
		if !hasFlag(args, "-w", "-u", "--w", "--u") {
			inv.Inert("only reads")
			return true
		}
	case "mod":
		if len(said) > 1 && said[1] == "edit" && hasFlag(args, "-json", "-print") {
			inv.Inert("only reads")
			return true
		}
	case "run":
		if len(said) > 1 && strings.HasSuffix(strings.TrimRight(said[1], "/"), "cmd/counterstep") {
			inv.Run(append([]Word{inv.Lit("counterstep")}, afterWord(args, said[1])...))
			inv.Opaque("builds and runs the program")
			return true
		}
	case "tool":
		if len(said) == 1 {
			inv.Inert("only reads")
			return true
		}
		inv.Run(behindOptions(args[1:]))
		inv.Opaque("go tool runs a program of the project")
		return true
	}
	return false
}

package classify

import "strings"

// formatter describes a tool that rewrites source files.
type formatter struct {
	names string
	// sets are the words of which one must be given for it to write; empty:
	// it writes unless one of keeps is given.
	sets, keeps string
	// verbs are first arguments that belong to the command, not to the files.
	verbs string
	// values are options whose next word is their value.
	values string
}

func formatters() []formatter {
	return []formatter{
		{names: "gofmt gofumpt goimports gci golines gofumports", sets: "-w -write --write"},
		{names: "prettier prettierd", sets: "--write -w", values: "--config --ignore-path --plugin --parser --stdin-filepath --log-level --tab-width --print-width"},
		{names: "eslint tslint stylelint oxlint xo standard semistandard ts-standard", sets: "--fix", values: "-c --config --ext --ignore-path --format -f --rule --max-warnings --parser --plugin -o --output-file"},
		{names: "ruff", sets: "--fix --fix-only --unsafe-fixes format", keeps: "--diff --check --no-fix", verbs: "check format", values: "--config --select --ignore --line-length --target-version --extend-select"},
		{names: "black isort yapf3 docformatter autoflake pyupgrade reorder-python-imports add-trailing-comma", keeps: "--check --diff --check-only -c --version --help -d", values: "-l --line-length -t --target-version --config --profile"},
		{names: "autopep8 yapf", sets: "-i --in-place", values: "--style --max-line-length"},
		{names: "clang-format git-clang-format ocamlformat uncrustify astyle google-java-format", sets: "-i --inplace --replace -r --no-backup", values: "-style --style -c"},
		{names: "clang-tidy", sets: "-fix --fix -fix-errors --fix-errors", values: "-p"},
		{names: "rustfmt swiftformat stylua dfmt", keeps: "--check --lint --dryrun --version --help", values: "--edition --config --config-path"},
		{names: "shfmt", sets: "-w --write", values: "-i -ln -p"},
		{names: "biome dprint rome", sets: "--write --apply --apply-unsafe --fix fmt", verbs: "check format lint ci fmt", values: "--config-path"},
		{names: "rubocop standardrb erb-format htmlbeautifier", sets: "-a -A --auto-correct --autocorrect --autocorrect-all --fix --auto-correct-all -x --write", values: "-c --config --only"},
		{names: "php-cs-fixer phpcbf pint", keeps: "--dry-run --test check list describe", verbs: "fix", values: "--config --rules"},
		{names: "ktlint sqlfluff markdownlint markdownlint-cli2 mdformat remark taplo buf addlicense djlint", sets: "-F --format fix --fix -f format fmt -w --write -o --reformat", verbs: "fix fmt format lint check"},
		{names: "tidy", sets: "-m -modify"},
		{names: "sd rpl fastmod codemod replace", keeps: "-p --preview -s --dry-run -x --help --version -V"},
		{names: "yq", sets: "-i --inplace --in-place"},
		{names: "exiftool jpegoptim optipng pngcrush mogrify oxipng svgo", keeps: "-ver --version --help --dry-run"},
	}
}

// formatModels rewrite source files in place.
func formatModels() []*Model {
	var out []*Model
	for _, f := range formatters() {
		names := strings.Fields(f.names)
		example := names[0] + " F"
		if f.sets != "" {
			example = names[0] + " " + strings.Fields(f.sets)[0] + " F"
		}
		out = append(out, &Model{
			Names: names, Family: "format", Title: "Rewrites the files it is given", Undo: "puts the old contents back",
			Class: Invertible, Examples: []string{example}, Apply: func(inv *Invocation) { applyFormatter(inv, f) },
		})
	}
	return out
}

func applyFormatter(inv *Invocation, f formatter) {
	sets, keeps, verbs, values := strings.Fields(f.sets), strings.Fields(f.keeps), strings.Fields(f.verbs), strings.Fields(f.values)
	writes := len(sets) == 0
	var files []Word
	args := inv.Args()
	for i := 0; i < len(args); i++ {
		s, known := args[i].One()
		switch {
		case !known && args[i].Prefix() == "" && !writes:
			inv.Opaque("an argument that is not known could make it rewrite files")
		case isOneOf(s, keeps) && known:
			inv.Inert("only checks")
			return
		case isOneOf(s, sets):
			writes = true
		case isOneOf(s, values):
			i++
		case strings.HasPrefix(s, "-") && s != "-":
			writes = writes || hasSet(s, sets)
		case len(files) == 0 && isOneOf(s, verbs):
		default:
			files = append(files, args[i])
		}
	}
	if !writes {
		inv.Inert("only prints")
		return
	}
	inv.Inert("names no file")
	for _, w := range files {
		rewrite(inv, w)
	}
	if len(files) == 0 {
		inv.Opaque("rewrites what it finds")
	}
}

// hasSet reports whether a joined option such as --fix=all stands for one of
// sets.
func hasSet(s string, sets []string) bool {
	name, _, joined := strings.Cut(s, "=")
	return joined && isOneOf(name, sets)
}

// rewrite changes one file, or whatever it finds below a directory or by a
// pattern of its own.
func rewrite(inv *Invocation, w Word) {
	s, known := w.One()
	switch {
	case known && strings.ContainsAny(s, "*{") && inv.isMissing(w), known && strings.HasSuffix(s, "..."):
		inv.Opaque("rewrites what its pattern matches")
	case onlyDirs(inv, w) && inWorkspace(inv, w):
		inv.Opaque("rewrites what it finds below " + s)
	case onlyDirs(inv, w):
		inv.Overwrite(w, true)
	case known && inv.isMissing(w):
	default:
		inv.Write(w)
	}
}

package classify

import "strings"

// interpreter describes a program that runs code.
type interpreter struct {
	names string
	// inline are options whose value is code; lang says how it is read.
	inline, lang string
	// values are other options with a value in front of the script.
	values string
	// checks are options that only check or print.
	checks string
}

func interpreters() []interpreter {
	return []interpreter{
		{names: "python python3 python2 pypy pypy3 ipython py", inline: "-c", lang: "python", values: "-W -X -Q --check-hash-based-pycs", checks: "-V --version -h --help"},
		{names: "node nodejs", inline: "-e --eval -p --print -pe -ep", lang: "js", values: "-r --require --import --loader --env-file -C --conditions --experimental-loader --input-type", checks: "-v --version -c --check --help -h"},
		{names: "deno", inline: "eval", lang: "js", checks: "--version -V help check lint info types doc"},
		{names: "ruby jruby", inline: "-e", lang: "ruby", values: "-I -r -C -E", checks: "-v --version -c -h --help -wc -cw"},
		{names: "php", inline: "-r", lang: "php", values: "-d -c -z", checks: "-v --version -l -m -i -h --help"},
		{names: "lua luajit tclsh wish guile racket", inline: "-e", lang: "lua", values: "-l", checks: "-v"},
		{names: "Rscript R julia octave elixir erl ocaml scala groovy kotlin ghci runghc swift osascript jshell ts-node tsx bb clojure sbcl nu expect", inline: "-e --eval -c --command", lang: "other", checks: "--version -v --help -V"},
		{names: "java javaw", inline: "", lang: "other", values: "-cp -classpath --class-path -D", checks: "-version --version -h"},
	}
}

// codeModels run code: what it does is not known, so the workspace is its
// bound. Code given in the command is inert when it provably only prints.
func codeModels() []*Model {
	var out []*Model
	for _, p := range interpreters() {
		names := strings.Fields(p.names)
		example := names[0] + " F"
		if in := strings.Fields(p.inline); len(in) > 0 {
			example = names[0] + " " + in[0] + " 'print(1)'"
		}
		out = append(out, &Model{
			Names: names, Family: "code", Title: "Runs code", Undo: "puts the workspace back", Class: Bounded,
			Examples: []string{example, names[0] + " x"}, Apply: func(inv *Invocation) { applyCode(inv, p) },
		})
	}
	return append(out, &Model{
		Names: []string{"perl"}, Family: "code", Title: "Runs code; -i rewrites files", Undo: "puts the old contents back", Class: Bounded,
		Examples: []string{"perl -pi -e 's/a/b/' F", `perl -e 'unlink glob "*"'`},
		Options:  &Grammar{Short: "ni::pe:E:l::0::aF:M:m:I:wWXcvV::dD:sStTuUx::fC::h", Stop: true, Lenient: true},
		Apply:    applyPerl,
	})
}

func applyCode(inv *Invocation, p interpreter) {
	args := inv.Args()
	inline, values, checks := strings.Fields(p.inline), strings.Fields(p.values), strings.Fields(p.checks)
	for i := 0; i < len(args); i++ {
		s, known := args[i].One()
		prefix := args[i].Prefix()
		switch {
		case isOneOf(s, checks) && known:
			inv.Inert("only checks or prints")
			return
		case isOneOf(s, inline) && i+1 < len(args):
			runCode(inv, p.lang, args[i+1])
			return
		case p.lang == "python" && strings.HasPrefix(prefix, "-") && strings.HasSuffix(s, "c") && !strings.HasPrefix(s, "--") && i+1 < len(args):
			runCode(inv, p.lang, args[i+1])
			return
		case p.lang == "python" && (s == "-m" || strings.HasPrefix(s, "-") && strings.HasSuffix(s, "m") && !strings.HasPrefix(s, "--")) && i+1 < len(args):
			pythonModule(inv, args[i+1], args[i+2:])
			return
		case isOneOf(s, values):
			i++
		case s == "-" && known:
			runStdin(inv, p.lang)
			return
		case strings.HasPrefix(prefix, "-"):
		default:
			script(inv, args[i:])
			return
		}
	}
	runStdin(inv, p.lang)
}

// script runs a file of a project.
func script(inv *Invocation, args []Word) {
	s, _ := args[0].One()
	inv.Opaque(inv.Name() + " runs " + args[0].Source())
	if strings.HasSuffix(s, "manage.py") && len(args) > 1 {
		djangoCommand(inv, args[1])
	}
	if strings.HasSuffix(s, "artisan") && len(args) > 1 {
		inv.Run(append([]Word{inv.Lit("artisan")}, args[1:]...))
	}
	if strings.HasSuffix(s, "setup.py") && len(args) > 1 && args[len(args)-1].Is("upload", "register") {
		inv.Refuse("a version in the registry cannot be taken back", "python -m build")
	}
}

func djangoCommand(inv *Invocation, w Word) {
	switch {
	case w.Is("flush", "reset_db", "sqlclear", "remove_stale_contenttypes", "clearsessions"):
		inv.Refuse("what a database holds cannot be captured", "manage.py dumpdata > backup.json first, and let the person run it")
	case w.Is("migrate", "loaddata", "createsuperuser"):
		inv.Barrier("the database of the project")
	}
}

// runStdin runs the code that an interpreter reads. Without input it is a
// session that ends at once.
func runStdin(inv *Invocation, lang string) {
	t := textOf(inv.StdinWord())
	switch {
	case !t.ok || t.loose:
		inv.Opaque("code that " + inv.Name() + " reads is not known")
	case strings.TrimSpace(t.s) == "":
		inv.Inert("reads no code")
	default:
		runCode(inv, lang, inv.Lit(t.s))
	}
}

// runCode judges code that stands in the command.
func runCode(inv *Invocation, lang string, w Word) {
	code, ok := w.One()
	if !ok {
		inv.Opaque("code that is not known")
		return
	}
	if onlyPrints(lang, code) {
		inv.Inert("the code only reads and prints")
		return
	}
	inv.Opaque("what the code does is not known")
	for _, c := range codeCalls(code) {
		switch {
		case c.shell:
			inv.RunScript(inv.Lit(c.arg))
		case strings.HasPrefix(c.arg, "~/"):
			inv.Delete(inv.Home(c.arg[2:]), true)
		default:
			inv.Delete(inv.Lit(c.arg), true)
		}
	}
}

// pythonModule judges python -m.
func pythonModule(inv *Invocation, name Word, args []Word) {
	s, _ := name.One()
	switch s {
	case "json.tool", "timeit", "calendar", "platform", "site", "sysconfig", "tokenize", "ast", "dis", "inspect", "this", "pydoc", "base64", "locale":
		inv.Inert("only prints")
		if s == "json.tool" {
			if ws := plainWords(args); len(ws) > 1 {
				inv.Write(ws[1])
			}
		}
	case "http.server", "SimpleHTTPServer":
		inv.Inert("serves files")
	case "pip", "pytest", "twine", "black", "ruff", "isort", "mypy", "flake8", "poetry", "uv", "autopep8", "yapf", "pdm", "hatch", "flit":
		inv.Run(append([]Word{name}, args...))
	default:
		inv.Opaque("python -m " + s + " runs a program")
	}
}

func applyPerl(inv *Invocation) {
	if inv.Has("v", "V", "c", "h") {
		inv.Inert("only checks or prints")
		return
	}
	ws := inv.Operands()
	codes := inv.Values("e", "E")
	if suffix, _ := inv.Value("i"); inv.Has("i") {
		files := ws
		if len(codes) == 0 && len(ws) > 0 {
			files = ws[1:]
		}
		replaceAll(inv, files)
		if s, _ := suffix.One(); s != "" && !strings.Contains(s, "*") {
			for _, w := range files {
				w.val = w.val.concat(known(s))
				inv.Replace(w)
			}
		}
	}
	for _, w := range inv.Values("M", "m") {
		if !w.Is("strict", "warnings", "utf8", "List::Util", "Data::Dumper", "JSON::PP", "POSIX", "Time::HiRes", "feature=say", "5.010", "English", "Digest::MD5", "MIME::Base64", "Encode") {
			inv.Opaque("a Perl module")
		}
	}
	switch {
	case len(codes) > 0:
		for _, c := range codes {
			runCode(inv, "perl", c)
		}
	case len(ws) > 0:
		script(inv, ws)
	default:
		runStdin(inv, "perl")
	}
}

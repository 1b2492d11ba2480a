package classify_test

import (
	"math/rand/v2"
	"strings"
)

// maker writes random shell programs: few commands, but in every construct.
// The same seed gives the same program.
type maker struct {
	r    *rand.Rand
	left int // how many more constructs may be nested
}

func program(seed uint64) string {
	g := &maker{r: rand.New(rand.NewPCG(seed, 17)), left: 8}
	var lines []string
	for range 1 + g.r.IntN(4) {
		lines = append(lines, g.statement())
	}
	return strings.Join(lines, g.pick("\n", "; ", "\n", " && ", " || "))
}

func (g *maker) pick(list ...string) string { return list[g.r.IntN(len(list))] }

// chance is true once in n.
func (g *maker) chance(n int) bool { return g.r.IntN(n) == 0 }

func (g *maker) path() string {
	return g.pick("src/a.txt", "src/a.txt", "src", "b.txt", "a.txt", "build", "build/out.o", "dst", "dst/a.txt", "empty", "link", "link/a.txt", "lnfile",
		"hard1", "list", "new", "new2", "t", "t/x", "cache/one", "docs", "~/other/f1.txt", "/tmp/t.txt", "../other", ".env", "nothing", "src/lib", "src/*", "src/*.txt",
		"*.txt", "*/a.txt", "src/?.?", "{a,b}.txt", "src/{a.txt,b.c}", "./src/../b.txt", "dst/*", "t/*", "[ab].txt", "src/[!b]*", "with*", "d*/a.txt")
}

// word is an argument, spelled somehow.
func (g *maker) word() string {
	p := g.path()
	quote := !strings.ContainsAny(p, "*?[{~")
	switch g.r.IntN(14) {
	case 0:
		if quote {
			return "'" + p + "'"
		}
	case 1:
		if quote {
			return `"` + p + `"`
		}
	case 2:
		return "$" + g.variable()
	case 3:
		return `"$` + g.variable() + `"`
	case 4:
		return "${" + g.variable() + g.pick(":-", "-", "%.*}x${", "#*/}${") + "}" + p
	case 5:
		return "$(echo " + p + ")"
	case 6:
		return `"$(` + g.pick("echo ", "printf %s ", "ls -d ") + p + `)"`
	case 7:
		if quote {
			return "$PWD/" + p
		}
	case 8:
		return p[:1] + g.pick("''", `""`, "\\\n") + p[1:]
	case 9:
		return "`echo " + p + "`"
	}
	return p
}

func (g *maker) variable() string { return g.pick("x", "y", "z", "f", "1", "@") }

// command is one simple command.
func (g *maker) command() string {
	name := func(n string) string {
		switch g.r.IntN(12) {
		case 0:
			return n[:1] + "''" + n[1:]
		case 1:
			return `\` + n
		case 2:
			return g.pick("command ", "env ", "sudo ", "nice ", "A=1 ", "timeout 5 ", "nohup ", "builtin command ", "exec ") + n
		case 3:
			return "/bin/" + n
		}
		return n
	}
	switch g.r.IntN(24) {
	case 0, 1, 2:
		return name("rm") + g.pick(" ", " -f ", " -rf ", " -r ", " -- ") + g.word()
	case 3:
		return name("rm") + " -rf " + g.word() + " " + g.word()
	case 4, 5:
		return name("mv") + g.pick(" ", " -f ", " -n ", " -T ", " -t ") + g.word() + " " + g.word()
	case 6, 7:
		return name("cp") + g.pick(" ", " -r ", " -a ", " -n ", " -rT ") + g.word() + " " + g.word()
	case 8:
		return "echo hi " + g.pick(">", ">>", ">|", "&>", "2>", "1>") + g.pick("", " ") + g.word()
	case 9:
		return g.pick("> ", ": > ") + g.word()
	case 10:
		return "echo x | tee " + g.pick("", "-a ") + g.word()
	case 11:
		return name("truncate") + " -s 0 " + g.word()
	case 12:
		return name("ln") + g.pick(" -s ", " -sf ", " ", " -f ", " -sfn ") + g.word() + " " + g.word()
	case 13:
		return name("sed") + " -i s/a/b/ " + g.word()
	case 14:
		return name("chmod") + g.pick(" 600 ", " -R u+x ", " +x ") + g.word()
	case 15:
		return name("touch") + " " + g.word()
	case 16:
		return name("mkdir") + g.pick(" ", " -p ") + g.pick("t", "new", "new2/x", "src", g.word())
	case 17:
		return name("rmdir") + " " + g.word()
	case 18:
		return "cd " + g.pick("src", "..", "build", "nothing", "-", "~/app", "t", "link", g.word())
	case 19:
		return g.pick("x", "y", "z") + "=" + g.word()
	case 20:
		return "set -- " + g.word() + " " + g.word()
	case 21:
		return "find " + g.pick("src", "build", "dst", ".", g.word()) + g.pick("", " -type f", " -name '*.txt'", " -name a.txt", " -type d -empty", " -maxdepth 1") +
			g.pick(" -delete", " -exec rm -f {} +", " -exec rm {} \\;", "", " -print | xargs rm -f", " -exec sh -c 'rm -rf \"$1\"' _ {} \\;", " -exec mv {} t \\;")
	case 22:
		return g.pick("ls ", "cat list | ", "printf '%s\\n' "+g.word()+" | ", "echo "+g.word()+" | ") + g.pick("xargs rm -rf", "xargs -I{} rm -f {}", "while read f; do rm -f \"$f\"; done", "cat", "xargs -n1 echo")
	}
	return g.pick("ls", "true", "false", "echo $x", "pwd", "cat b.txt", "[ -f b.txt ]", "test -d new", "read x < list", "x=$(cat list)", "shift", "set -e", "shopt -s dotglob", "unset x", "break", "return", "exit", "trap - EXIT")
}

// statement is a command or a construct around statements.
func (g *maker) statement() string {
	if g.left <= 0 || g.chance(2) {
		return g.command()
	}
	g.left--
	s := g.statement
	switch g.r.IntN(30) {
	case 0:
		return s() + " && " + s()
	case 1:
		return s() + " || " + s()
	case 2:
		return "(" + s() + ")"
	case 3:
		return "{ " + s() + "; }"
	case 4:
		return "if " + s() + "; then " + s() + "; else " + s() + "; fi"
	case 5:
		return "for f in " + g.word() + " " + g.word() + "; do " + s() + "; done"
	case 6:
		return `for f in ` + g.word() + `; do rm -rf "$f"; done`
	case 7:
		return "while " + s() + "; do " + s() + "; break; done"
	case 8:
		return "case " + g.word() + " in " + g.pick("a*", "*", "src/*") + ") " + s() + ";; *) " + s() + ";; esac"
	case 9:
		return "f() { " + s() + "; }; f " + g.word()
	case 10:
		return "f() { rm -rf \"$1\"; }; " + s() + "; f " + g.word()
	case 11:
		return "x=$(" + s() + ")"
	case 12:
		return "echo \"$(" + s() + ")\""
	case 13:
		return "eval " + quoted(s())
	case 14:
		return g.pick("sh", "bash") + " -c " + quoted(s())
	case 15:
		return "echo " + quoted(s()) + " | " + g.pick("sh", "bash", "cat")
	case 16:
		return g.pick("sh", "bash", "cat") + " <<'EOF'\n" + s() + "\nEOF\n"
	case 17:
		return "cat <<EOF > " + g.pick("new", "t", g.word()) + "\n" + g.pick("text", "$(ls)", "$x") + "\nEOF\n"
	case 18:
		return "trap " + quoted(s()) + " EXIT"
	case 19:
		return s() + " | " + s()
	case 20:
		return "! " + s()
	case 21:
		return "( cd " + g.pick("src", "build", "t", "nothing") + g.pick(" && ", "; ") + s() + " )"
	case 22:
		return s() + " & wait"
	case 23:
		return "echo " + quoted(s()) + " > new.sh; " + g.pick("sh new.sh", ". ./new.sh", "cat new.sh", "bash < new.sh")
	case 24:
		return "{ " + s() + "; } > " + g.word()
	case 25:
		return "a=(" + g.word() + " " + g.word() + `); rm -rf "${a[` + g.pick("@", "0", "1") + `]}"`
	case 26:
		return "while read -r f; do " + s() + "; done < list"
	case 27:
		return "cat <(" + s() + ")"
	case 28:
		return "alias q=" + quoted(s()) + "\nq"
	}
	return "until " + s() + "; do " + s() + "; break; done"
}

// quoted is s in single quotes.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

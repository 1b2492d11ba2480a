package classify_test

import (
	"errors"
	"flag"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/testkit/shelloracle"
)

// shared is where corpora are that are not part of this repository.
var shared = flag.String("shared", "", "directory with corpora/peer-weaknesses.tsv; without it those tests are skipped")

func TestMain(m *testing.M) {
	shelloracle.Main()
	m.Run()
}

const (
	home = "/home/dev"
	app  = home + "/app"
)

// file and link shorten the table below.
func file(data string) shelloracle.Entry   { return shelloracle.Entry{Type: 'f', Data: data} }
func link(target string) shelloracle.Entry { return shelloracle.Entry{Type: 'l', Target: target} }

// lived is the tree that commands run in: a home with a project in it.
func lived() shelloracle.Fixture {
	f := shelloracle.Fixture{Roots: []string{"/home", "/tmp"}, Entries: map[string]shelloracle.Entry{
		home + "/.profile":             file("umask 022\n"),
		home + "/.gitconfig":           file("[user]\n\tname = Dev\n\temail = dev@example.com\n"),
		home + "/notes.txt":            file("call back\n"),
		home + "/Documents/letter":     file("dear\n"),
		home + "/other/f1.txt":         file("one\n"),
		home + "/other/f2.txt":         file("two\n"),
		"/tmp/scratch/s.txt":           file("s\n"),
		"/tmp/t.txt":                   file("t\n"),
		app + "/a.txt":                 file("a top\n"),
		app + "/b.txt":                 file("b top\nsecond\n"),
		app + "/c.txt":                 file("c top\n"),
		app + "/with space.txt":        file("space\n"),
		app + "/dash/-dash.txt":        file("dash\n"),
		app + "/star*.txt":             file("star\n"),
		app + "/.env":                  file("KEY=1\n"),
		app + "/list":                  file("src/a.txt\nsrc/b.c\n"),
		app + "/list0":                 file("src/a.txt\x00src/b.c\x00"),
		app + "/clean.sh":              {Type: 'f', Mode: 0o755, Data: "rm -f src/a.txt\n"},
		app + "/safe.sh":               {Type: 'f', Mode: 0o755, Data: "# only variables\nA=1\nexport B=2\n"},
		app + "/Makefile":              file("clean:\n\trm -f src/a.txt\n"),
		app + "/rm.awk":                file("BEGIN { system(\"rm src/a.txt\") }\n"),
		app + "/src/a.txt":             file("alpha\nbeta\n"),
		app + "/src/b.c":               file("int b;\n"),
		app + "/src/c.o":               file("obj\n"),
		app + "/src/.dot":              file("dot\n"),
		app + "/src/lib/d.txt":         file("delta\n"),
		app + "/src/lib/e.o":           file("obj e\n"),
		app + "/src/lib/deep/g.txt":    file("gamma\n"),
		app + "/build/out.o":           file("out\n"),
		app + "/build/app":             {Type: 'f', Mode: 0o755, Data: "#!/bin/sh\necho app\n"},
		app + "/build/tmp/x.tmp":       file("x\n"),
		app + "/dst/a.txt":             file("old a\n"),
		app + "/dst/keep.txt":          file("keep\n"),
		app + "/empty":                 {Type: 'd'},
		app + "/docs/x.md":             file("# x\n"),
		app + "/docs/y.md":             file("# y\n"),
		app + "/node_modules/p/i.js":   file("1\n"),
		app + "/link":                  link("src"),
		app + "/lnfile":                link("b.txt"),
		app + "/dangling":              link("nowhere"),
		app + "/hard1":                 file("hard\n"),
		app + "/hard2":                 {Type: 'h', Target: app + "/hard1"},
		app + "/src/back":              link("../docs"),
		app + "/venv/bin/activate":     file("VIRTUAL_ENV=/home/dev/app/venv\nexport VIRTUAL_ENV\nPATH=\"$VIRTUAL_ENV/bin:$PATH\"\nexport PATH\nhash -r 2>/dev/null\n"),
		app + "/cache/one/two/z.tmp":   file("z\n"),
		app + "/cache/one/keep":        file("k\n"),
		app + "/out.log":               file("log 1\nlog 2\n"),
		app + "/data.csv":              file("k,v\n1,2\n"),
		app + "/1":                     file("a file named one\n"),
		app + "/docs/new\nline.md":     file("n\n"),
		app + "/docs/quote'd \"x\".md": file("q\n"),
	}}
	return f
}

// env is the environment of commands; home and path are in it.
func env() map[string]string {
	return map[string]string{
		"HOME": home, "USER": "dev", "LOGNAME": "dev", "PWD": app, "LANG": "C.UTF-8", "TERM": "dumb",
		"PATH": "/usr/local/bin:/usr/bin:/bin:/oracle/bin",
	}
}

// setup is the world of the oracle: the same tree and environment.
func setup(shells []shelloracle.Shell) shelloracle.Setup {
	s := shelloracle.Setup{Fixture: lived(), Shells: shells, Dir: app, Limit: 3 * time.Second}
	for k, v := range env() {
		s.Env = append(s.Env, k+"="+v)
	}
	slices.Sort(s.Env)
	return s
}

// memory is a disk for the evaluator that holds a fixture and the directories
// every system has.
type memory struct {
	entries map[string]shelloracle.Entry
	infos   map[string]classify.Info
	names   map[string][]string
}

var errNotThere = errors.New("not there")

func disk(f shelloracle.Fixture) memory {
	all := map[string]shelloracle.Entry{
		"/": {Type: 'd'}, "/dev/null": {Type: 'c'}, "/dev/tty": {Type: 'c'}, "/dev/sda": {Type: 'b'}, "/dev/sda1": {Type: 'b'},
		"/bin": link("usr/bin"), "/etc/passwd": file("root\n"),
	}
	for p, e := range f.Entries {
		all[p] = e
	}
	for _, p := range []string{"rm", "sh", "bash", "mv", "cp", "tee", "git", "truncate", "find"} {
		all["/usr/bin/"+p] = shelloracle.Entry{Type: 'f', Mode: 0o755, Data: "\x7fELF"}
	}
	for _, p := range []string{"/tmp", "/proc", "/usr/lib", "/usr/local/bin", "/var/tmp", "/root"} {
		all[p] = shelloracle.Entry{Type: 'd'}
	}
	for p := range all {
		for d := path.Dir(p); d != "/"; d = path.Dir(d) {
			if _, ok := all[d]; !ok {
				all[d] = shelloracle.Entry{Type: 'd'}
			}
		}
	}
	return index(all)
}

// index gives every entry its own inode, but one to all names of a file.
func index(all map[string]shelloracle.Entry) memory {
	m := memory{all, map[string]classify.Info{}, map[string][]string{}}
	paths := slices.Sorted(maps.Keys(all))
	for i, p := range paths {
		e := all[p]
		m.infos[p] = classify.Info{Type: e.Type, Size: int64(len(e.Data)), Dev: 1, Ino: uint64(i + 2), Links: 1}
		if p != "/" {
			m.names[path.Dir(p)] = append(m.names[path.Dir(p)], path.Base(p))
		}
	}
	for _, p := range paths {
		if e := all[p]; e.Type == 'h' {
			info := m.infos[e.Target]
			info.Links++
			m.infos[e.Target], m.infos[p] = info, info
		}
	}
	return m
}

func (m memory) Lstat(p string) (classify.Info, error) {
	if info, ok := m.infos[p]; ok {
		return info, nil
	}
	return classify.Info{Type: '-'}, nil
}

func (m memory) ReadDir(p string) ([]string, error) {
	if m.entries[p].Type != 'd' {
		return nil, errNotThere
	}
	return slices.Clone(m.names[p]), nil
}

func (m memory) Readlink(p string) (string, error) {
	if e := m.entries[p]; e.Type == 'l' {
		return e.Target, nil
	}
	return "", fs.ErrInvalid
}

func (m memory) ReadFile(p string, limit int64) ([]byte, error) {
	e, ok := m.entries[p]
	if e.Type == 'h' {
		e = m.entries[e.Target]
	}
	switch {
	case !ok:
		return nil, errNotThere
	case e.Type != 'f' || int64(len(e.Data)) > limit:
		return nil, fs.ErrInvalid
	}
	return []byte(e.Data), nil
}

// guarded is what must not change: the roots of the system, the home, and a
// store.
const store = home + "/.local/state/counterstep"

func protected(p string) (string, bool) {
	switch {
	case p == "/" || p == "/home" || p == home || path.Dir(p) == "/":
		return "it is " + p, true
	case p == store || strings.HasPrefix(p, store+"/"):
		return "it is the store", true
	}
	return "", false
}

func protectedBelow(dir string) (string, string, bool) {
	for _, p := range []string{home, store} {
		if dir == p || dir == "/" || strings.HasPrefix(p, dir+"/") {
			return p, "it is guarded", true
		}
	}
	return "", "", false
}

// context is the world as the evaluator sees it; shell is its Context.Shell.
func context(m memory, shell string) classify.Context {
	return classify.Context{
		Cwd: app, Home: home, Env: env(), Shell: shell, FS: m, Workspace: app,
		Protected: protected, ProtectedBelow: protectedBelow,
	}
}

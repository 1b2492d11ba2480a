package classify

import (
	"errors"
	"slices"
	"sort"
	"strings"
	"testing"
)

const (
	testHome = "/home/dev"
	testApp  = "/home/dev/app"
)

// fakeDisk is a disk in memory: a path that ends in a slash is a directory, a
// value that begins with "->" a link, anything else a file. Directories above
// entries exist by themselves.
type fakeDisk map[string]string

var errNotThere = errors.New("not there")

func (d fakeDisk) Lstat(p string) (Info, error) {
	if strings.Contains(p, "unreadable") {
		return Info{}, errNotThere
	}
	if strings.HasPrefix(p, "/mnt/vol") {
		return Info{Type: 'd', Dev: 2}, nil
	}
	switch v, ok := d[p]; {
	case !ok:
	case strings.HasPrefix(v, "->"):
		return Info{Type: 'l', Dev: 1, Links: 1}, nil
	case v == "device":
		return Info{Type: 'b', Dev: 1, Links: 1}, nil
	default:
		return Info{Type: 'f', Dev: 1, Links: 1, Size: int64(len(v))}, nil
	}
	for k := range d {
		if p == "/" || strings.HasPrefix(k, p+"/") {
			return Info{Type: 'd', Dev: 1}, nil
		}
	}
	return Info{Type: '-'}, nil
}

func (d fakeDisk) ReadDir(p string) ([]string, error) {
	var out []string
	for k := range d {
		rest, ok := strings.CutPrefix(k, strings.TrimSuffix(p, "/")+"/")
		if !ok || rest == "" {
			continue
		}
		name, _, _ := strings.Cut(rest, "/")
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out, nil
}

func (d fakeDisk) Readlink(p string) (string, error) {
	return strings.TrimPrefix(d[p], "->"), nil
}

func (d fakeDisk) ReadFile(p string, most int64) ([]byte, error) {
	v, ok := d[p]
	if !ok || int64(len(v)) > most {
		return nil, errNotThere
	}
	return []byte(v), nil
}

func testDisk() fakeDisk {
	d := fakeDisk{
		"/bin/rm": "elf", "/usr/bin/env": "elf", "/tmp/t": "t", "/etc/passwd": "root", "/mnt/vol/x": "x",
		"/dev/sda": "device", "/dev/null": "device", "/dev/tty": "device",
		testHome + "/.bashrc": "x", testHome + "/other/f": "f", testHome + "/other/g": "g",
		testHome + "/state/ledger": "l", testHome + "/state/secret/key": "k",
	}
	for name, data := range map[string]string{
		"a.txt": "a", "b.txt": "b", "with space.txt": "s", "-dash": "d", "list": "src/a.txt\nsrc/b.c\n",
		"list0": "src/a.txt\x00src/b.c", "src/a.txt": "a", "src/b.c": "b", "src/.dot": "d", "src/sub/deep.txt": "x",
		"dst/z": "z", "dst/a.txt": "old", "d/1": "1", "d/2": "2", "build/x.o": "o", ".env": "e", ".git/HEAD": "ref",
		"real_link": "->../other", "file_link": "->a.txt", "dangling": "->nowhere", "loop": "->loop",
		"log.1": "1", "log.2": "2", "log.x": "x", "bin/ls": "elf", "evil.sh": "rm -rf src\n",
		"vars.sh": "A=1\nexport OUT=build\nclean() { rm -rf \"$OUT\"; }\n", "~": "tilde", "${VAR}": "var", "{x,y}": "braces",
		"venv/bin/activate": "VIRTUAL_ENV=/home/dev/app/venv\nexport VIRTUAL_ENV\nPATH=\"$VIRTUAL_ENV/bin:$PATH\"\nexport PATH\nhash -r 2>/dev/null\n",
		"venv/bin/python":   "elf",
	} {
		d[testApp+"/"+name] = data
	}
	return d
}

func testContext(shell string) Context {
	return Context{
		Cwd: testApp, Home: testHome, Workspace: testApp, FS: testDisk(), Shell: shell,
		Env: map[string]string{"USER": "dev", "PATH": "/usr/bin:/bin", "LANG": "C"},
		Protected: func(p string) (string, bool) {
			return "the store is protected", p == testHome+"/state" || strings.HasPrefix(p, testHome+"/state/")
		},
		ProtectedBelow: func(dir string) (string, string, bool) {
			return testHome + "/state", "the store is protected", strings.HasPrefix(testHome+"/state", strings.TrimSuffix(dir, "/")+"/")
		},
		ReadProtected: func(p string) (string, bool) {
			return "the store is not for reading", strings.HasPrefix(p, testHome+"/state/secret")
		},
	}
}

// brief writes the effects of a verdict in one line: D deletes, O overwrites, C
// creates, M moves, T metadata, R refs; a slash at the end is a whole tree, a
// question mark an effect that only other shell options would cause. What lies
// in the project is relative to it.
func brief(v Verdict) string {
	var out []string
	for _, e := range v.Effects {
		s := string("XDOCMTR"[e.Kind]) + " " + short(e.Path)
		if e.Tree {
			s += "/"
		}
		if e.Kind == Move {
			s += ">" + short(e.To)
		}
		if e.May {
			s += "?"
		}
		out = append(out, s)
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

func short(p string) string { return strings.TrimPrefix(p, testApp+"/") }

// spec is one command with what it must come to. The first letter of want is
// the class: n inert, i invertible, b bounded, x irreversible; behind it stand
// the effects as brief writes them. "*" stands for any.
type spec struct{ src, want string }

func runSpecs(t *testing.T, shell string, specs []spec) {
	t.Helper()
	for _, s := range specs {
		v := Command(testContext(shell), s.src)
		class, effects, _ := strings.Cut(s.want, " ")
		if got := classLetter(v.Class); got != class {
			t.Errorf("%s: %q\n  class %s, want %s; effects %q; %s", shell, s.src, got, class, brief(v), why(v))
			continue
		}
		if got := brief(v); effects != "*" && got != effects {
			t.Errorf("%s: %q\n  effects %q\n  want    %q", shell, s.src, got, effects)
		}
	}
}

func classLetter(c Class) string { return [...]string{"x", "b", "i", "n"}[c] }

func why(v Verdict) string {
	var out []string
	for _, p := range v.Parts {
		out = append(out, p.Text+" ["+p.Class.String()+": "+p.Reason+"]")
	}
	return strings.Join(out, "; ")
}

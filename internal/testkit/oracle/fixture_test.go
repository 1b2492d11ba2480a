//go:build linux

package oracle

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	home = "/home/dev"
	app  = home + "/app"
	// old is when planted and old files were last changed.
	old = int64(1_700_000_000_000_000_000)
)

// maker writes a fixture below dir.
type maker struct {
	t   *testing.T
	dir string
	n   int
}

func (m *maker) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// write makes one file; no two have the same content, and half of them are old.
func (m *maker) write(path, data string) {
	m.n++
	path = filepath.Join(m.dir, path)
	m.must(os.MkdirAll(filepath.Dir(path), 0o755))
	m.must(os.WriteFile(path, []byte(data), 0o644))
	if m.n%2 == 0 {
		when := time.Unix(0, old)
		m.must(os.Chtimes(path, when, when))
	}
}

// prose makes files with lines that common patterns find.
func (m *maker) prose(base string, paths ...string) {
	words := []string{"error", "TODO", "foo", "import os", "return value", "hello world", "192.0.2.7", "user data"}
	for _, p := range paths {
		m.n++
		var b strings.Builder
		for i := range 9 {
			fmt.Fprintf(&b, "%d %s %s %d\n", i+1, filepath.Base(p), words[(m.n+i*3)%len(words)], m.n)
		}
		m.write(base+"/"+p, b.String())
	}
}

func (m *maker) git(dir string, args ...string) {
	m.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = filepath.Join(m.dir, dir)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(m.dir, "home"), "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC",
		"GIT_AUTHOR_DATE=2024-03-01T10:00:00Z", "GIT_COMMITTER_DATE=2024-03-01T10:00:00Z",
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		m.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func list(s string) []string { return strings.Fields(s) }

// fixture makes a home with a project in the middle of a day's work, a second
// one, a remote, and the shared places of a machine.
func fixture(t *testing.T) tree {
	t.Helper()
	m := &maker{t: t, dir: t.TempDir()}
	m.write("home/.gitconfig", "[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n[core]\n\tcheckStat = minimal\n\ttrustctime = false\n[safe]\n\tdirectory = *\n[protocol \"file\"]\n\tallow = always\n")
	m.committed()
	m.history()
	m.daily()
	m.around()
	got, err := readTree(m.dir)
	m.must(err)
	return got
}

// committed is the first commit.
func (m *maker) committed() {
	m.prose("home/app", list(`README.md LICENSE main.go requirements.txt setup.cfg src/app.py src/models.py src/util.c src/util.h src/index.js
		src/index.html src/styles.css src/lib/core.py src/lib/extra.py src/deep/down/below/leaf.txt tests/test_app.py docs/index.md docs/guide.md
		data/users.csv data/orders.csv data/dump.sql www/page.html old.txt config.yml config.ini build.gradle`)...)
	m.prose("home/app", "docs/with space.md", "docs/naïve café.md", "odd $name [1].txt", "dashes/-dash.txt")
	m.write("home/app/src/__init__.py", "")
	m.write("home/app/package.json", `{"name":"app","scripts":{"test":"true","clean":"rm -rf build"}}`+"\n")
	m.write("home/app/data/data.json", `{"a": 1, "b": [1, 2]}`+"\n")
	m.write("home/app/go.mod", "module example.com/app\n")
	m.write("home/app/Makefile", "build:\n\tmkdir -p build && cp src/util.c build/util.o\nclean:\n\trm -rf build dist\n.PHONY: build clean\n")
	m.write("home/app/script.sh", "#!/bin/sh\necho \"$0\"\n")
	m.write("home/app/scripts/clean.sh", "#!/bin/sh\nrm -f \"$1\"\n")
	for _, s := range []string{"script.sh", "scripts/clean.sh"} {
		m.must(os.Chmod(filepath.Join(m.dir, "home/app", s), 0o755))
	}
	m.write("home/app/assets/logo.png", strings.Repeat("\x00\x01\x02\xff", 800))
	m.write("home/app/.gitignore", "node_modules/\nbuild/\ndist/\n__pycache__/\n*.log\n.env*\n.venv/\ntmp/\n")
	for name, target := range map[string]string{"readme-link": "README.md", "src/current": "lib", "broken-link": "nowhere", "docs/home-docs": home + "/Documents"} {
		m.must(os.Symlink(target, filepath.Join(m.dir, "home/app", name)))
	}
	m.git("home/app", "init", "-q", "-b", "main")
	m.git("home/app", "add", "-A")
	m.git("home/app", "commit", "-qm", "first")
	m.git("home/app", "tag", "v1.0.0")
}

// history is a remote, branches, a stash.
func (m *maker) history() {
	const a = "home/app"
	m.prose(a, "src/app.py")
	m.git(a, "commit", "-qam", "second")
	m.git(a, "clone", "-q", "--bare", ".", filepath.Join(m.dir, "home/remote.git"))
	m.git(a, "remote", "add", "origin", home+"/remote.git")
	m.git(a, "update-ref", "refs/remotes/origin/main", "HEAD")
	m.git(a, "config", "branch.main.remote", "origin")
	m.git(a, "config", "branch.main.merge", "refs/heads/main")
	m.git(a, "checkout", "-qb", "feature/login")
	for _, name := range []string{"src/login1.py", "src/login2.py"} {
		m.prose(a, name)
		m.git(a, "add", "-A")
		m.git(a, "commit", "-qm", name)
	}
	m.git(a, "checkout", "-q", "main")
	m.git(a, "branch", "old/experiment", "v1.0.0")
	m.prose(a, "docs/guide.md")
	m.git(a, "commit", "-qam", "not pushed")
	m.prose(a, "src/models.py")
	m.git(a, "stash", "push", "-qm", "half done")
}

// daily is the work that no commit holds.
func (m *maker) daily() {
	const a = "home/app"
	m.prose(a, list("src/app.py README.md src/util.c src/feature.py data/users.csv")...)
	m.git(a, "add", "src/util.c", "src/feature.py", "data/users.csv")
	m.prose(a, "data/users.csv")
	m.prose(a, list(`notes.txt todo.txt file.txt file1.txt file2.txt file3.txt a.txt b.txt test.txt input.txt output.txt foo bar foo.txt bar.txt
		temp.tmp backup.bak test.py myfile file.csv list.txt data.txt untracked/x.txt untracked/y/z.txt images/a.jpg images/b.JPG images/c.png
		report.pdf page.html data.xml mydir/one.txt mydir/two.c dir1/a.txt dir1/same.txt dir2/b.txt dir2/same.txt folder/f.txt test/t1.txt
		node_modules/leftpad/index.js node_modules/leftpad/package.json build/app.o build/app dist/bundle.js app.log error.log logs/server.log
		logs/old.log .env .env.local .venv/pyvenv.cfg tmp/scratch.txt src/__pycache__/app.pyc`)...)
	m.prose(a, "my file.txt", "images/a picture.jpg")
	m.write(a+"/list", "notes.txt\ntodo.txt\n")
	m.write(a+"/names0", "file1.txt\x00file2.txt\x00")
	m.write(a+"/binary.bin", strings.Repeat("\xff\xfe\x00", 4000))
	m.write(a+"/big.dat", strings.Repeat("\x00", 200_000))
	m.prose(a, "data/hard1.dat")
	m.must(os.Link(filepath.Join(m.dir, a, "data/hard1.dat"), filepath.Join(m.dir, a, "data/hard2.dat")))
	for _, d := range []string{"empty", "untracked/hollow", "node_modules/.bin"} {
		m.must(os.MkdirAll(filepath.Join(m.dir, a, d), 0o755))
	}
	m.must(os.Symlink("../leftpad/index.js", filepath.Join(m.dir, a, "node_modules/.bin/leftpad")))
	m.must(os.Chmod(filepath.Join(m.dir, a, "foo"), 0o600))
}

// around is the rest of the machine.
func (m *maker) around() {
	m.prose("home", list(`.bashrc .profile .ssh/id_ed25519 .ssh/known_hosts .aws/credentials .config/tool/settings.json .cache/pip/wheel
		Documents/notes.txt Documents/report.pdf Downloads/archive.zip Downloads/photo.jpg Pictures/p1.jpg backup/monday.tar bin/tool.sh Desktop/todo.txt`)...)
	m.write("home/sibling/lib.go", "package lib\n")
	m.git("home/sibling", "init", "-q", "-b", "main")
	m.git("home/sibling", "add", "-A")
	m.git("home/sibling", "commit", "-qm", "lib")
	m.prose("home/sibling", "lib.go", "draft.go")
	m.prose("tmp", list("session.lock data.txt foo build-1234/out.o test/one.txt")...)
	m.prose("log", list("syslog app.log app.log.1 nginx/access.log nginx/error.log")...)
	m.prose("srv", list("www/index.html data/old.csv")...)
	for _, dir := range []string{"home/app", "home/sibling"} {
		m.git(dir, "status", "-s")
	}
}

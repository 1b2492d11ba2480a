//go:build linux

package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scenario is a call with the project that it works on.
type scenario struct {
	name, command string
	build         func(*world)
	yes           bool // firing needs --yes
	// shared: a call that was recorded but never ran may have run at the same
	// time, so that firing asks.
	shared bool
}

func scenarios() []scenario {
	return []scenario{
		{name: "wipe", command: "rm -rf src", build: (*world).plant},
		{name: "overwrite", command: "echo new > twin1 && echo x > notes.txt", build: (*world).plant},
		{name: "move", command: "mv -f notes.txt src/a.txt && mv src/sub moved", build: (*world).plant},
		{name: "bounded", command: "sh ./wreck.sh", build: (*world).plantProgram, shared: true},
		{name: "push", command: "git push --force origin main", build: (*world).plantRepository, yes: true},
	}
}

// world makes the scenario's world.
func (s scenario) world(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	s.build(w)
	return w
}

func (s scenario) fire(w *world, env ...string) result {
	w.t.Helper()
	args := []string{"fire", "--last"}
	if s.yes {
		args = append(args, "--yes")
	}
	if s.shared {
		args = append(args, "--shared")
	}
	return w.counterstep(env, args...)
}

// plant grows a small tree with a bit of everything.
func (w *world) plant() {
	w.t.Helper()
	for name, text := range map[string]string{
		"src/a.txt": "first\n", "src/sub/b.bin": strings.Repeat("\x00\xff", 3000), "src/sub/run.sh": "#!/bin/sh\n",
		"notes.txt": "notes\n", "twin1": "one file, two names\n",
	} {
		p := filepath.Join(w.dir, name)
		w.must(os.MkdirAll(filepath.Dir(p), 0o755))
		w.must(os.WriteFile(p, []byte(text), 0o644))
	}
	w.must(os.Mkdir(filepath.Join(w.dir, "src/empty"), 0o750))
	w.must(os.Symlink("a.txt", filepath.Join(w.dir, "src/link")))
	w.must(os.Link(filepath.Join(w.dir, "src/sub/run.sh"), filepath.Join(w.dir, "src/sub/run2.sh")))
	w.must(os.Link(filepath.Join(w.dir, "twin1"), filepath.Join(w.dir, "twin2")))
	w.must(os.Chmod(filepath.Join(w.dir, "src/sub/run.sh"), 0o755))
	at := time.Unix(1e9, 123456789)
	for _, p := range []string{"src/a.txt", "src/sub/b.bin", "src/sub/run.sh", "notes.txt", "twin1", "src/empty", "src/sub", "src"} {
		w.must(os.Chtimes(filepath.Join(w.dir, p), at, at))
	}
}

// plantProgram grows the tree and a program of which it is not known what it
// does.
func (w *world) plantProgram() {
	w.t.Helper()
	w.plant()
	script := "rm -r src/sub\necho other >notes.txt\necho new >src/new.txt\nchmod 600 src/a.txt\n"
	w.must(os.WriteFile(filepath.Join(w.dir, "wreck.sh"), []byte("eval \"$(tail -n +2 \"$0\")\"\n"+script), 0o644))
}

// plantRepository makes a repository and a bare remote, from which a forced
// push takes a commit.
func (w *world) plantRepository() {
	w.t.Helper()
	remote := filepath.Join(w.base, "remote.git")
	script := `set -e
git init -q --bare -b main "$1"
git init -q -b main .
git remote add origin "$1"
echo 1 > f; git add f; git commit -qm one
echo 2 > f; git commit -qam two
git push -q origin main
git branch keep; git push -q origin keep:other
git update-ref -d refs/heads/keep
git reset -q --hard HEAD~1
echo 3 > f; git commit -qam three`
	cmd := exec.Command("bash", "-c", script, "_", remote)
	cmd.Dir, cmd.Env = w.dir, w.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("make the repository: %v\n%s", err, out)
	}
}

// steps runs f, which runs the product once with env, and returns the points
// that it passed.
func (w *world) steps(f func(env string)) []string {
	w.t.Helper()
	log := filepath.Join(w.base, "points")
	os.Remove(log)
	f("COUNTERSTEP_FAIL_LOG=" + log)
	data, err := os.ReadFile(log)
	w.must(err)
	return strings.Fields(string(data))
}

package git_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/proc"
)

const userConfig = `[user]
	name = n
	email = a@b
[init]
	defaultBranch = main
[advice]
	detachedHead = false
`

// world is a home, a place for repositories and a door, all private.
type world struct {
	t     testing.TB
	root  string
	git   string
	door  *git.Door
	store string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	program, err := proc.Look("git", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED LOUDLY: git is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, git: program, store: filepath.Join(root, "store", "remotes")}
	for _, dir := range []string{"home", "temp", "store"} {
		w.mkdir(dir)
	}
	w.write("home/.gitconfig", userConfig)
	w.door = &git.Door{
		Git: program, Home: filepath.Join(root, "home"), Path: os.Getenv("PATH"),
		Config: git.Config{NoSystem: true}, Temp: filepath.Join(root, "temp"),
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

func (w *world) mkdir(name string) {
	w.t.Helper()
	if err := os.MkdirAll(w.path(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

// env is what an agent's git sees.
func (w *world) env() []string {
	return []string{
		"HOME=" + w.path("home"), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z",
		"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=:",
	}
}

// try runs git as an agent would, in a directory below the root.
func (w *world) try(dir string, args ...string) (proc.Result, error) {
	return proc.Run(context.Background(), proc.Cmd{Path: w.git, Dir: w.path(dir), Args: args, Env: w.env()})
}

// run is try for what must work. It returns the trimmed output.
func (w *world) run(dir string, args ...string) string {
	w.t.Helper()
	res, err := w.try(dir, args...)
	if err != nil || res.Code != 0 {
		w.t.Fatalf("git %s: %v\n%s%s", strings.Join(args, " "), err, res.Stdout, res.Stderr)
	}
	return strings.TrimSpace(string(res.Stdout))
}

// commit makes a commit with one changed file and returns its id.
func (w *world) commit(dir, message string) git.OID {
	w.t.Helper()
	w.write(filepath.Join(dir, "f-"+message), message)
	w.run(dir, "add", ".")
	w.run(dir, "commit", "-q", "-m", message)
	return git.OID(w.run(dir, "rev-parse", "HEAD"))
}

// refs is what a remote has, HEAD left out.
func (w *world) refs(url string) string {
	w.t.Helper()
	return w.run("", "ls-remote", "--refs", url)
}

// setup makes the usual pair: a bare remote and a clone of it whose main has
// diverged, with branches and tags that differ on both sides.
func (w *world) setup() {
	w.t.Helper()
	base := fixture()
	if base == "" {
		w.t.Fatal("the fixture could not be made")
	}
	w.copy(filepath.Join(base, "remote.git"), w.path("remote.git"))
	w.copy(filepath.Join(base, "work"), w.path("work"))
	w.run("work", "remote", "set-url", "origin", w.path("remote.git"))
}

var fixtureDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if fixtureDir != "" {
		os.RemoveAll(fixtureDir)
	}
	os.Exit(code)
}

// fixture makes the usual pair once; a failure is told by the first test that
// makes it.
var fixture = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "git-fixture-*")
	if err != nil {
		return ""
	}
	fixtureDir = dir
	w := &world{t: new(testing.B), root: dir}
	w.git, err = proc.Look("git", os.Getenv("PATH"))
	if err != nil {
		return ""
	}
	w.write("home/.gitconfig", userConfig)
	w.build()
	return dir
})

func (w *world) build() {
	w.run("", "init", "-q", "--bare", "--template=", "remote.git")
	w.run("", "init", "-q", "--template=", "work")
	w.run("work", "remote", "add", "origin", w.path("remote.git"))
	w.commit("work", "one")
	w.run("work", "tag", "light")
	w.run("work", "tag", "-a", "-m", "first", "v1")
	w.commit("work", "two")
	for _, b := range []string{"dev", "gone", "ahead"} {
		w.run("work", "branch", b)
	}
	w.run("work", "push", "-q", "origin", "main", "dev", "gone", "ahead", "light", "v1", "main:refs/notes/odd")
	w.run("work", "branch", "-q", "-D", "gone")
	w.run("work", "branch", "-q", "-u", "origin/main", "main")
	for _, b := range []string{"dev", "main"} {
		w.run("work", "checkout", "-q", b)
		w.run("work", "reset", "-q", "--hard", "HEAD~1")
		w.commit("work", "rewritten-"+b)
	}
	w.run("work", "checkout", "-q", "ahead")
	w.commit("work", "more")
	w.run("work", "checkout", "-q", "-b", "fresh", "main")
	w.commit("work", "fresh")
	w.run("work", "tag", "-f", "light")
	w.run("work", "tag", "-f", "-a", "-m", "second", "v1")
	w.run("work", "tag", "-a", "-m", "new", "v2")
	w.run("work", "checkout", "-q", "main")
}

// daemon serves the root by the git protocol and returns the URL of it.
func (w *world) daemon() string {
	w.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		proc.Run(ctx, proc.Cmd{Path: w.git, Dir: w.root, Env: w.env(), Args: []string{
			"daemon", "--export-all", "--enable=receive-pack", "--base-path=" + w.root, "--reuseaddr",
			"--listen=127.0.0.1", "--port=" + strconv.Itoa(port), w.root,
		}})
	}()
	w.t.Cleanup(func() { cancel(); <-done })
	addr := "127.0.0.1:" + strconv.Itoa(port)
	for deadline := time.Now().Add(10 * time.Second); ; {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return "git://" + addr
		}
		if time.Now().After(deadline) {
			w.t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// call is a push from the work repository.
func (w *world) call(args ...string) classify.Push {
	return classify.Push{Dir: w.path("work"), Args: args}
}

// plan plans a push that must be understood.
func (w *world) plan(p classify.Push) git.Plan {
	w.t.Helper()
	plan, err := w.door.PlanPush(w.t.Context(), p, git.PlanOptions{})
	if err != nil {
		w.t.Fatalf("plan %v: %v", p.Args, err)
	}
	return plan
}

// arm plans, captures and rehearses a push to one remote.
func (w *world) arm(p classify.Push) (git.Plan, git.Remote) {
	w.t.Helper()
	plan := w.plan(p)
	list, err := w.door.Capture(w.t.Context(), plan, w.store)
	if err != nil {
		w.t.Fatalf("capture: %v", err)
	}
	if len(list) != 1 {
		w.t.Fatalf("%d remotes, want 1", len(list))
	}
	if err := w.door.Rehearse(w.t.Context(), list[0], &plan.Layout, w.store); err != nil {
		w.t.Fatal(err)
	}
	return plan, list[0]
}

// settle looks at what the push left.
func (w *world) settle(plan git.Plan, r git.Remote) git.Remote {
	w.t.Helper()
	out, err := w.door.Settle(w.t.Context(), r, &plan.Layout, w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// reverse is the step that takes the firing of r back.
func (w *world) reverse(r git.Remote) git.Remote {
	w.t.Helper()
	seen, err := w.door.Observe(w.t.Context(), r)
	if err != nil {
		w.t.Error(err)
	}
	return git.Reverse(r, seen)
}

// fire fires and returns the states, one word per ref.
func (w *world) fire(r git.Remote) string {
	w.t.Helper()
	out, err := w.door.Fire(w.t.Context(), r, w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	var words []string
	for _, o := range out {
		words = append(words, string(o.State))
	}
	return strings.Join(words, " ")
}

// copy copies a directory.
func (w *world) copy(src, dst string) {
	w.t.Helper()
	if err := os.CopyFS(dst, os.DirFS(src)); err != nil {
		w.t.Fatal(err)
	}
}

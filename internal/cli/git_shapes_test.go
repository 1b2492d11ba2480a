package cli

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/proc"
)

var (
	shapeCells = flag.Int("cells", gitCells, "how many pairs of a shape of repository and a call of git are tried; 0 for all")
	shapeOnly  = flag.String("shape", "", "try only this shape of repository")
)

var gitShapes = strings.Fields("plain detached unborn packed linked inner submodule super empty-sub nested gitfile shallow partial sparse sha256 " +
	"merging rebasing picking bisecting stash-u assumed below alternates names lfs bare split intent no-reflog part")

// gitCalls are ways to lose work.
var gitCalls = []string{
	"git reset --hard", "git reset -q --hard HEAD~1", "git reset -q", "git reset --soft HEAD~1", "git reset --merge", "git checkout -- .", "git checkout -q -f other",
	"git checkout -q -B main HEAD~1", "git switch -q --discard-changes other", "git switch -q -C other", "git restore .", "git restore --staged .",
	"git restore --source=HEAD~1 .", "git clean -fdq", "git clean -fdxq", "git clean -fdXq", "git stash -q", "git stash -q -u", "git stash pop -q", "git stash drop -q",
	"git stash clear", "git stash apply -q", "git branch -q -D other", "git branch -q -f other HEAD", "git branch -M renamed", "git tag -d v1", "git tag -f v1 HEAD~1",
	"git rebase -q other", "git commit -q --amend -m amended", "git commit -q -a -m all", "git merge --abort", "git rebase --abort", "git cherry-pick --abort",
	"git rm -rfq .", "git mv -f c src/b", "git update-ref -d refs/heads/other", "git symbolic-ref HEAD refs/heads/other", "git reflog expire --expire=now --all",
	"git gc -q --prune=now", "git repack -adq", "git read-tree --reset -u HEAD~1", "git checkout-index -f -a", "git sparse-checkout set other", "git remote remove up",
	"git config user.name other", "git worktree prune", "git submodule deinit -f --all", "git bisect reset -q", "git merge -q --no-edit other", "git fetch -q --prune up",
}

// TestGitShapes takes calls of git back in every shape of repository: all of the
// repository and of its work tree is as before, whether objects were pruned in
// between or not. A call that is refused says why.
func TestGitShapes(t *testing.T) {
	bash, err := proc.Look("bash", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED: no bash to run the calls with")
	}
	if _, err := proc.Look("git", os.Getenv("PATH")); err != nil {
		t.Skip("SKIPPED: no git")
	}
	all := len(gitShapes) * len(gitCalls)
	step := 1
	if n := *shapeCells; n > 0 && n < all {
		step = all / n
		for gcd(step, len(gitCalls)) != 1 || gcd(step, len(gitShapes)) != 1 {
			step++ // so that every shape and every call has its turn
		}
	}
	cells := map[string][]string{}
	for i, at := 0, 0; i < all/step; i, at = i+1, (at+step)%all {
		shape := gitShapes[at%len(gitShapes)]
		cells[shape] = append(cells[shape], gitCalls[at/len(gitShapes)])
	}
	for _, shape := range gitShapes {
		if *shapeOnly != "" && shape != *shapeOnly {
			continue
		}
		if *shapeOnly != "" {
			cells[shape] = gitCalls
		}
		t.Run(shape, func(t *testing.T) { shapeCalls(t, bash, shape, cells[shape]) })
	}
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func shapeCalls(t *testing.T, bash, shape string, calls []string) {
	c := newCell(t, bash, shape)
	for n, call := range calls {
		for _, tidy := range []bool{false, true} {
			if tidy && n%3 != 0 && *shapeOnly == "" {
				continue
			}
			c.try(call, tidy, fmt.Sprintf("%s-%d-%v", shape, n, tidy))
		}
	}
}

// TestGitSequences lets real git run random calls one after the other in a random
// shape of repository and fires them in reverse: after each the repository and
// the work tree are as they were before that call.
func TestGitSequences(t *testing.T) {
	bash, err := proc.Look("bash", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED: no bash to run the calls with")
	}
	cells := map[string]*cell{}
	for i := range gitSequences {
		rng := rand.New(rand.NewPCG(*firstSeed+uint64(i), 11))
		shape := gitShapes[rng.IntN(len(gitShapes))]
		c := cells[shape]
		if c == nil {
			c = newCell(t, bash, shape)
			cells[shape] = c
		}
		var calls []string
		for range 1 + rng.IntN(4) {
			calls = append(calls, gitCalls[rng.IntN(len(gitCalls))])
		}
		c.sequence(calls, fmt.Sprintf("seed %d, %s", *firstSeed+uint64(i), shape))
	}
}

func (c *cell) sequence(calls []string, name string) {
	h, rel := c.story()
	type point struct {
		state, call string
		tree        map[string]string
	}
	var points []point
	state := func() string { return c.shell("", "sh "+here(c.t, "gitstate.sh")+" "+rel) }
	e := h.engine
	for _, call := range calls {
		if strings.HasPrefix(call, "git commit -q -a") {
			continue // adds only, so there is nothing to fire
		}
		c.shell(rel, "git status")
		p := point{state(), call, c.tree()}
		if out := h.send("PreToolUse", call); out.Code != 0 {
			continue
		}
		had := h.fireable()
		c.shell(rel, call)
		h.send("PostToolUse", call)
		h.calls++
		if h.fireable() == had && had > 0 || state() != p.state {
			points = append(points, p)
		}
	}
	for i := len(points) - 1; i >= 0; i-- {
		eng := e()
		eng.Git = newGate(h.env).Git
		s, err := eng.Last()
		c.must(err)
		r, err := eng.Fire(context.Background(), s, fire.Options{})
		if err != nil || r.Status != "fired" {
			c.t.Errorf("%s: %q: %s: %v %s %+v", name, calls, points[i].call, err, r.Status, r.Lines)
			return
		}
		if now := state(); now != points[i].state {
			c.t.Errorf("%s: %q: %s: not as before:\n%s", name, calls, points[i].call, changedLines(points[i].state, now))
			return
		}
		if d := differ(points[i].tree, c.tree()); d != "" {
			c.t.Errorf("%s: %q: %s: work tree: %s", name, calls, points[i].call, d)
			return
		}
	}
}

// cell is one shape of repository, built anew for each call.
type cell struct {
	t          *testing.T
	bash, base string
}

func newCell(t *testing.T, bash, shape string) *cell {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &cell{t: t, bash: bash, base: base}
	c.must(os.Mkdir(filepath.Join(base, "home"), 0o755))
	c.must(os.Mkdir(filepath.Join(base, "w"), 0o755))
	c.shell("w", "sh "+here(t, "shapes.sh")+" "+shape)
	c.shell("", "cp -a w template")
	return c
}

// story begins with the shape as it was built; rel is where the calls run.
func (c *cell) story() (h *story, rel string) {
	c.shell("", "rm -rf w state && cp -a template w")
	h = newStory(c.t, c.bash, 1)
	at, err := os.ReadFile(filepath.Join(c.base, "w", "at"))
	c.must(err)
	rel = filepath.Join("w", strings.TrimSpace(string(at)))
	h.dir = filepath.Join(c.base, rel)
	vars := map[string]string{"HOME": filepath.Join(c.base, "home"), "XDG_STATE_HOME": filepath.Join(c.base, "state"), "PATH": os.Getenv("PATH")}
	h.env.Dir, h.env.Getenv = h.dir, func(n string) string { return vars[n] }
	return h, rel
}

func (c *cell) must(err error) {
	if err != nil {
		c.t.Helper()
		c.t.Fatal(err)
	}
}

func here(t *testing.T, name string) string {
	p, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shell runs a line in a directory below the base.
func (c *cell) shell(dir, line string) string {
	c.t.Helper()
	cmd := exec.Command(c.bash, "-c", line)
	cmd.Dir = filepath.Join(c.base, dir)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(c.base, "home"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	if err != nil && strings.HasPrefix(line, "sh ") {
		c.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

func (c *cell) try(call string, tidy bool, name string) {
	h, rel := c.story()
	what := ""
	if tidy {
		what = "tidied"
	}
	state := func() string { return c.shell("", "sh "+here(c.t, "gitstate.sh")+" "+rel+" "+what) }
	c.shell(rel, "git status")
	before, tree := state(), c.tree()
	out := h.send("PreToolUse", call)
	if out.Code != 0 {
		if !strings.Contains(string(out.Stdout), "counterstep") || strings.Contains(string(out.Stderr), "panic") {
			c.t.Errorf("%s: refused without a reason: %s%s", name, out.Stdout, out.Stderr)
		}
		c.t.Logf("refused: %s: %s", call, out.Stderr)
		return
	}
	said := c.shell(rel, call)
	h.send("PostToolUse", call)
	if tidy {
		c.shell(rel, "git reflog expire --expire=now --all; git gc -q --prune=now")
	}
	e := h.engine()
	e.Git = newGate(h.env).Git
	if s, err := e.Last(); err == nil {
		r, err := e.Fire(context.Background(), s, fire.Options{})
		if err != nil || r.Status != "fired" && !tidy {
			c.t.Errorf("%s: %s: %v %s: %+v\n%s", name, call, err, r.Status, r.Lines, said)
			return
		}
	}
	if strings.HasPrefix(call, "git commit -q -a") && state() != before {
		return // adds a commit, and takes nothing away
	}
	if now := state(); now != before {
		c.t.Errorf("%s: %s: not as before:\n%s", name, call, changedLines(before, now))
	}
	if d := differ(tree, c.tree()); d != "" {
		c.t.Errorf("%s: %s: work tree: %s", name, call, d)
	}
}

// tree lists every work tree with bytes and modes, but nothing of git's own.
func (c *cell) tree() map[string]string {
	out := map[string]string{}
	filepath.WalkDir(filepath.Join(c.base, "w"), func(p string, d os.DirEntry, err error) error {
		c.must(err)
		rel := strings.TrimPrefix(p, filepath.Join(c.base, "w"))
		if d.Name() == ".git" || d.IsDir() && isBare(p) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		c.must(err)
		text := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			c.must(err)
			text = string(data)
		case info.Mode()&os.ModeSymlink != 0:
			text, _ = os.Readlink(p)
		}
		out[rel] = fmt.Sprintf("%v %q", info.Mode(), text)
		return nil
	})
	return out
}

// isBare reports a git directory of another name.
func isBare(p string) bool {
	_, err := os.Stat(filepath.Join(p, "HEAD"))
	_, err2 := os.Stat(filepath.Join(p, "objects"))
	return err == nil && err2 == nil
}

// changedLines shows how two texts differ.
func changedLines(want, got string) string {
	had, has := map[string]int{}, map[string]int{}
	for l := range strings.Lines(want) {
		had[l]++
	}
	var b strings.Builder
	for l := range strings.Lines(got) {
		if has[l]++; has[l] > had[l] {
			b.WriteString("+" + l)
		}
	}
	for l := range strings.Lines(want) {
		if has[l] < had[l] {
			b.WriteString("-" + l)
		}
	}
	if b.Len() == 0 {
		return "(another order)"
	}
	return b.String()
}

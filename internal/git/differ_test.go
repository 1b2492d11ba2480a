package git_test

import (
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
)

var differRounds = flag.Int("differ", 60, "random pushes to compare with git itself")

// TestPlanAgreesWithGit compares plans of random pushes with what git says
// about the same push with --dry-run. The plan may hold more, never less, and
// a push that git would make is planned or refused for a reason that is named.
func TestPlanAgreesWithGit(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.run("work", "symbolic-ref", "refs/heads/alias", "refs/heads/dev")
	w.run("work", "update-ref", "refs/tags/main", "dev") // a tag and a branch of one name
	w.run("work", "remote", "add", "second", w.path("remote.git"))
	there := w.refs(w.path("remote.git")) + "\n"
	rnd := rand.New(rand.NewPCG(1, 2))
	refused, planned := map[string]int{}, 0
	if long {
		*differRounds *= 25
	}
	for range *differRounds {
		p := randomPush(rnd, w)
		res, err := w.try("work", pushArgs(p)...)
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]byte{}
		for line := range strings.Lines(string(res.Stdout)) {
			if len(line) > 1 && line[1] == '\t' {
				_, dst, _ := strings.Cut(strings.Split(line, "\t")[1], ":")
				said[dst] = line[0]
			}
		}
		plan, err := w.door.PlanPush(t.Context(), p, git.PlanOptions{})
		switch {
		case err != nil && len(said) > 0:
			_, why, _ := strings.Cut(err.Error(), ": ")
			t.Logf("refused: git %s: %v", strings.Join(pushArgs(p), " "), err)
			refused[why]++
		case err == nil:
			planned++
			comparePlan(t, p, plan, said, there)
		}
	}
	t.Logf("%d planned; refused though git would push: %v", planned, refused)
	if n := len(slices.Collect(maps.Keys(refused))); n > 0 {
		t.Errorf("%d reasons to refuse what git would push", n)
	}
}

func pushArgs(p classify.Push) []string {
	var args []string
	for _, c := range p.Config {
		args = append(args, "-c", c)
	}
	return append(append(args, "push", "--dry-run", "--porcelain"), p.Args...)
}

func comparePlan(t *testing.T, p classify.Push, plan git.Plan, said map[string]byte, there string) {
	t.Helper()
	for dst, flag := range said {
		if flag == '-' && !strings.Contains(there, "\t"+dst+"\n") {
			delete(said, dst) // git asks for the deletion of what is not there
		}
	}
	if !plan.Loses() {
		for dst, flag := range said {
			if flag == '+' || flag == '-' {
				t.Errorf("git %s: %s goes by force, and the plan has nothing", strings.Join(pushArgs(p), " "), dst)
			}
		}
		return
	}
	have := map[string]git.OID{}
	for _, u := range plan.Remotes[0].Refs {
		have[u.Name] = u.New
	}
	plain := strings.Join(plan.Plain, "\n") + "\n"
	for dst, flag := range said {
		id, ok := have[dst]
		if !ok && !strings.Contains(plain, "push to "+dst+" of ") || !ok && (flag == '+' || flag == '-') {
			t.Errorf("git %s: %c %s is not in the plan %v", strings.Join(pushArgs(p), " "), flag, dst, plan)
		}
		if ok && flag != '!' && (flag == '-') != (id == git.Absent) {
			t.Errorf("git %s: %c %s is planned as %q", strings.Join(pushArgs(p), " "), flag, dst, id)
		}
	}
	for dst := range have {
		if _, ok := said[dst]; !ok && len(said) > 0 && !strings.HasPrefix(dst, "refs/tags/") {
			t.Errorf("git %s: %s is in the plan and git would not write it", strings.Join(pushArgs(p), " "), dst)
		}
	}
}

// randomPush makes up a push and the configuration it runs under.
func randomPush(rnd *rand.Rand, w *world) classify.Push {
	one := func(list ...string) string { return list[rnd.IntN(len(list))] }
	p := classify.Push{Dir: w.path("work")}
	for range rnd.IntN(3) {
		p.Config = append(p.Config, one(
			"push.default=simple", "push.default=current", "push.default=upstream", "push.default=matching", "push.default=nothing",
			"push.autoSetupRemote=true", "push.followTags", "remote.pushDefault=second", "branch.main.pushRemote=second", "branch.main.remote=second",
			"remote.origin.push=refs/heads/*:refs/heads/*", "remote.origin.push=+refs/heads/d*:refs/heads/q*", "remote.origin.push=HEAD", "remote.origin.push=+:",
			"branch.main.merge=refs/heads/other", "remote.origin.mirror=true", "push.useForceIfIncludes=true", "core.bare=false"))
	}
	name := func() string {
		return one("main", "dev", "gone", "ahead", "fresh", "light", "v1", "v2", "heads/main", "tags/main", "refs/heads/dev", "refs/tags/v1", "alias", "HEAD", "@",
			"refs/notes/odd", "notes/odd", "new", "origin/dev", "refs/remotes/origin/main")
	}
	for range rnd.IntN(3) {
		p.Args = append(p.Args, one("-f", "--force", "--no-force", "--force-with-lease", "--force-with-lease=main", "--force-with-lease=dev:dev", "--prune", "--follow-tags",
			"--no-follow-tags", "--tags", "--all", "--mirror", "-d", "--delete", "--atomic", "-u", "-q", "--force-if-includes", "--thin", "--no-verify", "--sign=if-asked", "-o", "--prun"))
		if p.Args[len(p.Args)-1] == "-o" {
			p.Args = append(p.Args, "x")
		}
	}
	if rnd.IntN(4) > 0 {
		p.Args = append(p.Args, one("origin", "origin", "second", w.path("remote.git"), "../remote.git"))
		for range rnd.IntN(3) {
			switch rnd.IntN(8) {
			case 0:
				p.Args = append(p.Args, one("", "+")+name()+":"+name())
			case 1:
				p.Args = append(p.Args, ":"+name())
			case 2:
				p.Args = append(p.Args, one("", "+")+one("refs/heads/*", "refs/heads/*:refs/heads/*", "refs/heads/d*:refs/heads/e*", "refs/*:refs/*", "refs/tags/*", ":"))
			case 3:
				p.Args = append(p.Args, one("main~1", "HEAD^", "v1^{}", "dev@{0}")+":"+one("refs/heads/x", "dev", "new"))
			case 4:
				p.Args = append(p.Args, "tag", one("v1", "light", "v2"))
			case 5:
				p.Args = append(p.Args, "^refs/heads/"+one("main", "d*"))
			default:
				p.Args = append(p.Args, one("", "+")+name())
			}
		}
	}
	if rnd.IntN(3) == 0 {
		slices.Reverse(p.Args)
	}
	return p
}

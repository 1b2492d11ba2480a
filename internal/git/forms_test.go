package git_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
)

// form is one way to spell a push. Config lines are set in the repository.
type form struct {
	args   string
	config string // "key=value" words
	flags  string // values of -c
	dir    string // where it runs, below the root; default work
	branch string // that is checked out; default main
	lost   string // refs in the plan; "-" for none
	plain  int    // plain updates beside them
}

func forms() []form {
	const all = "heads/ahead heads/dev heads/fresh heads/main"
	return []form{
		// One branch by force.
		{args: "--force origin main", lost: "heads/main"},
		{args: "-f origin main", lost: "heads/main"},
		{args: "origin main -f", lost: "heads/main"},
		{args: "-uf origin main", lost: "heads/main"},
		{args: "-fuq origin main", lost: "heads/main"},
		{args: "--force origin HEAD", lost: "heads/main"},
		{args: "--force origin @", lost: "heads/main"},
		{args: "--force origin HEAD:main", lost: "heads/main"},
		{args: "--force origin dev~1:refs/heads/dev", lost: "heads/dev"},
		{args: "--force origin refs/heads/dev", lost: "heads/dev"},
		{args: "--force origin heads/dev:main", lost: "heads/main"},
		{args: "--force origin dev:heads/main", lost: "heads/main"},
		{args: "--force -- origin main", lost: "heads/main"},
		{args: "--no-force --force origin main", lost: "heads/main"},
		{args: "--force --no-force origin ahead", lost: "-", plain: 1},
		{args: "--force-with-lease origin main", lost: "heads/main"},
		{args: "--force-with-l origin main", lost: "heads/main"},
		{args: "--force-with-lease=main origin main", lost: "heads/main"},
		{args: "--force-with-lease=main:main@{upstream} origin main", lost: "heads/main"},
		{args: "--force-with-lease=main origin main ahead", lost: "heads/main", plain: 1},
		{args: "--force-with-lease --force-if-includes origin dev", lost: "heads/dev"},
		{args: "--force-with-lease --no-force-with-lease origin ahead", lost: "-", plain: 1},
		{args: "--force --receive-pack=git-receive-pack origin main", lost: "!program"},
		{args: "--repo=origin -f", config: "push.default=current", lost: "heads/main"},
		{args: "--repo origin -f", config: "push.default=current", lost: "heads/main"},
		// Rules of their own.
		{args: "origin +main", lost: "heads/main"},
		{args: "origin +main:dev", lost: "heads/dev"},
		{args: "origin +HEAD", lost: "heads/main"},
		{args: "origin ahead +dev", lost: "heads/dev", plain: 1},
		{args: "origin +dev +main", lost: "heads/dev heads/main"},
		{args: "origin :gone", lost: "heads/gone"},
		{args: "origin :refs/heads/gone", lost: "heads/gone"},
		{args: "origin +:gone", lost: "heads/gone"},
		{args: "--delete origin gone", lost: "heads/gone"},
		{args: "-d origin gone light", lost: "heads/gone tags/light"},
		{args: "--del origin tag v1", lost: "tags/v1"},
		{args: "origin :v1", lost: "tags/v1"},
		{args: "origin :", lost: "-", plain: 1},
		{args: "origin +:", lost: "heads/ahead heads/dev heads/main"},
		{args: "-f origin :", lost: "heads/ahead heads/dev heads/main"},
		{args: "origin +refs/heads/*", lost: all},
		{args: "origin +refs/heads/*:refs/heads/*", lost: all},
		{args: "origin +refs/heads/d*:refs/heads/x/d*", lost: "heads/x/dev"},
		{args: "origin +refs/heads/* ^refs/heads/dev", lost: "heads/ahead heads/fresh heads/main"},
		{args: "--force origin main:brand-new", lost: "heads/brand-new"},
		{args: "--force origin fresh", lost: "heads/fresh"},
		{args: "--force origin main:refs/odd/x", lost: "odd/x"},
		// Many at once.
		{args: "--force --all origin", lost: all},
		{args: "--all -f origin", lost: all},
		{args: "--al --forc origin", lost: "!could be more than one"},
		{args: "--mirror origin", lost: "heads/ahead heads/dev heads/fresh heads/gone heads/main notes/odd " +
			"remotes/origin/ahead remotes/origin/dev remotes/origin/gone remotes/origin/main tags/light tags/v1 tags/v2"},
		{args: "--mirr origin", lost: "heads/ahead heads/dev heads/fresh heads/gone heads/main notes/odd " +
			"remotes/origin/ahead remotes/origin/dev remotes/origin/gone remotes/origin/main tags/light tags/v1 tags/v2"},
		{args: "--prune origin refs/heads/a*:refs/heads/a* refs/heads/g*:refs/heads/g*", lost: "heads/gone", plain: 1},
		{args: "--prune -f origin refs/heads/*", lost: all + " heads/gone"},
		{args: "--prune origin +:", lost: "heads/ahead heads/dev heads/gone heads/main"},
		{args: "--tags -f origin", lost: "tags/light tags/v1 tags/v2"},
		{args: "--force origin tag v1", lost: "tags/v1"},
		{args: "--force origin v1 light", lost: "tags/light tags/v1"},
		{args: "--force --follow-tags origin fresh", lost: "heads/fresh tags/v2"},
		{args: "--force origin fresh", config: "push.followTags=true", lost: "heads/fresh tags/v2"},
		{args: "--force --no-follow-tags origin fresh", config: "push.followTags=true", lost: "heads/fresh"},
		// What the configuration says.
		{args: "-f", lost: "heads/main"},
		{args: "-f origin", lost: "heads/main"},
		{args: "-f", config: "push.default=simple", lost: "heads/main"},
		{args: "-f", config: "push.default=current", branch: "fresh", lost: "heads/fresh"},
		{args: "-f", config: "push.default=upstream", branch: "main", lost: "heads/main"},
		{args: "-f", config: "push.default=upstream branch.dev.remote=origin branch.dev.merge=refs/heads/main", branch: "dev", lost: "heads/main"},
		{args: "-f origin dev", config: "push.default=upstream branch.dev.remote=origin branch.dev.merge=refs/heads/main", lost: "heads/main"},
		{args: "-f", config: "push.default=matching", lost: "heads/ahead heads/dev heads/main"},
		{args: "-f", config: "push.default=nothing", lost: "!push.default is nothing"},
		{args: "-f", branch: "dev", lost: "!no single upstream"},
		{args: "-f", config: "push.autoSetupRemote=true", branch: "fresh", lost: "heads/fresh"},
		{args: "", config: "remote.origin.push=+refs/heads/*:refs/heads/*", lost: all},
		{args: "", config: "remote.origin.push=+HEAD", lost: "heads/main"},
		{args: "origin dev", config: "remote.origin.push=+refs/heads/dev:refs/heads/main", lost: "heads/main"},
		{args: "origin dev", config: "remote.origin.push=+refs/heads/*:refs/heads/qa/*", lost: "heads/qa/dev"},
		{args: "origin", config: "remote.origin.mirror=true", lost: "heads/ahead heads/dev heads/fresh heads/gone heads/main notes/odd " +
			"remotes/origin/ahead remotes/origin/dev remotes/origin/gone remotes/origin/main tags/light tags/v1 tags/v2"},
		{args: "-f", config: "remote.pushDefault=origin", lost: "heads/main"},
		{args: "-f", config: "branch.main.pushRemote=origin remote.pushDefault=nowhere", lost: "heads/main"},
		{args: "-f", flags: "push.default=current", branch: "fresh", lost: "heads/fresh"},
		{args: "", flags: "remote.origin.push=+HEAD:dev", lost: "heads/dev"},
		{args: "-f", config: "push.default=current branch.main.remote=.", lost: "heads/main", flags: "branch.main.remote=origin"},
		// Where it runs.
		{args: "-f origin main", dir: "work/sub", lost: "heads/main"},
		{args: "-f ../remote.git main", lost: "heads/main"},
		{args: "-f ../remote.git main", dir: "work/sub", lost: "heads/main"},
		{args: "-f origin main", config: "remote.origin.url=../remote.git", dir: "work/sub", lost: "heads/main"},
		// Nothing to lose.
		{args: "origin ahead", lost: "-", plain: 1},
		{args: "", branch: "ahead", config: "branch.ahead.remote=origin branch.ahead.merge=refs/heads/ahead", lost: "-", plain: 1},
		{args: "-n -f origin main", lost: "-"},
		{args: "--dry-run --mirror origin", lost: "-"},
		{args: "-u origin fresh", lost: "-", plain: 1},
	}
}

// apply puts the world into the state that the form asks for.
func (f form) apply(w *world) classify.Push {
	w.mkdir("work/sub")
	if f.branch != "" {
		w.run("work", "checkout", "-q", f.branch)
	}
	for _, kv := range strings.Fields(f.config) {
		k, v, _ := strings.Cut(kv, "=")
		w.run("work", "config", k, v)
	}
	dir := f.dir
	if dir == "" {
		dir = "work"
	}
	return classify.Push{Dir: w.path(dir), Config: strings.Fields(f.flags), Args: strings.Fields(f.args)}
}

// push runs what the form says with the real git.
func (w *world) push(p classify.Push) string {
	w.t.Helper()
	var args []string
	for _, c := range p.Config {
		args = append(args, "-c", c)
	}
	if p.GitDir != "" {
		args = append(args, "--git-dir="+p.GitDir)
	}
	args = append(append(args, "push"), p.Args...)
	rel, err := filepath.Rel(w.root, p.Dir)
	if err != nil {
		w.t.Fatal(err)
	}
	res, err := w.try(rel, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(res.Stdout) + string(res.Stderr)
}

func lostNames(plan git.Plan) string {
	var names []string
	for _, r := range plan.Remotes {
		for _, u := range r.Refs {
			names = append(names, strings.TrimPrefix(u.Name, "refs/"))
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// TestEveryFormComesBack arms, pushes with the real git, settles and fires
// every way to spell a push that can lose something, over both transports.
func TestEveryFormComesBack(t *testing.T) {
	for i, f := range forms() {
		for _, kind := range []string{"file", "daemon"} {
			if kind == "daemon" && (i%4 != 0 || f.dir != "" || strings.Contains(f.args, "..")) {
				continue
			}
			t.Run(strings.ReplaceAll(f.branch+" "+f.config+" "+f.flags+" push "+f.args, "/", "|")+" "+kind, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.setup()
				url := w.path("remote.git")
				if kind == "daemon" {
					url = w.daemon() + "/remote.git"
				}
				w.run("work", "remote", "set-url", "origin", url)
				testForm(t, w, f, url)
			})
		}
	}
}

func testForm(t *testing.T, w *world, f form, url string) {
	p := f.apply(w)
	before := w.refs(url)
	plan, err := w.door.PlanPush(t.Context(), p, git.PlanOptions{})
	if why, ok := strings.CutPrefix(f.lost, "!"); ok {
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Fatalf("got %v, want an error about %q", err, why)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(f.lost)
	slices.Sort(want)
	if got := lostNames(plan); got != strings.TrimPrefix(strings.Join(want, " "), "-") || len(plan.Plain) != f.plain {
		t.Fatalf("can lose %q, plain %q\nwant %q and %d", got, plan.Plain, want, f.plain)
	}
	if !plan.Loses() {
		return
	}
	_, r := w.arm(p)
	said := w.push(p)
	after := w.refs(url)
	if after == before {
		t.Fatalf("the push did nothing: %s", said)
	}
	for line := range strings.Lines(after + "\n" + before) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		known := slices.ContainsFunc(r.Refs, func(u git.Ref) bool { return u.Name == name })
		if !known && (!strings.Contains(after, id+"\t"+name) || !strings.Contains(before, id+"\t"+name)) && f.plain == 0 {
			t.Errorf("%s changed and is not in the plan", name)
		}
	}
	r = w.settle(plan, r)
	states := w.fire(r)
	for s := range strings.FieldsSeq(states) {
		if s != "fired" && s != "already-there" {
			t.Errorf("states: %s", states)
		}
	}
	w.sameLost(r, before, w.refs(url))
	if again := w.fire(r); strings.Contains(again, "fired") && !strings.Contains(again, "already") {
		t.Errorf("fired again: %s", again)
	}
}

// sameLost compares the refs of the plan; what went plainly may differ.
func (w *world) sameLost(r git.Remote, before, now string) {
	w.t.Helper()
	pick := func(list string) []string {
		var out []string
		for line := range strings.Lines(list) {
			_, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
			if slices.ContainsFunc(r.Refs, func(u git.Ref) bool { return u.Name == name }) {
				out = append(out, strings.TrimSpace(line))
			}
		}
		return out
	}
	if !slices.Equal(pick(before), pick(now)) {
		w.t.Errorf("the remote has\n%s\nwant\n%s", now, before)
	}
}

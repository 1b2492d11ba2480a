package git_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
)

// TestWhereAPushGoes compares the URLs of a plan with those that git says a
// push goes to.
func TestWhereAPushGoes(t *testing.T) {
	for name, c := range map[string]struct {
		repo, user string // configuration lines, KEY=VALUE
		push       string
		want       []string // below the root; nil when refused
		refused    string
	}{
		"url":                        {want: []string{"remote.git"}},
		"pushurl":                    {repo: "remote.origin.pushurl=ROOT/b.git", want: []string{"b.git"}},
		"several push URLs":          {repo: "remote.origin.pushurl=ROOT/b.git remote.origin.pushurl=ROOT/c.git", want: []string{"b.git", "c.git"}},
		"several URLs":               {repo: "remote.origin.url=ROOT/b.git", want: []string{"remote.git", "b.git"}},
		"the same URL twice":         {repo: "remote.origin.pushurl=ROOT/b.git remote.origin.pushurl=ROOT/b.git", want: []string{"b.git"}},
		"a rule of the person":       {user: "url.ROOT/b.insteadOf=ROOT/remote", want: []string{"b.git"}},
		"the longest rule":           {user: "url.ROOT/b.insteadOf=ROOT/rem url.ROOT/c.insteadOf=ROOT/remote", want: []string{"c.git"}},
		"a rule for pushes":          {user: "url.ROOT/b.pushInsteadOf=ROOT/remote", want: []string{"b.git"}},
		"a rule for pushes, pushurl": {user: "url.ROOT/b.pushInsteadOf=ROOT/c", repo: "remote.origin.pushurl=ROOT/c.git", want: []string{"c.git"}},
		"rules are not chained":      {user: "url.ROOT/b.insteadOf=ROOT/remote url.ROOT/c.insteadOf=ROOT/b", want: []string{"b.git"}},
		"a rule for a URL":           {user: "url.ROOT/.insteadOf=x:", push: "-f x:b.git main", want: []string{"b.git"}},
		"a rule of the repository":   {repo: "url.ROOT/b.insteadOf=ROOT/remote", refused: "insteadOf"},
		"a push rule of the repo":    {repo: "url.ROOT/b.pushInsteadOf=ROOT/remote", refused: "insteadOf"},
		"a rule that does not fit":   {repo: "url.ROOT/b.insteadOf=https://elsewhere/", want: []string{"remote.git"}},
		"a program":                  {repo: "remote.origin.pushurl=ext::sh", refused: "git-remote-ext"},
		"a helper":                   {repo: "remote.origin.pushurl=codecommit://x", refused: "git-remote-codecommit"},
		"a vcs":                      {repo: "remote.origin.vcs=hg", refused: "git-remote-hg"},
		"a receivepack":              {repo: "remote.origin.receivepack=sh", refused: "receivepack"},
		"a group":                    {repo: "remotes.all=origin", push: "-f all main", refused: "group"},
		"a path":                     {push: "-f ../b.git main", want: []string{"b.git"}},
		"a file URL":                 {push: "-f file://ROOT/b.git main", want: []string{"file://ROOT/b.git"}},
		"an empty URL":               {repo: "remote.origin.pushurl=", refused: "empty"},
		"a control character":        {push: "-f ../b\x01.git main", refused: "control character"},
		"a dash for a host":          {push: "-f ssh://-oProxyCommand=x/y main", refused: "begins with a dash"},
		"a user include":             {user: "include.path=ROOT/more", want: []string{"b.git"}},
		"a user include by place":    {user: "includeIf.gitdir:ROOT/work/.path=ROOT/more", want: []string{"b.git"}},
		"another place":              {user: "includeIf.gitdir:ROOT/other/.path=ROOT/more", want: []string{"remote.git"}},
		"a user include by branch":   {user: "includeIf.onbranch:ma*.path=ROOT/more", want: []string{"b.git"}},
		"a user include by remote":   {user: "includeIf.hasconfig:remote.*.url:**/remote.git.path=ROOT/more", want: []string{"b.git"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.setup()
			for _, dir := range []string{"b.git", "c.git"} {
				w.copy(w.path("remote.git"), w.path(dir))
			}
			w.write("more", "[url \""+w.path("b")+"\"]\n\tinsteadOf = "+w.path("remote")+"\n")
			fill := func(s string) string { return strings.ReplaceAll(s, "ROOT", w.root) }
			for _, kv := range strings.Fields(fill(c.repo)) {
				k, v, _ := strings.Cut(kv, "=")
				w.run("work", "config", "--add", k, v)
			}
			for _, kv := range strings.Fields(fill(c.user)) {
				i := strings.LastIndexByte(kv, '=')
				w.run("", "config", "--global", "--add", kv[:i], kv[i+1:])
			}
			push := strings.Fields(fill(c.push))
			if c.push == "" {
				push = []string{"-f", "origin", "main"}
			}
			plan, err := w.door.PlanPush(t.Context(), w.call(push...), git.PlanOptions{})
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("got %v, want a refusal about %q", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, r := range plan.Remotes {
				got = append(got, r.URL)
			}
			for _, u := range c.want {
				if u = fill(u); !strings.Contains(u, "://") {
					u = w.path(u)
				}
				want = append(want, u)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("planned %q, want %q", got, want)
			}
			// git says where it went.
			res, err := w.try("work", append([]string{"push", "--porcelain", "--dry-run"}, push...)...)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range want {
				if !strings.Contains(string(res.Stdout), strings.TrimPrefix(u, w.root)) && !strings.Contains(string(res.Stdout), "../b.git") {
					t.Errorf("git does not push to %q: %s%s", u, res.Stdout, res.Stderr)
				}
			}
			list, err := w.door.Capture(t.Context(), plan, w.store)
			if err != nil {
				t.Fatal(err)
			}
			before := w.refs(w.path("remote.git")) + w.refs(w.path("b.git")) + w.refs(w.path("c.git"))
			w.push(w.call(push...))
			for _, r := range list {
				r = w.settle(plan, r)
				if got := w.outcome(r); got.State != git.Fired {
					t.Errorf("%s: %+v", r.URL, got)
				}
			}
			if now := w.refs(w.path("remote.git")) + w.refs(w.path("b.git")) + w.refs(w.path("c.git")); now != before {
				t.Errorf("not all came back:\n%s\n%s", now, before)
			}
		})
	}
}

// TestPlainPushIsNotHeldUp: what cannot lose anything costs no connection and
// no understanding of the remote.
func TestPlainPushIsNotHeldUp(t *testing.T) {
	w := newWorld(t)
	w.setup()
	w.run("work", "remote", "set-url", "origin", "git://"+hang(t)+"/x.git")
	for _, args := range []string{"origin main", "", "-u origin fresh", "--all origin", "--tags origin", "origin HEAD:new"} {
		plan := w.plan(w.call(strings.Fields(args)...))
		if plan.Loses() || len(plan.Plain) != 1 {
			t.Errorf("push %s: %+v", args, plan)
		}
	}
}

func TestShownHidesSecrets(t *testing.T) {
	for url, want := range map[string]string{
		"https://user:token@host/x.git": "https://user:…@host/x.git",
		"https://token@host/x":          "https://…@host/x",
		"ssh://git@host/x":              "ssh://git@host/x",
		"git@host:x/y":                  "git@host:x/y",
		"https://host/a@b":              "https://host/a@b",
		"/a/b":                          "/a/b",
	} {
		if got := git.Shown(url); got != want {
			t.Errorf("%s is shown as %s", url, got)
		}
	}
}

// TestBranchesThatMoveFirst plans a push whose call checks out or makes a
// branch before it pushes.
func TestBranchesThatMoveFirst(t *testing.T) {
	for name, c := range map[string]struct {
		first [][]string
		push  string
		want  string // states of the refs that changed, by name
	}{
		"commit":        {[][]string{{"commit", "-q", "--amend", "--allow-empty", "-m", "x"}}, "-f origin main", "heads/main"},
		"checkout":      {[][]string{{"checkout", "-q", "dev"}}, "-f origin HEAD", "heads/dev"},
		"checkout, -f":  {[][]string{{"checkout", "-q", "dev"}, {"config", "push.default", "current"}}, "-f", "heads/dev"},
		"new branch":    {[][]string{{"checkout", "-q", "-b", "brand"}}, "-f origin HEAD", "heads/brand"},
		"named branch":  {[][]string{{"branch", "brand"}}, "-f origin brand", "heads/brand"},
		"new tag":       {[][]string{{"tag", "v9"}}, "-f origin v9", "tags/v9"},
		"deleted":       {[][]string{{"branch", "-q", "-D", "dev"}}, "--prune origin refs/heads/*", "heads/dev heads/gone"},
		"upstream":      {[][]string{{"checkout", "-q", "-B", "gone", "main"}, {"branch", "-q", "-u", "origin/gone"}}, "-f", "heads/gone"},
		"detached main": {[][]string{{"checkout", "-q", "--detach", "dev"}}, "-f origin HEAD:main", "heads/main"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.setup()
			before := w.refs(w.path("remote.git"))
			call := w.call(strings.Fields(c.push)...)
			plan, err := w.door.PlanPush(t.Context(), call, git.PlanOptions{Moves: true})
			if err != nil {
				t.Fatal(err)
			}
			list, err := w.door.Capture(t.Context(), plan, w.store)
			if err != nil || len(list) != 1 {
				t.Fatalf("%d remotes, %v", len(list), err)
			}
			if err := w.door.Rehearse(t.Context(), list[0], &plan.Layout, w.store); err != nil {
				t.Error(err)
			}
			for _, args := range c.first {
				w.run("work", args...)
			}
			said := w.push(call)
			if w.refs(w.path("remote.git")) == before {
				t.Fatalf("the push did nothing: %s", said)
			}
			r := w.settle(plan, list[0])
			out, err := w.door.Fire(t.Context(), r, w.store)
			if err != nil {
				t.Fatal(err)
			}
			var fired []string
			for _, o := range out {
				if o.State == git.Fired {
					fired = append(fired, strings.TrimPrefix(o.Ref, "refs/"))
				} else if o.State != git.Already {
					t.Errorf("%+v", o)
				}
			}
			slices.Sort(fired)
			if got := strings.Join(fired, " "); got != c.want && name != "deleted" {
				t.Errorf("fired %s, want %s", got, c.want)
			}
			w.sameLost(r, before, w.refs(w.path("remote.git")))
		})
	}
}

// TestOtherShapes pushes from repositories that are not one directory.
func TestOtherShapes(t *testing.T) {
	for name, c := range map[string]func(w *world) classify.Push{
		"linked worktree": func(w *world) classify.Push {
			w.run("work", "worktree", "add", "-q", w.path("linked"), "dev")
			return classify.Push{Dir: w.path("linked"), Args: []string{"-f", "origin", "HEAD:main"}}
		},
		"relative URL in a linked worktree": func(w *world) classify.Push {
			w.run("work", "worktree", "add", "-q", w.path("linked"), "dev")
			return classify.Push{Dir: w.path("linked"), Args: []string{"-f", "../remote.git", "HEAD:main"}}
		},
		"git file": func(w *world) classify.Push {
			if err := os.Rename(w.path("work/.git"), w.path("elsewhere")); err != nil {
				w.t.Fatal(err)
			}
			w.write("work/.git", "gitdir: ../elsewhere\n")
			return w.call("-f", "origin", "main")
		},
		"git link": func(w *world) classify.Push {
			if err := os.Rename(w.path("work/.git"), w.path("elsewhere")); err != nil {
				w.t.Fatal(err)
			}
			if err := os.Symlink("../elsewhere", w.path("work/.git")); err != nil {
				w.t.Fatal(err)
			}
			return w.call("-f", "origin", "main")
		},
		"bare": func(w *world) classify.Push {
			w.run("", "clone", "-q", "--bare", "work", "bare.git")
			return classify.Push{Dir: w.path("bare.git/refs"), Args: []string{"-f", "../../remote.git", "main"}}
		},
		"git dir": func(w *world) classify.Push {
			return classify.Push{Dir: w.path("home"), GitDir: "../work/.git", Args: []string{"-f", "../remote.git", "main"}}
		},
		"packed refs": func(w *world) classify.Push {
			w.run("work", "pack-refs", "--all")
			w.run("remote.git", "pack-refs", "--all")
			return w.call("-f", "origin", "main")
		},
		"detached": func(w *world) classify.Push {
			w.run("work", "checkout", "-q", "--detach")
			return w.call("-f", "origin", "HEAD:main")
		},
		"through a link": func(w *world) classify.Push {
			if err := os.Symlink("work", w.path("alias")); err != nil {
				w.t.Fatal(err)
			}
			return classify.Push{Dir: w.path("alias"), Args: []string{"-f", "../remote.git", "main"}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.setup()
			call := c(w)
			before := w.refs(w.path("remote.git"))
			plan, r := w.arm(call)
			said := w.push(call)
			if w.refs(w.path("remote.git")) == before {
				t.Fatalf("the push did nothing: %s", said)
			}
			r = w.settle(plan, r)
			if got := w.outcome(r); got.State != git.Fired {
				t.Errorf("%+v", got)
			}
			if now := w.refs(w.path("remote.git")); now != before {
				t.Errorf("the remote has\n%s\nwant\n%s", now, before)
			}
		})
	}
}

// TestSHA256 does it all with the other object format.
func TestSHA256(t *testing.T) {
	w := newWorld(t)
	w.run("", "init", "-q", "--bare", "--object-format=sha256", "remote.git")
	w.run("", "init", "-q", "--object-format=sha256", "work")
	w.run("work", "remote", "add", "origin", w.path("remote.git"))
	w.commit("work", "one")
	w.commit("work", "two")
	w.run("work", "push", "-q", "origin", "main")
	w.run("work", "reset", "-q", "--hard", "HEAD~1")
	w.commit("work", "three")
	before := w.refs(w.path("remote.git"))
	for _, moves := range []bool{false, true} {
		plan, err := w.door.PlanPush(t.Context(), w.call("-f", "origin", "main"), git.PlanOptions{Moves: moves})
		if err != nil {
			t.Fatal(err)
		}
		list, err := w.door.Capture(t.Context(), plan, w.store)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.door.Rehearse(t.Context(), list[0], &plan.Layout, w.store); err != nil {
			t.Error(err)
		}
		w.push(w.call("-f", "origin", "main"))
		if got := w.outcome(w.settle(plan, list[0])); got.State != git.Fired {
			t.Errorf("%+v", got)
		}
		if now := w.refs(w.path("remote.git")); now != before {
			t.Errorf("the remote has %s", now)
		}
	}
}

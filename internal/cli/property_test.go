package cli

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/harness/claude"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
)

var (
	sequences = flag.Int("sequences", 320, "random sequences of calls to fire in reverse")
	firstSeed = flag.Uint64("seed", 1, "the first seed")
)

// TestFiringInReverseIsTheIdentity builds a random tree, lets real bash run up
// to three random destructive calls that the hook let go, and fires them in
// reverse: the tree must be what it was, times and link groups included.
func TestFiringInReverseIsTheIdentity(t *testing.T) {
	bash, err := proc.Look("bash", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED: no bash to run the calls with")
	}
	var calls, refused int
	for i := range *sequences {
		seed := *firstSeed + uint64(i)
		h := newHistory(t, bash, seed)
		h.run(1 + h.rng.IntN(3))
		calls, refused = calls+h.calls, refused+h.refused
	}
	t.Logf("%d calls ran, %d were refused", calls, refused)
	if refused*10 > calls {
		t.Errorf("%d of %d calls were refused: the generator tests too little", refused, calls+refused)
	}
}

// story is one random tree and what happens to it.
type story struct {
	t              *testing.T
	seed           uint64
	rng            *rand.Rand
	bash, dir      string
	env            Env
	calls, refused int
	prompt         string // the id of the prompt that calls belong to
	log            []string
}

func newHistory(t *testing.T, bash string, seed uint64) *story {
	t.Helper()
	h := newStory(t, bash, seed)
	h.grow(h.dir, 3)
	return h
}

// newStory begins with an empty tree.
func newStory(t *testing.T, bash string, seed uint64) *story {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &story{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 7)), bash: bash, dir: filepath.Join(base, "p")}
	vars := map[string]string{"HOME": filepath.Join(base, "home"), "XDG_STATE_HOME": filepath.Join(base, "state"), "PATH": os.Getenv("PATH")}
	h.env = Env{
		Stdout: &strings.Builder{}, Stderr: &strings.Builder{}, Dir: h.dir, Executable: "/opt/counterstep",
		Getenv: func(name string) string { return vars[name] }, Now: time.Now,
	}
	for _, d := range []string{h.dir, vars["HOME"]} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

var oddNames = []string{"a", "b", "c.txt", "d.log", "with space", "-dash", "quo'te", "new\nline", "ünï", "star*", "\xff\xfe", ".hidden", "x[1]", "$var", "back\\slash", "tab\there"}

// grow fills a directory with random things.
func (h *story) grow(dir string, depth int) {
	for range 2 + h.rng.IntN(5) {
		p := filepath.Join(dir, oddNames[h.rng.IntN(len(oddNames))])
		if _, err := os.Lstat(p); err == nil {
			continue
		}
		switch k := h.rng.IntN(10); {
		case k < 3 && depth > 0:
			h.must(os.Mkdir(p, 0o755))
			h.grow(p, depth-1)
		case k == 3:
			h.must(os.Symlink([]string{"a", "../b", "missing", "/etc/hostname"}[h.rng.IntN(4)], p))
		case k == 4:
			if f := h.pick(h.dir, 'f'); f != "" {
				h.must(os.Link(f, p))
			}
		default:
			h.must(os.WriteFile(p, fmt.Appendf(nil, "%d\n%s", h.rng.Uint64(), strings.Repeat("x", h.rng.IntN(3000))), 0o644))
			h.must(os.Chmod(p, []os.FileMode{0o644, 0o600, 0o755, 0o444}[h.rng.IntN(4)]))
		}
		if info, err := os.Lstat(p); err == nil && info.Mode()&os.ModeSymlink == 0 {
			at := time.Unix(1e9+int64(h.rng.IntN(5e8)), int64(h.rng.IntN(1e9)))
			h.must(os.Chtimes(p, at, at))
		}
	}
}

func (h *story) must(err error) {
	if err != nil {
		h.t.Helper()
		h.t.Fatalf("seed %d: %v\n%s", h.seed, err, strings.Join(h.log, "\n"))
	}
}

// pick returns a random path of a type below dir; 'a' is any.
func (h *story) pick(dir string, kind byte) string {
	var all []string
	filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || p == dir {
			return nil
		}
		switch {
		case kind == 'a', kind == 'd' && d.IsDir(), kind == 'f' && d.Type().IsRegular():
			all = append(all, p)
		}
		return nil
	})
	if len(all) == 0 {
		return ""
	}
	return all[h.rng.IntN(len(all))]
}

// command makes up a destructive call.
func (h *story) command() string {
	word := func(kind byte) string {
		p := h.pick(h.dir, kind)
		if p == "" {
			p = filepath.Join(h.dir, "nothing")
		}
		if rel, err := filepath.Rel(h.dir, p); err == nil && h.rng.IntN(2) == 0 {
			p = "./" + rel
		}
		return "'" + strings.ReplaceAll(p, "'", `'\''`) + "'"
	}
	f, g, d, a := word('f'), word('f'), word('d'), word('a')
	fresh := fmt.Sprintf("./fresh%d", h.rng.IntN(1000))
	list := []string{
		"rm -rf " + a, "rm -f " + f + " " + g, "rm -r -- " + d, "rm -rf " + d + "/*", "rm -rf ./*", "unlink " + f, "find " + d + " -delete",
		"find " + d + " -type f -exec rm {} +", "find . -name '*.txt' -print0 | xargs -0 rm -f", "rmdir " + d + " 2>/dev/null || true",
		"mv " + a + " " + fresh, "mv -f " + f + " " + g, "mv " + f + " " + d + "/", "mkdir " + fresh + " && mv ./* " + fresh + "/ 2>/dev/null || true",
		"cp " + f + " " + g + " || true", "cp -r " + d + " " + fresh, "cp -rf " + d + "/. " + fresh + " && rm -rf " + d,
		"echo new > " + f, "echo more >> " + f, ": > " + f, "echo x | tee " + f + " > /dev/null", "truncate -s 5 " + f, "printf abc | dd of=" + f + " 2>/dev/null",
		"cat > " + f + " <<'EOF'\nhello\nEOF", "sed -i s/1/2/ " + f, "chmod 700 " + a + " || true", "chmod -R u+x " + d, "ln -sf a " + f, "touch " + f, "touch -d 2011-01-01 " + a,
		"cd " + d + " && rm -rf ./* && echo done > here", "for f in " + d + "/*; do rm -rf \"$f\"; done", "rm -rf " + d + " && mkdir " + d + " && echo again > " + d + "/file",
		"(rm -f " + f + "; echo back > " + f + ")", "bash -c \"rm -rf -- \\\"\\$1\\\"\" _ " + d, "mkdir -p " + fresh + "/x/y && echo n > " + fresh + "/x/y/z", "install -m 600 " + f + " " + g + " || true",
	}
	return list[h.rng.IntN(len(list))]
}

// send hands one event to the hook, as the client would.
func (h *story) send(event, command string) harness.Output {
	payload, err := json.Marshal(map[string]any{
		"session_id": "s", "prompt_id": h.prompt, "cwd": h.dir, "hook_event_name": event, "tool_name": "Bash",
		"tool_input": map[string]any{"command": command}, "tool_use_id": fmt.Sprintf("t%d", h.calls), "tool_response": map[string]any{},
	})
	h.must(err)
	e := h.env
	e.Stdin = strings.NewReader(string(payload))
	return exchange(e, claude.Adapter{})
}

// look lists the tree with everything that must come back.
func (h *story) look() map[string]string {
	entries, err := workspace.Scan(context.Background(), h.dir)
	h.must(err)
	out := map[string]string{}
	group := map[int]int{0: 0}
	for _, e := range entries {
		if _, ok := group[e.Group]; !ok {
			group[e.Group] = len(group)
		}
		out[e.Path] = fmt.Sprintf("%c %o %d:%d mtime=%d size=%d %x group=%d -> %q %v", e.Type, e.Mode, e.UID, e.GID, e.MTime, e.Size, e.SHA[:4], group[e.Group], e.Target, e.Xattrs)
	}
	return out
}

// run lets n calls happen and fires those that were armed or created, the
// newest first, comparing after each.
func (h *story) run(n int) {
	var points []map[string]string
	for range n {
		command := h.command()
		if strings.Contains(command, "\xff") {
			continue // JSON cannot carry it
		}
		if h.rng.IntN(4) == 0 { // by a program that cannot be looked into
			script := filepath.Join(filepath.Dir(h.dir), "opaque")
			h.must(os.WriteFile(script, []byte("#!"+h.bash+"\n"+command+"\n"), 0o755))
			h.log = append(h.log, fmt.Sprintf("opaque: %q", command))
			command = "../opaque"
		}
		before := h.look()
		had := h.fireable()
		out := h.send("PreToolUse", command)
		h.log = append(h.log, fmt.Sprintf("call: %q → %d %s%s", command, out.Code, out.Stdout, out.Stderr))
		if out.Code != 0 {
			h.refused++
			continue
		}
		proc.Run(context.Background(), proc.Cmd{Path: h.bash, Args: []string{"-c", command}, Dir: h.dir, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.env.home()}})
		h.send("PostToolUse", command)
		h.calls++
		if now := h.fireable(); now == had {
			after := h.look()
			if strings.Contains(command, "opaque") { // when only the time of a directory changed, there is nothing to put back
				maps.DeleteFunc(after, func(p, s string) bool { return s[0] == 'd' && before[p] != "" })
				maps.DeleteFunc(before, func(p, s string) bool { return s[0] == 'd' && after[p] == "" })
			}
			if d := differ(before, after); d != "" {
				h.t.Fatalf("seed %d: nothing can be fired, but the call changed %s\n%s", h.seed, d, strings.Join(h.log, "\n"))
			}
			continue
		}
		points = append(points, before)
	}
	for i := len(points) - 1; i >= 0; i-- {
		h.fire()
		if d := differ(points[i], h.look()); d != "" {
			h.t.Fatalf("seed %d: fired, but not as before: %s\n%s", h.seed, d, strings.Join(h.log, "\n"))
		}
	}
}

func (h *story) engine() *fire.Engine {
	g := newGate(h.env)
	st, err := store.Open(g.Dir(g.Workspace(h.dir)))
	if err != nil {
		return nil
	}
	return &fire.Engine{Store: st, Now: time.Now, NewID: h.env.newID}
}

// fireable counts what can be fired.
func (h *story) fireable() int {
	e := h.engine()
	if e == nil {
		return 0
	}
	sagas, err := e.Sagas()
	h.must(err)
	n := 0
	for _, s := range sagas {
		if s.Armed.Undoes == "" && s.Fireable() {
			n++
		}
	}
	return n
}

func (h *story) fire() {
	e := h.engine()
	s, err := e.Last()
	h.must(err)
	r, err := e.Fire(context.Background(), s, fire.Options{})
	h.log = append(h.log, fmt.Sprintf("fire: %q → %s %+v", s.Armed.Command, r.Status, r.Lines))
	h.must(err)
	if r.Status != "fired" {
		h.t.Fatalf("seed %d: %s\n%s", h.seed, r.Status, strings.Join(h.log, "\n"))
	}
}

// differ names a difference of two listings; empty when there is none.
func differ(want, got map[string]string) string {
	for p, w := range want {
		if got[p] != w {
			return fmt.Sprintf("%q\nwant %s\ngot  %s", p, w, got[p])
		}
	}
	for p, g := range got {
		if _, ok := want[p]; !ok {
			return fmt.Sprintf("%q is new: %s", p, g)
		}
	}
	return ""
}

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/harness/claude"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/inverse"
)

// TestRewindingBringsPromptsBack lets an agent and a person act on a random tree
// over some prompts, rewinds to a random one, takes that back, and rewinds to
// another one, again and again. What only the agent has changed must be as it was,
// nothing that the person has written may be lost, and redo must be the identity.
func TestRewindingBringsPromptsBack(t *testing.T) {
	bash, err := proc.Look("bash", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED: no bash to run the calls with")
	}
	var c counts
	for i := range rewinds {
		s := &saga{story: newHistory(t, bash, *firstSeed+uint64(i)), counts: &c, touched: map[string]int{}, tokens: map[string]int{}}
		s.play()
	}
	t.Logf("%+v", c)
	if c.Checked < rewinds*10 || c.Kept == 0 || c.Skipped*10 > c.Rewinds {
		t.Errorf("the histories test too little: %+v", c)
	}
}

// counts say what the histories have tested.
type counts struct{ Calls, Person, Prompts, Rewinds, Checked, Kept, Skipped int }

// saga is one history with prompts.
type saga struct {
	*story
	counts *counts

	points []point
	acts   int
	both   bool // two calls ran at the same time
	// touched is when the person last changed a path, tokens when they wrote a
	// word that is nowhere else.
	touched, tokens map[string]int
}

// point is a prompt: the state before it, and what had been done by then.
type point struct {
	state map[string]string
	acts  int
}

func (s *saga) play() {
	for range 2 + s.rng.IntN(3) {
		s.ask()
		for range 1 + s.rng.IntN(3) {
			s.step()
		}
	}
	for range 2 {
		s.rewind(s.rng.IntN(len(s.points)), true)
	}
	s.rewind(s.rng.IntN(len(s.points)), false)
	if s.rng.IntN(2) == 0 { // and life goes on
		s.ask()
		s.step()
		s.step()
		s.rewind(s.rng.IntN(len(s.points)), false)
	}
}

// ask gives a prompt.
func (s *saga) ask() {
	s.prompt = fmt.Sprintf("prompt-%d", len(s.points)+1)
	payload, err := json.Marshal(map[string]any{
		"session_id": "s", "prompt_id": s.prompt, "cwd": s.dir, "hook_event_name": "UserPromptSubmit", "prompt": "do " + s.prompt,
	})
	s.must(err)
	e := s.env
	e.Stdin = strings.NewReader(string(payload))
	out := exchange(e, claude.Adapter{})
	s.log = append(s.log, fmt.Sprintf("prompt: %s → %s%s", s.prompt, out.Stdout, out.Stderr))
	s.points = append(s.points, point{s.look(), s.acts})
	s.counts.Prompts++
}

// step lets the agent do something, or the person, or two agents at once.
func (s *saga) step() {
	switch k := s.rng.IntN(10); {
	case k < 3:
		s.person()
	case k == 3:
		s.both = true
		s.parallel(s.call(), s.call())
	default:
		s.parallel(s.call())
	}
}

// call is a random command of the agent, some of them by a program that cannot be
// looked into.
func (s *saga) call() string {
	command := s.command()
	for strings.Contains(command, "\xff") {
		command = s.command() // JSON cannot carry it
	}
	if s.rng.IntN(3) > 0 {
		return command
	}
	script := filepath.Join(filepath.Dir(s.dir), fmt.Sprintf("opaque%d", s.rng.Uint64()))
	s.must(os.WriteFile(script, []byte("#!"+s.bash+"\n"+command+"\n"), 0o755))
	s.log = append(s.log, fmt.Sprintf("%s is %q", filepath.Base(script), command))
	return "../" + filepath.Base(script)
}

// parallel makes calls at the same time.
func (s *saga) parallel(commands ...string) {
	var let []string
	first := s.calls
	for _, c := range commands {
		out := s.send("PreToolUse", c)
		s.log = append(s.log, fmt.Sprintf("call: %q → %d %s%s", c, out.Code, out.Stdout, out.Stderr))
		if out.Code == 0 {
			let = append(let, c)
			s.calls++
			s.counts.Calls++
		}
	}
	for _, c := range let {
		proc.Run(context.Background(), proc.Cmd{Path: s.bash, Args: []string{"-c", c}, Dir: s.dir, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.env.home()}})
	}
	s.calls = first
	for _, c := range let {
		s.send("PostToolUse", c)
		s.calls++
	}
}

// person edits, makes or removes a file.
func (s *saga) person() {
	s.acts++
	s.counts.Person++
	token := fmt.Sprintf("person%d-%d", s.seed, s.acts)
	f := s.pick(s.dir, 'f')
	k := s.rng.IntN(6)
	if f == "" || k == 0 {
		f = filepath.Join(s.dir, "mine-"+token)
		if d := s.pick(s.dir, 'd'); d != "" && s.rng.IntN(2) == 0 {
			f = filepath.Join(d, "mine-"+token)
		}
	}
	s.touch(f)
	if k == 5 {
		s.log = append(s.log, fmt.Sprintf("person: removes %q", f))
		s.must(os.RemoveAll(f))
		return
	}
	s.log = append(s.log, fmt.Sprintf("person: writes %s into %q", token, f))
	data, err := os.ReadFile(f)
	if err != nil {
		data = nil
	}
	data = append(data, "\n"+token+"\n"...)
	os.Chmod(f, 0o644)
	s.must(os.WriteFile(f, data, 0o644))
	s.tokens[token] = s.acts
}

// touch notes that the person changes a path, by all of its names.
func (s *saga) touch(f string) {
	s.touched[f] = s.acts
	info, err := os.Lstat(f)
	if err != nil {
		return
	}
	filepath.WalkDir(s.dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if other, err := d.Info(); err == nil && os.SameFile(info, other) {
				s.touched[p] = s.acts
			}
		}
		return nil
	})
}

// rewind goes to a prompt and checks what must hold then.
func (s *saga) rewind(k int, back bool) {
	e := s.engine()
	to, err := e.Prompt(fmt.Sprint(k + 1))
	s.must(err)
	before := s.look()
	held := s.present()
	o := fire.RewindOptions{Root: s.dir}
	o.DryRun = true
	would, err := e.Rewind(context.Background(), to, o)
	s.must(err)
	o.DryRun = false
	r, err := e.Rewind(context.Background(), to, o)
	s.log = append(s.log, fmt.Sprintf("rewind to %d → %s restored=%q removed=%q merged=%v kept=%v skipped=%v", k+1, r.Status, r.Restored, r.Removed, r.Merged, r.Kept, r.Skipped))
	s.must(err)
	s.counts.Rewinds++
	s.counts.Kept += len(r.Kept) + len(r.Merged)
	if len(r.Skipped) > 0 {
		s.counts.Skipped++
	}
	s.same(would, r)
	s.check(k, r, held)
	if !back || r.Redo == "" {
		return
	}
	redone, err := e.Redo(context.Background(), fire.Options{Shared: true})
	s.log = append(s.log, fmt.Sprintf("redo → %s %+v", redone.Status, redone.Lines))
	s.must(err)
	if d := differ(before, s.look()); d != "" {
		s.t.Fatalf("seed %d: rewound to %d and redone, but not as before: %s\n%s", s.seed, k+1, d, strings.Join(s.log, "\n"))
	}
}

// same compares what a dry run says with what is done.
func (s *saga) same(would, did fire.Rewound) {
	kept := func(r fire.Rewound) (out []string) {
		for _, k := range slices.Concat(r.Kept, r.Merged) {
			out = append(out, string(k.Path))
		}
		slices.Sort(out)
		return out
	}
	if !slices.Equal(would.Restored, did.Restored) || !slices.Equal(would.Removed, did.Removed) || !slices.Equal(kept(would), kept(did)) || len(would.Skipped) != len(did.Skipped) {
		s.t.Fatalf("seed %d: a dry run says\n%+v\nand this was done\n%+v\n%s", s.seed, would, did, strings.Join(s.log, "\n"))
	}
}

// present are the tokens of the person that some file of the tree holds.
func (s *saga) present() map[string][]string {
	out := map[string][]string{}
	filepath.WalkDir(s.dir, func(p string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(p)
		s.must(err)
		for line := range strings.Lines(string(data)) {
			if t := strings.TrimSpace(line); s.tokens[t] > 0 {
				out[t] = append(out[t], p)
			}
		}
		return nil
	})
	return out
}

// check demands the state before a prompt of all that only the agent has changed
// since, and everything that the person has written and that was there.
func (s *saga) check(k int, r fire.Rewound, held map[string][]string) {
	after, now := s.look(), s.present()
	for token, p := range held {
		if len(now[token]) == 0 && s.tokens[token] > s.points[k].acts {
			s.t.Fatalf("seed %d: rewound to %d, and %s of the person is lost; it was in %q\n%s", s.seed, k+1, token, p, strings.Join(s.log, "\n"))
		}
	}
	mine := map[string]bool{} // files that the person has a part in
	for token, paths := range now {
		for _, p := range paths {
			mine[p] = mine[p] || s.tokens[token] > s.points[k].acts
		}
	}
	for _, x := range r.Skipped {
		mine[string(x.Path)] = true
	}
	if s.both { // of what both had in their hands, it may not be known whose it is
		for _, x := range r.Kept {
			mine[string(x.Path)] = true
		}
	}
	want := s.points[k].state
	for p := range merged(want, after) {
		if s.others(p, s.points[k].acts) || mine[p] || strings.Contains(p, ".counterstep-") {
			continue
		}
		s.counts.Checked++
		if w, g := plain(want[p]), plain(after[p]); w != g {
			s.t.Fatalf("seed %d: rewound to %d, but %q is not as it was\nwant %s\ngot  %s\n%s", s.seed, k+1, p, w, g, strings.Join(s.log, "\n"))
		}
	}
}

// others reports whether the person has changed a path since, or something below
// or around it.
func (s *saga) others(p string, since int) bool {
	for q, at := range s.touched {
		if at > since && (inverse.Within(q, p) || inverse.Within(p, q)) {
			return true
		}
	}
	return false
}

func merged(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// plain is what a listing says of a path, without its link group, which is
// numbered by what else there is, and without the time of a directory, in which
// the person may have made something.
func plain(line string) string {
	if line == "" {
		return "nothing"
	}
	fields := strings.Fields(line)
	return strings.Join(slices.DeleteFunc(fields, func(f string) bool {
		return strings.HasPrefix(f, "group=") || line[0] == 'd' && (strings.HasPrefix(f, "mtime=") || strings.HasPrefix(f, "size="))
	}), " ")
}

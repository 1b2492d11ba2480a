package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/harness/claude"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

var mixed = flag.Int("mixed", 12, "random mixtures of an agent's calls and a person's edits")

// TestAPersonInBetween mixes calls of an agent that go through the hooks, known,
// unknown and in the background, with edits of a person that do not, and fires
// random calls. What a call alone changed, and nobody since, is as before it.
// Whatever the person wrote is on the disk or in the store, whoever fired what.
func TestAPersonInBetween(t *testing.T) {
	bash, err := proc.Look("bash", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED: no bash to run the calls with")
	}
	fired, back := 0, 0
	for i := range *mixed {
		m := newMixture(t, bash, *firstSeed+uint64(i))
		for range 8 + m.rng.IntN(8) {
			m.step()
		}
		m.settle()
		for range 4 {
			m.fire()
		}
		fired, back = fired+m.fired, back+m.back
	}
	t.Logf("%d calls fired, %d paths were as before", fired, back)
	if fired < *mixed || back < *mixed {
		t.Errorf("%d fired, %d paths put back: the mixture tests too little", fired, back)
	}
}

// mixture is one project with an agent and a person in it.
type mixture struct {
	*testing.T
	p           *person
	seed        uint64
	rng         *rand.Rand
	bash        string
	log         []string
	calls       []*made
	open        *made
	wrote       map[string]string // tokens of the person, and where each was written
	n           int
	fired, back int
}

// made is a call and what it alone changed.
type made struct {
	id         string
	background bool
	pre, post  map[string]string // of the paths that the call changed
	disturbed  map[string]bool   // paths that somebody else changed before it was settled
	fired      bool
}

func newMixture(t *testing.T, bash string, seed uint64) *mixture {
	t.Helper()
	m := &mixture{T: t, p: newPerson(t), seed: seed, rng: rand.New(rand.NewPCG(seed, 11)), bash: bash, wrote: map[string]string{}}
	for _, name := range []string{"a", "b", "c/d", "c/e", "c/f/g", ".env", "h"} {
		m.put(name, fmt.Sprintf("old %s %d\n", name, seed))
	}
	return m
}

func (m *mixture) fail(format string, args ...any) {
	m.Helper()
	m.Fatalf("seed %d: %s\n%s", m.seed, fmt.Sprintf(format, args...), strings.Join(m.log, "\n"))
}

func (m *mixture) put(name, text string) {
	m.Helper()
	path := filepath.Join(m.p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.fail("%v", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		m.fail("%v", err)
	}
}

// files are the contents of all files, by name.
func (m *mixture) files() map[string]string {
	m.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(m.p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(m.p.dir, path)
		out[rel] = string(data)
		return err
	})
	if err != nil {
		m.fail("%v", err)
	}
	return out
}

func (m *mixture) pick() string {
	var names []string
	for name := range m.files() {
		names = append(names, name)
	}
	if len(names) == 0 {
		m.put("again", "again\n")
		return "again"
	}
	slices.Sort(names)
	return names[m.rng.IntN(len(names))]
}

func (m *mixture) step() {
	switch k := m.rng.IntN(10); {
	case k < 3:
		m.edit()
	case k == 3 && m.open != nil:
		m.settle()
	default:
		m.call()
	}
}

// edit is what a person does, with no hook.
func (m *mixture) edit() {
	m.n++
	name, token := m.pick(), fmt.Sprintf("person-%d-%d", m.seed, m.n)
	if m.rng.IntN(3) == 0 {
		name = fmt.Sprintf("mine%d", m.n)
	}
	now := m.files()
	for t := range m.wrote {
		if strings.Contains(now[name], t) {
			delete(m.wrote, t) // the person's own doing
		}
	}
	m.put(name, token+"\n")
	m.wrote[token] = name
	m.log = append(m.log, "person: "+name+" "+token)
	if m.open != nil {
		m.open.disturbed[name] = true
	}
}

// command is a random destructive one.
func (m *mixture) command() string {
	f, g := m.pick(), m.pick()
	m.n++
	list := []string{
		"rm -f '" + f + "'", "echo agent" + fmt.Sprint(m.n) + " > '" + f + "'", "mv '" + f + "' fresh" + fmt.Sprint(m.n), "cp '" + f + "' '" + g + "' || true",
		"echo more >> '" + f + "'", "rm -rf c", "mkdir -p n" + fmt.Sprint(m.n) + " && echo x > n" + fmt.Sprint(m.n) + "/made", "sed -i s/old/new/ '" + f + "'",
	}
	return list[m.rng.IntN(len(list))]
}

func (m *mixture) call() {
	c := &made{id: fmt.Sprintf("t%d", len(m.calls)), disturbed: map[string]bool{}}
	command := m.command()
	if k := m.rng.IntN(3); k > 0 {
		script := filepath.Join(filepath.Dir(m.p.dir), "opaque"+c.id)
		if err := os.WriteFile(script, []byte("#!"+m.bash+"\n"+command+"\n"), 0o755); err != nil {
			m.fail("%v", err)
		}
		m.log = append(m.log, "opaque: "+command)
		command = script
		c.background = k == 2 && m.open == nil && m.rng.IntN(2) == 0
	}
	before := m.files()
	m.log = append(m.log, fmt.Sprintf("call %s: %s (background %v)", c.id, command, c.background))
	if out := m.send("PreToolUse", c, command); out != 0 {
		m.log = append(m.log, "refused")
		return
	}
	proc.Run(context.Background(), proc.Cmd{Path: m.bash, Args: []string{"-c", command}, Dir: m.p.dir, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.p.env.home()}})
	c.pre, c.post = changes(before, m.files())
	if m.open != nil {
		for name := range union(c.pre, c.post) {
			m.open.disturbed[name] = true
		}
	}
	m.send("PostToolUse", c, command)
	m.calls = append(m.calls, c)
	if c.background {
		m.open = c
	}
}

// settle lets the background call be over.
func (m *mixture) settle() {
	if m.open == nil {
		return
	}
	m.log = append(m.log, "over: "+m.open.id)
	m.event(map[string]any{
		"hook_event_name": "UserPromptSubmit",
		"prompt":          "<task-notification><tool-use-id>" + m.open.id + "</tool-use-id><status>completed</status></task-notification>",
	})
	m.open = nil
}

func (m *mixture) send(event string, c *made, command string) int {
	result := map[string]any{}
	if c.background {
		result["backgroundTaskId"] = "b" + c.id
	}
	return m.event(map[string]any{
		"hook_event_name": event, "tool_name": "Bash", "tool_use_id": c.id, "tool_response": result,
		"tool_input": map[string]any{"command": command, "run_in_background": c.background},
	})
}

func (m *mixture) event(fields map[string]any) int {
	m.Helper()
	fields["session_id"], fields["cwd"] = "s", m.p.dir
	payload, err := json.Marshal(fields)
	if err != nil {
		m.fail("%v", err)
	}
	e := m.p.env
	e.Stdin = strings.NewReader(string(payload))
	out := exchange(e, claude.Adapter{})
	if strings.Contains(string(out.Stderr), "settle:") {
		m.fail("%s", out.Stderr)
	}
	return out.Code
}

// fire takes a random call back.
func (m *mixture) fire() {
	if len(m.calls) == 0 {
		return
	}
	g := newGate(m.p.env)
	st, err := store.Open(g.Dir(g.Workspace(m.p.dir)))
	if err != nil {
		m.fail("%v", err)
	}
	engine := &fire.Engine{Store: st, Now: m.p.env.Now, NewID: m.p.env.newID}
	c := m.calls[m.rng.IntN(len(m.calls))]
	sagas, err := engine.Sagas()
	if err != nil {
		m.fail("%v", err)
	}
	i := slices.IndexFunc(sagas, func(s ledger.Saga) bool { return s.Armed.Call == c.id && s.Fireable() && s.Armed.Undoes == "" })
	if i < 0 || c.fired {
		return
	}
	before := m.files()
	gone := false // a directory of its paths went with a later call
	for name := range union(c.pre, c.post) {
		_, err := os.Lstat(filepath.Dir(filepath.Join(m.p.dir, name)))
		gone = gone || err != nil
	}
	r, err := engine.Fire(context.Background(), sagas[i], fire.Options{Shared: true})
	m.log = append(m.log, fmt.Sprintf("fire %s: %s %v %+v", c.id, r.Status, err, r.Lines))
	m.kept()
	if err != nil {
		return
	}
	c.fired = true
	m.fired++
	now := m.files()
	for name := range union(c.pre, c.post) {
		if gone || c.disturbed[name] || before[name] != c.post[name] || has(before, name) != has(c.post, name) {
			continue // somebody changed it since
		}
		if now[name] != c.pre[name] || has(now, name) != has(c.pre, name) {
			m.fail("%s of %s: %q, want %q", name, c.id, now[name], c.pre[name])
		}
		m.back++
	}
}

// kept fails unless everything that the person wrote is somewhere.
func (m *mixture) kept() {
	m.Helper()
	var all bytes.Buffer
	for _, text := range m.files() {
		all.WriteString(text)
	}
	missing := false
	for token := range m.wrote {
		missing = missing || !bytes.Contains(all.Bytes(), []byte(token+"\n"))
	}
	if !missing {
		return
	}
	err := filepath.WalkDir(m.p.env.stateHome(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var data []byte
			data, err = os.ReadFile(path)
			all.Write(data)
		}
		return err
	})
	if err != nil {
		m.fail("%v", err)
	}
	for token, name := range m.wrote {
		if !bytes.Contains(all.Bytes(), []byte(token+"\n")) {
			m.fail("what the person wrote to %s is nowhere: %s", name, token)
		}
	}
}

// changes are the paths that differ, as they were and as they are.
func changes(before, after map[string]string) (pre, post map[string]string) {
	pre, post = map[string]string{}, map[string]string{}
	for name := range union(before, after) {
		if before[name] == after[name] && has(before, name) == has(after, name) {
			continue
		}
		if has(before, name) {
			pre[name] = before[name]
		}
		if has(after, name) {
			post[name] = after[name]
		}
	}
	return pre, post
}

func union(a, b map[string]string) map[string]bool {
	out := map[string]bool{}
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

func has(m map[string]string, k string) bool { _, ok := m[k]; return ok }

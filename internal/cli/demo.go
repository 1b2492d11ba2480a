package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/harness/all"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
)

func newDemo(env Env) *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use: "demo", Short: "Play the whole story in a temporary directory",
		Long: `Plays an agent that wipes a directory and overwrites a file, with real commands
in a temporary directory: each call is armed, runs, and is taken back; the tree
is compared byte for byte. Of six changes to one file it takes the second one out.
It force-pushes to a bare remote, and that comes back
too. Then a call that has no undo is refused. Your files
and your store are not touched. Ends with an error when any check fails.`,
		Args: exactly(0, "no arguments"),
	}
	c.Flags().BoolVar(&keep, "keep", false, "leave the directory for a look")
	c.RunE = func(*cobra.Command, []string) error {
		d, err := newStage(env, c.Context())
		if err != nil {
			return err
		}
		err = d.play()
		if keep {
			fmt.Fprintf(env.Stdout, "\nkept: cd %s && XDG_STATE_HOME=%s counterstep ledger\n", d.project, d.state)
			return err
		}
		return joinFirst(err, durable.RemoveAll(d.dir))
	}
	return c
}

func joinFirst(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// stage is the temporary directory in which the demo plays.
type stage struct {
	env                 Env
	ctx                 context.Context
	dir, project, state string
	calls               int
}

func newStage(env Env, ctx context.Context) (*stage, error) {
	dir, err := os.MkdirTemp("", "counterstep-demo-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the demo: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	d := &stage{env: env, ctx: ctx, dir: dir, project: filepath.Join(dir, "project"), state: filepath.Join(dir, "state")}
	inside := func(name string) string {
		switch name {
		case "HOME":
			return filepath.Join(dir, "home")
		case "XDG_STATE_HOME":
			return d.state
		case "XDG_CONFIG_HOME", "CLAUDE_PROJECT_DIR":
			return ""
		}
		return env.Getenv(name)
	}
	d.env.Getenv, d.env.Dir = inside, d.project
	files := map[string]string{
		"src/legacy/a.go": "package legacy\n", "src/legacy/b.go": "package legacy // the only copy\n",
		"src/legacy/data.bin": "\x00\x01\x02\xff", "config.yml": "port: 8080\n# tuned by hand\nworkers: 12\n", ".env": "TOKEN=keep-me\n",
	}
	for name, text := range files {
		p := filepath.Join(d.project, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	for _, dir := range []string{"src/legacy/empty", "../home"} {
		if err := os.MkdirAll(filepath.Join(d.project, dir), 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.Chmod(filepath.Join(d.project, "src/legacy/b.go"), 0o755); err != nil {
		return nil, err
	}
	return d, os.Symlink("a.go", filepath.Join(d.project, "src/legacy/link"))
}

// play is the story.
func (d *stage) play() error {
	d.say("A project with untracked files, an empty directory, a link and an executable.\nAn agent works in it; counterstep sits in its tool-call path.")
	for _, a := range []struct{ title, command string }{
		{"The agent wipes a directory that was never committed.", "rm -rf src/legacy"},
		{"The agent overwrites a file, by the shell.", "cat > config.yml <<'EOF'\nport: 80\nEOF"},
		{"The agent moves things about and removes what it thinks is left.", "mkdir -p old && mv src/legacy/*.go old/ && rm -rf src .env"},
	} {
		if err := d.act(a.title, a.command, "tree", d.look); err != nil {
			return err
		}
	}
	if err := d.middle(); err != nil {
		return err
	}
	if err := d.push(); err != nil {
		return err
	}
	if err := d.refused("The agent sends something away. That cannot be taken back.", "curl -X DELETE https://api.example.com/v1/projects/42"); err != nil {
		return err
	}
	d.say("\nAll checks passed: every call that ran was taken back, byte for byte.")
	return nil
}

// push is the act that no local snapshot can take back.
func (d *stage) push() error {
	for _, c := range []string{
		"git init -q -b main . && git init -q --bare ../remote.git && git remote add origin ../remote.git",
		"git add -A && git commit -qm 'weeks of work' && git push -q origin main && git commit -q --amend -m 'oops'",
	} {
		if err := d.run(c); err != nil {
			return err
		}
	}
	return d.act("The agent rewrites a branch on the server.", "git push --force origin main", "remote", d.remote)
}

// remote is what the server has.
func (d *stage) remote() (string, error) {
	out, err := d.output("git ls-remote ../remote.git refs/heads/main")
	if err != nil || len(out) < 12 {
		return "", fmt.Errorf("read the remote: %w", err)
	}
	return out[:12], nil
}

// act lets one destructive call be armed and run, and takes it back. look
// tells the state that must come back.
func (d *stage) act(title, command, what string, look func() (string, error)) error {
	d.say("\n── " + title)
	before, err := look()
	if err != nil {
		return err
	}
	out, err := d.hook("PreToolUse", command)
	if err != nil {
		return err
	}
	d.say("  agent    $ " + strings.ReplaceAll(command, "\n", "\n             "))
	if out.Code != 0 {
		return fmt.Errorf("the call was blocked: %s", out.Stderr)
	}
	var said struct{ SystemMessage string }
	if json.Unmarshal(out.Stdout, &said) == nil && said.SystemMessage != "" {
		d.say("  hook       " + said.SystemMessage)
	}
	if err := d.run(command); err != nil {
		return err
	}
	if _, err := d.hook("PostToolUse", command); err != nil {
		return err
	}
	after, err := look()
	if err != nil {
		return err
	}
	if after == before {
		return fmt.Errorf("%q changed nothing", command)
	}
	d.say(fmt.Sprintf("  %-10s %s → %s", what, before, after))
	r, err := d.fire()
	if err != nil {
		return err
	}
	now, err := look()
	if err != nil {
		return err
	}
	if now != before || r.Status != "fired" {
		return fmt.Errorf("after firing the %s is %s, not %s (%s)", what, now, before, r.Status)
	}
	d.say(fmt.Sprintf("  you      $ counterstep fire --last\n             %s, %s %s, as before", r.Status, what, now))
	return nil
}

// refused plays a call that must not run.
func (d *stage) refused(title, command string) error {
	d.say("\n── " + title + "\n  agent    $ " + command)
	out, err := d.hook("PreToolUse", command)
	if err != nil {
		return err
	}
	if out.Code != 2 || len(out.Stderr) == 0 {
		return fmt.Errorf("%q was not refused", command)
	}
	d.say("  refused    " + strings.ReplaceAll(strings.TrimSpace(string(out.Stderr)), "\n", "\n             "))
	return nil
}

func (d *stage) say(text string) { fmt.Fprintln(d.env.Stdout, hint.CleanText(text)) }

// hook sends one event through the adapter, as the agent would.
func (d *stage) hook(event, command string) (harness.Output, error) {
	if event == "PreToolUse" {
		d.calls++
	}
	payload, err := json.Marshal(map[string]any{
		"session_id": "demo", "cwd": d.project, "prompt_id": "demo-1", "permission_mode": "bypassPermissions",
		"hook_event_name": event, "tool_name": "Bash", "tool_input": map[string]any{"command": command},
		"tool_use_id": fmt.Sprintf("toolu_demo%d", d.calls), "tool_response": map[string]any{"stdout": "", "stderr": ""},
	})
	if err != nil {
		return harness.Output{}, err
	}
	adapter, err := all.Find("claude")
	if err != nil {
		return harness.Output{}, err
	}
	e := d.env
	e.Stdin = strings.NewReader(string(payload))
	return exchange(e, adapter), nil
}

// run runs a command of the agent by a real shell.
func (d *stage) run(command string) error {
	_, err := d.output(command)
	return err
}

// output is run, with what the command prints.
func (d *stage) output(command string) (string, error) {
	sh, err := proc.Look("bash", d.env.Getenv("PATH"))
	if err != nil {
		if sh, err = proc.Look("sh", d.env.Getenv("PATH")); err != nil {
			return "", hint.New("install bash, then: counterstep demo", "the demo needs a shell: %w", err)
		}
	}
	res, err := proc.Run(d.ctx, proc.Cmd{Path: sh, Args: []string{"-c", command}, Dir: d.project, Env: []string{
		"PATH=" + d.env.Getenv("PATH"), "HOME=" + filepath.Join(d.dir, "home"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=demo", "GIT_AUTHOR_EMAIL=demo@example.com", "GIT_COMMITTER_NAME=demo", "GIT_COMMITTER_EMAIL=demo@example.com",
	}})
	if err != nil {
		return "", fmt.Errorf("run %q: %w", command, err)
	}
	if res.Code != 0 {
		return "", fmt.Errorf("run %q: exit %d: %s", command, res.Code, res.Stderr)
	}
	return string(res.Stdout), nil
}

// fire takes the newest call back.
func (d *stage) fire() (fire.Result, error) {
	g := newGate(d.env)
	st, err := store.Open(g.Dir(g.Workspace(d.project)))
	if err != nil {
		return fire.Result{}, err
	}
	e := &fire.Engine{Store: st, Now: d.env.Now, NewID: d.env.newID, Git: g.Git}
	s, err := e.Last()
	if err != nil {
		return fire.Result{}, err
	}
	return e.Fire(d.ctx, s, fire.Options{Confirm: func(ws []fire.Warning) error {
		for _, w := range ws {
			d.say("  fire asks  " + w.String() + ". Change the remote? y")
		}
		return nil
	}})
}

// look is the fingerprint of the project, times of files included.
func (d *stage) look() (string, error) {
	entries, err := workspace.Scan(d.ctx, d.project)
	if err != nil {
		return "", err
	}
	var times []byte
	for _, e := range entries {
		times = fmt.Appendf(times, "%s %d\n", e.Path, e.MTime)
	}
	return fingerprint.Hex(fingerprint.Sum(entries) ^ fingerprint.ContentOf(times)), nil
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/counterstep/counterstep/internal/workspace"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"counterstep": main})
}

// TestScripts plays the stories in testdata/script with the real binary, real
// git and a real shell. Its README lists the commands that they add.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup:               setup,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"pre":   pre,
			"post":  post,
			"agent": agent,
			"tree":  tree,

			"event":      event,
			"prompt":     prompt,
			"stdin-hook": stdinHook,
		},
	})
}

// condition knows 'apart': this host allows namespaces to the user.
func condition(name string) (bool, error) {
	if name != "apart" {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	return exec.Command("unshare", "-Urmpn", "--fork", "true").Run() == nil, nil
}

// setup gives every story a home, a state directory, and a project to be in.
func setup(env *testscript.Env) error {
	work, err := filepath.EvalSymlinks(env.WorkDir)
	if err != nil {
		return err
	}
	for name, dir := range map[string]string{"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config", "P": "p"} {
		env.Setenv(name, filepath.Join(work, dir))
		if err := os.MkdirAll(filepath.Join(work, dir), 0o700); err != nil {
			return err
		}
	}
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("TZ", "UTC")
	env.Cd = filepath.Join(work, "p")
	return nil
}

// payload writes the event that Claude Code sends for a call.
func payload(ts *testscript.TestScript, event string, args []string) string {
	if len(args) != 2 {
		ts.Fatalf("usage: %s TOOL COMMAND-OR-PATH", event)
	}
	input := map[string]any{}
	switch args[0] {
	case "Bash", "PowerShell":
		input["command"] = args[1]
	case "NotebookEdit":
		input["notebook_path"] = ts.MkAbs(args[1])
	default:
		input["file_path"] = ts.MkAbs(args[1])
	}
	if why := ts.Getenv("WHY"); why != "" {
		input["description"] = why
	}
	data, err := json.Marshal(map[string]any{
		"session_id": or(ts.Getenv("SESSION"), "s1"), "prompt_id": or(ts.Getenv("PROMPT"), "p1"),
		"cwd": ts.MkAbs("."), "hook_event_name": event, "transcript_path": ts.Getenv("TRANSCRIPT"),
		"tool_name": args[0], "tool_input": input, "tool_response": map[string]any{},
		"tool_use_id": fmt.Sprintf("toolu_%x", args[1]),
	})
	ts.Check(err)
	name := ts.MkAbs("../event.json")
	ts.Check(os.WriteFile(name, data, 0o600))
	return name
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// pre sends the event before a call; negated, the call must be blocked.
func pre(ts *testscript.TestScript, neg bool, args []string) {
	hook(ts, neg, payload(ts, "PreToolUse", args))
}

// post sends the event after a call.
func post(ts *testscript.TestScript, neg bool, args []string) {
	hook(ts, neg, payload(ts, "PostToolUse", args))
}

// event sends the event in a file, in which variables stand for their values.
func event(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: event FILE")
	}
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	file := ts.MkAbs("../event.json")
	ts.Check(os.WriteFile(file, []byte(text), 0o600))
	hook(ts, neg, file)
}

func hook(ts *testscript.TestScript, neg bool, file string) {
	err := ts.Exec("sh", "-c", "exec counterstep hook <"+file)
	if (err != nil) != neg {
		ts.Fatalf("hook: blocked = %v, want %v", err != nil, neg)
	}
}

// prompt does what a person's prompt does: prompt ID TEXT sends the event of a
// prompt, and the calls that follow belong to it.
func prompt(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: prompt ID TEXT")
	}
	ts.Setenv("PROMPT", args[0])
	data, err := json.Marshal(map[string]any{
		"session_id": or(ts.Getenv("SESSION"), "s1"), "prompt_id": args[0], "cwd": ts.MkAbs("."),
		"transcript_path": ts.Getenv("TRANSCRIPT"), "hook_event_name": "UserPromptSubmit", "prompt": args[1],
	})
	ts.Check(err)
	name := ts.MkAbs("../event.json")
	ts.Check(os.WriteFile(name, data, 0o600))
	hook(ts, false, name)
}

// agent does what an agent's shell call does: the event before, the command by
// bash, the event after.
func agent(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: agent COMMAND or agent @FILE")
	}
	if file, ok := strings.CutPrefix(args[0], "@"); ok {
		args = []string{ts.ReadFile(file)}
	}
	call := []string{"Bash", args[0]}
	pre(ts, neg, call)
	if neg {
		return
	}
	said := ts.ReadFile("stdout")
	if err := ts.Exec("bash", "-c", args[0]); err != nil {
		ts.Fatalf("the call itself: %v", err)
	}
	post(ts, false, call)
	ts.Check(os.WriteFile(ts.MkAbs("../said"), []byte(said), 0o600))
}

// tree prints a directory in order: type, mode, time, size and hash, links.
// tree DIR FILE writes it to FILE; names in it are relative.
func tree(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: tree DIR FILE")
	}
	dir, err := filepath.EvalSymlinks(ts.MkAbs(args[0]))
	ts.Check(err)
	entries, err := workspace.Scan(context.Background(), dir)
	ts.Check(err)
	var lines []string
	group := map[int]int{0: 0}
	for _, e := range entries {
		if _, ok := group[e.Group]; !ok {
			group[e.Group] = len(group)
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(e.Path, dir), "/")
		lines = append(lines, fmt.Sprintf("%c %04o %d %d %016x %d:%d g%d %q %q", e.Type, e.Mode, e.MTime, e.Size, e.XXH, e.UID, e.GID, group[e.Group], e.Target, rel))
	}
	sort.Strings(lines)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
}

// stdinHook sends bad input of a kind to the hook, which must block.
func stdinHook(ts *testscript.TestScript, neg bool, args []string) {
	ok := func(command string) string {
		data, err := json.Marshal(map[string]any{"cwd": ts.MkAbs("."), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": command}})
		ts.Check(err)
		return string(data)
	}
	good := ok("rm -rf x")
	inputs := map[string]string{
		"garbage": "hello", "truncated": good[:len(good)/2], "empty": "", "badutf8": strings.Replace(good, "rm", "r\xff", 1),
		"duplicate":  strings.Replace(good, `"tool_input":`, `"tool_input":{"command":"ls"},"tool_input":`, 1),
		"casefold":   strings.Replace(good, `"command"`, `"COMMAND"`, 1),
		"large":      ok(strings.Repeat("x", 2<<20)),
		"deep":       `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}",
		"nulcommand": ok("echo a\x00; rm x"), "parens": ok(strings.Repeat("(", 300<<10)),
		"nocwd": `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm x"}}`,
	}
	text, found := inputs[args[0]]
	if !found {
		ts.Fatalf("no bad input %q", args[0])
	}
	file := ts.MkAbs("../event.json")
	ts.Check(os.WriteFile(file, []byte(text), 0o600))
	hook(ts, neg, file)
}

// Package claude is the adapter for Claude Code.
//
// The forms it reads and writes were observed with Claude Code 2.1.332; the
// recorded payloads are in testdata.
package claude

import (
	"fmt"
	"strings"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/harness"
)

// Adapter speaks Claude Code's hook protocol. The zero value is ready.
type Adapter struct{}

var _ harness.Adapter = Adapter{}

// skillShell is the event of shell text that a skill runs by itself. It is
// decoded as a Before event with this name as its Source.
const skillShell = "PreSkillShellCommand"

// taskNotice starts the prompts that Claude Code makes itself when background
// work ends.
const taskNotice = "<task-notification>"

// Name is "claude".
func (Adapter) Name() string { return "claude" }

// Decode reads one payload. Fields that it does not know are ignored. A call
// whose tool input lacks what its tool needs is an error; so is a call without
// an absolute directory.
func (a Adapter) Decode(payload []byte) (gate.Request, error) {
	r := gate.Request{Harness: a.Name()}
	if name, ok := harness.Peek(payload, "hook_event_name"); ok {
		r.Event = event(name)
	}
	refusable := r.Event == "" || r.Event.CanRefuse()
	parse, limit := harness.ParseReport, harness.MaxReport
	if refusable {
		parse, limit = harness.Parse, harness.MaxPayload
	}
	switch {
	case len(payload) == 0:
		return r, fmt.Errorf("payload: nothing came on standard input")
	case len(payload) > limit:
		return r, fmt.Errorf("payload: more than %d bytes", limit)
	}
	v, err := parse(payload)
	if err != nil {
		return r, err
	}
	if r.Event == "" {
		return r, fmt.Errorf("payload: no hook_event_name")
	}
	fill(&r, v)
	if refusable && !absolute(r.Cwd) {
		return r, fmt.Errorf("payload: cwd %q is not an absolute path", r.Cwd)
	}
	if r.Event != gate.Before && r.Event != gate.After && r.Event != gate.AfterFailed {
		return r, nil
	}
	return r, fillCall(&r, v)
}

// event is the moment that one of Claude Code's events stands for.
func event(name string) gate.Event {
	switch name {
	case "PreToolUse", skillShell:
		return gate.Before
	case "PostToolUse":
		return gate.After
	case "PostToolUseFailure":
		return gate.AfterFailed
	case "UserPromptSubmit":
		return gate.Prompt
	case "SessionStart":
		return gate.Start
	case "ConfigChange":
		return gate.Config
	case "Stop":
		return gate.Stop
	case "SessionEnd":
		return gate.End
	}
	return gate.Other
}

// fill takes over the fields that do not belong to a call.
func fill(r *gate.Request, v harness.Value) {
	r.Session = v.Get("session_id").String()
	r.Prompt = v.Get("prompt_id").String()
	r.Agent = v.Get("agent_id").String()
	r.Cwd = v.Get("cwd").String()
	r.Transcript = v.Get("transcript_path").String()
	switch r.Event {
	case gate.Before:
		r.CanAsk = true
		if v.Get("hook_event_name").String() == skillShell {
			r.Source, r.CanAsk = skillShell, false
		}
	case gate.Prompt:
		r.PromptText = v.Get("prompt").String()
		r.Source = v.Get("source").String()
		if strings.HasPrefix(r.PromptText, taskNotice) {
			r.Source = "task-notification"
		}
		if r.Source == "task-notification" {
			r.Ended = noticed(r.PromptText)
		}
	case gate.Stop:
		if tasks := v.Get("background_tasks"); tasks.Kind == harness.Array {
			r.Running = make([]string, 0, len(tasks.Items))
			for _, t := range tasks.Items {
				r.Running = append(r.Running, t.Get("id").String())
			}
		}
	case gate.Start:
		r.Source = v.Get("source").String()
	case gate.Config:
		r.Source = v.Get("source").String()
		r.SettingsFile = v.Get("file_path").String()
	}
}

// absolute reports whether path is absolute on the system it comes from, which
// need not be the one we run on.
func absolute(path string) bool {
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`) {
		return true
	}
	return len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}

package setup

import "github.com/counterstep/counterstep/internal/harness"

// Scope says whose settings file gets the entries.
type Scope string

// The scopes.
const (
	Project Scope = "project" // .claude/settings.json, often committed
	Local   Scope = "local"   // .claude/settings.local.json, this checkout's own
	User    Scope = "user"    // ~/.claude/settings.json
)

// Scopes lists the scopes, the default one first.
func Scopes() []Scope { return []Scope{Project, Local, User} }

// Entries is what the entries of one settings file depend on.
type Entries struct {
	Scope     Scope
	Binary    string // absolute path
	StateHome string // absolute path
}

// hook is one event that we listen to.
type hook struct {
	event   string
	block   bool // a failure of ours blocks
	timeout int  // seconds that the agent waits
	limit   int  // seconds that the binary has
}

// hooks lists the events. The agent's own timeout is longer than the script's,
// since what it cuts off runs. A prompt must not wait as long as a call.
func hooks() []hook {
	return []hook{
		{event: "PreToolUse", block: true, timeout: 90, limit: 60},
		{event: "PreSkillShellCommand", block: true, timeout: 90, limit: 60},
		{event: "PostToolUse", timeout: 90, limit: 60},
		{event: "PostToolUseFailure", timeout: 90, limit: 60},
		{event: "UserPromptSubmit", timeout: 25, limit: 20},
		{event: "SessionStart", timeout: 90, limit: 60},
		{event: "Stop", timeout: 90, limit: 60},
		{event: "SessionEnd", timeout: 60, limit: 50},
		{event: "ConfigChange", block: true, timeout: 90, limit: 60},
	}
}

// group is the entry of one event, as JSON: no matcher, so that every tool is
// seen. onFailure has exactly one value that agents know; another one makes
// them drop all hooks of the file. It is left out where a failure must pass.
func group(h hook, e Entries) harness.Value {
	handler := []harness.Member{
		{Name: "type", Value: text("command")},
		{Name: "command", Value: text(command(h, e))},
		{Name: "timeout", Value: number(h.timeout)},
	}
	if h.block {
		handler = append(handler, harness.Member{Name: "onFailure", Value: text("block")})
	}
	return object(harness.Member{Name: "hooks", Value: array(object(handler...))})
}

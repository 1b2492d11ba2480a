package claude_test

import (
	"slices"
	"testing"

	"github.com/counterstep/counterstep/internal/harness/claude"
)

// TestEndsOfBackgroundWork: which events say that background work is over, and
// which only seem to.
func TestEndsOfBackgroundWork(t *testing.T) {
	const start = `{"session_id":"s","cwd":"/w","hook_event_name":`
	for in, want := range map[string][]string{
		`"PostToolUse","tool_name":"TaskOutput","tool_input":{"task_id":"b1"},"tool_response":{"retrieval_status":"success","task":{"task_id":"b1","status":"completed"}}}`:                                        {"b1"},
		`"PostToolUse","tool_name":"TaskOutput","tool_input":{"task_id":"b1"},"tool_response":{"task":{"status":"running"}}}`:                                                                                      nil,
		`"PostToolUse","tool_name":"BashOutput","tool_input":{"bash_id":"b1"},"tool_response":{"status":"failed"}}`:                                                                                                {"b1"},
		`"PostToolUse","tool_name":"BashOutput","tool_input":{"bash_id":"b1"},"tool_response":{"stdout":"status: completed"}}`:                                                                                     nil,
		`"PostToolUse","tool_name":"KillShell","tool_input":{"shell_id":"b1"},"tool_response":{}}`:                                                                                                                 {"b1"},
		`"PreToolUse","tool_name":"KillShell","tool_input":{"shell_id":"b1"}}`:                                                                                                                                     nil,
		`"PostToolUse","tool_name":"TaskStop","tool_input":{"task_id":"b1"},"tool_response":{}}`:                                                                                                                   {"b1"},
		`"UserPromptSubmit","prompt":"<task-notification>\n<task-id>b1</task-id><tool-use-id>t1</tool-use-id><status>killed</status></task-notification>"}`:                                                        {"t1", "b1"},
		`"UserPromptSubmit","prompt":"<task-notification><task-id>b1</task-id><status>running</status></task-notification>"}`:                                                                                      nil,
		`"UserPromptSubmit","prompt":"<task-notification><task-id>b1</task-id><event>a line</event></task-notification>"}`:                                                                                         nil,
		`"UserPromptSubmit","prompt":"<task-notification><task-id>b1</task-id><status>failed</status></task-notification><task-notification><task-id>b2</task-id><status>completed</status></task-notification>"}`: {"b1", "b2"},
		`"UserPromptSubmit","prompt":"look at <task-notification><task-id>b1</task-id><status>completed</status></task-notification>"}`:                                                                            nil,
	} {
		r, err := claude.Adapter{}.Decode([]byte(start + in))
		if err != nil || !slices.Equal(r.Ended, want) {
			t.Errorf("%s: %q, %v; want %q", in, r.Ended, err, want)
		}
	}
	for in, want := range map[string][]string{
		`"Stop","background_tasks":[{"id":"b1"},{"id":"b2"}]}`: {"b1", "b2"},
		`"Stop","background_tasks":[]}`:                        {},
		`"Stop"}`:                                              nil, // an old version says nothing about them
	} {
		r, err := claude.Adapter{}.Decode([]byte(start + in))
		if err != nil || !slices.Equal(r.Running, want) || (r.Running == nil) != (want == nil) {
			t.Errorf("%s: %q, %v; want %q", in, r.Running, err, want)
		}
	}
}

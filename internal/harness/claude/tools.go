package claude

import (
	"fmt"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/harness"
)

// fillCall takes over the fields of a tool call. An input that does not fit
// its tool is an error.
func fillCall(r *gate.Request, v harness.Value) error {
	r.Tool = v.Get("tool_name").String()
	r.CallID = v.Get("tool_use_id").String()
	in := v.Get("tool_input")
	if r.Tool == "" {
		return fmt.Errorf("payload: no tool_name")
	}
	if in.Kind != harness.Object {
		return fmt.Errorf("payload: the tool_input of %s is no object", r.Tool)
	}
	r.Description = in.Get("description").String()
	if r.Event != gate.Before {
		r.Task, r.Ended = tasks(r.Tool, in, v.Get("tool_response"))
	}
	r.Background = in.Get("run_in_background").True() || r.Tool == "Monitor" || r.Task != ""
	r.Input.Canonical = in.Canonical()
	r.Input.Kind = kind(r.Tool, in)
	switch r.Input.Kind {
	case gate.Shell, gate.PowerShell:
		return need(&r.Input.Command, r.Tool, in, "command")
	case gate.Write, gate.Edit:
		name := "file_path"
		if r.Tool == "NotebookEdit" {
			name = "notebook_path"
		}
		var path string
		if err := need(&path, r.Tool, in, name); err != nil {
			return err
		}
		if path == "" {
			return fmt.Errorf("payload: the %s of %s is empty", name, r.Tool)
		}
		r.Input.Paths = []string{path}
	case gate.Unknown:
		r.Input.Words = texts(nil, in)
	case gate.Read:
		for _, name := range []string{"file_path", "path", "notebook_path", "filePath"} {
			if path := in.Get(name).String(); path != "" {
				r.Input.Paths = append(r.Input.Paths, path)
			}
		}
	}
	return nil
}

// need sets dst to the string in field name of a tool's input.
func need(dst *string, tool string, in harness.Value, name string) error {
	f := in.Get(name)
	if f.Kind != harness.String {
		return fmt.Errorf("payload: %s without a string in %s", tool, name)
	}
	*dst = f.Text
	return nil
}

// kind is what a tool's input carries. Tool names count with their case.
func kind(tool string, in harness.Value) gate.InputKind {
	switch tool {
	case "Bash":
		return gate.Shell
	case "PowerShell":
		return gate.PowerShell
	case "Monitor":
		if in.Get("command").Kind == 0 {
			return gate.External // watches a socket
		}
		return gate.Shell
	case "Write":
		return gate.Write
	case "Edit", "MultiEdit", "NotebookEdit":
		return gate.Edit
	case "Read", "Grep", "Glob", "LS", "LSP", "NotebookRead", "WebSearch", "ToolSearch",
		"TodoWrite", "TodoRead", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList", "TaskOutput", "BashOutput",
		"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ListMcpResourcesTool", "ReadMcpResourceTool":
		return gate.Read
	case "WebFetch", "Agent", "Task", "Workflow", "Skill", "SlashCommand", "SendMessage", "Artifact",
		"CronCreate", "CronDelete", "CronList", "ScheduleWakeup", "TaskStop", "KillShell", "KillBash":
		return gate.External
	}
	return gate.Unknown
}

package claude

import (
	"strings"

	"github.com/counterstep/counterstep/internal/harness"
)

// tasks reads, from the result of a call, the id of the work that goes on in the
// background, and the ids of background work that the result says is over.
func tasks(tool string, in, result harness.Value) (task string, ended []string) {
	switch tool {
	case "Bash", "PowerShell":
		return result.Get("backgroundTaskId").String(), nil
	case "Monitor":
		return result.Get("taskId").String(), nil
	case "TaskStop", "KillShell", "KillBash":
		return "", named(in)
	case "TaskOutput", "BashOutput":
		status := result.Get("status").String()
		if t := result.Get("task"); t.Kind == harness.Object {
			status = t.Get("status").String()
		}
		if over(status) {
			return "", named(in)
		}
	}
	return "", nil
}

// named are the ids in the input of a tool that looks at background work.
func named(in harness.Value) (ids []string) {
	for _, field := range []string{"task_id", "bash_id", "shell_id"} {
		if id := in.Get(field).String(); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// over reports whether a status says that nothing goes on. One that is not
// known does not.
func over(status string) bool {
	switch status {
	case "completed", "failed", "killed", "stopped", "cancelled", "canceled":
		return true
	}
	return false
}

// noticed reads the ids of calls and tasks that notifications say are over.
func noticed(text string) (ids []string) {
	for {
		_, rest, ok := strings.Cut(text, taskNotice)
		if !ok {
			return ids
		}
		notice, after, _ := strings.Cut(rest, "</task-notification>")
		if over(element(notice, "status")) {
			for _, name := range []string{"tool-use-id", "task-id"} {
				if id := element(notice, name); id != "" {
					ids = append(ids, id)
				}
			}
		}
		text = after
	}
}

// element is the text of the first element of a name.
func element(text, name string) string {
	_, rest, _ := strings.Cut(text, "<"+name+">")
	value, _, ok := strings.Cut(rest, "</"+name+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(value)
}

// maxTexts bounds how many texts of an input are looked at.
const maxTexts = 200

// texts adds every text in a value, at any depth, names of fields left out.
func texts(have []string, v harness.Value) []string {
	if v.Kind == harness.String && v.Text != "" && len(have) < maxTexts {
		have = append(have, v.Text)
	}
	for _, item := range v.Items {
		have = texts(have, item)
	}
	for _, m := range v.Members {
		have = texts(have, m.Value)
	}
	return have
}

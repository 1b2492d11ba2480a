package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/ledger"
)

const (
	// patience is how long one canary may take.
	patience = 30 * time.Second
	// recent is how many records are looked through for a canary: other calls
	// may be recorded at the same time.
	recent = 512
	shell  = "/bin/sh"
)

// canary sends two calls through the command line of a hook, just as the agent
// would: one that destroys nothing, which must be let go and be found in the
// ledger, and one without an undo, which must be refused. Neither is ever run.
func canary(ctx context.Context, o Options, file, line, dir string) Finding {
	id := o.NewID()
	fail := func(fix, format string, args ...any) Finding {
		return Finding{Level: Fail, What: file + ": " + fmt.Sprintf(format, args...), Fix: fix}
	}
	res, err := send(ctx, o, line, dir, id, "echo counterstep doctor "+id)
	switch {
	case err != nil:
		return fail("counterstep init", "the hook's command line does not run: %v", err)
	case res.Code == 2:
		return fail(advice(res.Stderr), "the hook blocks every call: %s", firstLine(res.Stderr))
	case res.Code != 0:
		return fail("counterstep init", "the hook ends with exit code %d, with which agents let every call run", res.Code)
	case len(res.Stdout) > 0:
		return fail("counterstep init", "the hook objects to a harmless call: %s", firstLine(res.Stdout))
	}
	store := o.Place(dir)
	found, err := recorded(store, id)
	if err != nil {
		return fail("counterstep verify", "the ledger cannot be read: %v", err)
	}
	if !found {
		why := firstLine(res.Stderr)
		if why == "" {
			why = "the hook said nothing"
		}
		return fail("counterstep init", "the hook let a call go that is not in the ledger of %s: %s", store, why)
	}
	res, err = send(ctx, o, line, dir, id, "curl -X DELETE https://doctor.invalid/"+id)
	switch {
	case err != nil:
		return fail("counterstep init", "the hook's command line does not run: %v", err)
	case res.Code != 2 || len(bytes.TrimSpace(res.Stderr)) == 0:
		return fail("counterstep init", "a call without an undo was not refused (exit code %d)", res.Code)
	}
	return Finding{Level: OK, What: file + ": a call went through the hook into the ledger, one without an undo was refused"}
}

// send gives the payload of a call to the command line of a hook.
func send(ctx context.Context, o Options, line, dir, id, command string) (proc.Result, error) {
	payload, err := json.Marshal(map[string]any{
		"session_id": Session, "transcript_path": "/dev/null", "cwd": dir, "permission_mode": "default",
		"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": command},
		"tool_use_id": id,
	})
	if err != nil {
		return proc.Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return proc.Run(ctx, proc.Cmd{
		Path: shell, Args: []string{"-c", line}, Dir: dir, Limit: 1 << 20,
		Env: append([]string{"CLAUDE_PROJECT_DIR=" + dir}, o.Environ...), Stdin: bytes.NewReader(payload),
	})
}

// recorded reports whether a canary is among the newest records.
func recorded(store, id string) (bool, error) {
	left, found := recent, false
	err := ledger.Walk(store+"/ledger", func(r ledger.Record) bool {
		left--
		found = r.Session == Session && r.Call == id
		return !found && left > 0
	})
	return found, err
}

// firstLine is the first line of what a hook said.
func firstLine(text []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return line
}

// advice is the hint in what a hook said.
func advice(stderr []byte) string {
	for line := range strings.Lines(string(stderr)) {
		if h, ok := strings.CutPrefix(strings.TrimSpace(line), "hint: "); ok && h != "counterstep doctor" {
			return h
		}
	}
	return "counterstep init"
}

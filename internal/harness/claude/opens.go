package claude

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/harness"
)

const (
	// maxTranscripts and maxScan bound what is read of past conversations: the
	// newest files, and bytes of all of them together.
	maxTranscripts = 50
	maxScan        = 512 << 20
)

// Opens finds in the transcripts of a workspace the hooks of ours that gave no
// answer, so that Claude Code went on without one. The format of transcripts is
// its own affair: whatever is not as expected is passed over.
func (Adapter) Opens(config, root string, since time.Time) []harness.Open {
	list, err := filepath.Glob(filepath.Join(escapeGlob(filepath.Join(config, "projects", projectName(root))), "*.jsonl"))
	if err != nil {
		return nil
	}
	type file struct {
		path string
		at   time.Time
	}
	var files []file
	for _, p := range list {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() && info.ModTime().After(since) {
			files = append(files, file{p, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return b.at.Compare(a.at) })
	left := int64(maxScan)
	var out []harness.Open
	for _, f := range files[:min(len(files), maxTranscripts)] {
		out = append(out, opensIn(f.path, since, &left)...)
	}
	slices.SortFunc(out, func(a, b harness.Open) int { return b.Time.Compare(a.Time) })
	return out
}

// projectName is the directory in which the conversations of a directory lie.
func projectName(root string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, root)
}

func escapeGlob(p string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p)
}

// opensIn reads one transcript, whose lines can be very long.
func opensIn(path string, since time.Time, left *int64) (out []harness.Open) {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	r := bufio.NewReaderSize(io.LimitReader(f, *left), 64<<10)
	long := false
	for {
		line, err := r.ReadSlice('\n')
		*left -= int64(len(line))
		if !long && err == nil && (bytes.Contains(line, []byte(`"hook_cancelled"`)) || bytes.Contains(line, []byte(`"hook_non_blocking_error"`))) {
			if o, ok := openOf(line); ok && o.Time.After(since) {
				out = append(out, o)
			}
		}
		long = errors.Is(err, bufio.ErrBufferFull) // what follows belongs to the same line
		if err != nil && !long {
			return out
		}
	}
}

// openOf reads the trace of a hook of ours.
func openOf(line []byte) (harness.Open, bool) {
	var m struct {
		Timestamp  time.Time `json:"timestamp"`
		SessionID  string    `json:"sessionId"`
		Attachment struct {
			Type      string `json:"type"`
			HookName  string `json:"hookName"`
			HookEvent string `json:"hookEvent"`
			ToolUseID string `json:"toolUseID"`
			Command   string `json:"command"`
			TimedOut  bool   `json:"timedOut"`
			Stderr    string `json:"stderr"`
			ExitCode  int    `json:"exitCode"`
		} `json:"attachment"`
	}
	if json.Unmarshal(line, &m) != nil || !strings.Contains(m.Attachment.Command, "counterstep") {
		return harness.Open{}, false
	}
	a := m.Attachment
	o := harness.Open{Time: m.Timestamp, Session: m.SessionID, Event: a.HookEvent, Hook: a.HookName, Call: a.ToolUseID}
	switch a.Type {
	case "hook_cancelled":
		o.Why = "it was stopped"
		if a.TimedOut {
			o.Why = "it took too long"
		}
	case "hook_non_blocking_error":
		o.Why = "it failed"
		if first, _, _ := strings.Cut(strings.TrimSpace(a.Stderr), "\n"); first != "" {
			o.Why = "it failed: " + first
		}
	default:
		return harness.Open{}, false
	}
	return o, true
}

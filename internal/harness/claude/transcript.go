package claude

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/counterstep/counterstep/internal/gate"
)

const (
	// maxTail is how much of the end of a transcript is read, maxLine the
	// longest line that is understood. Lines that hold whole requests are longer.
	maxTail = 4 << 20
	maxLine = 512 << 10
	// maxBack is how many lines before a call are looked at for words.
	maxBack = 400
)

// Said finds in the newest part of a transcript what the agent said before
// calls, and the messages that prompts became. The format of transcripts is
// Claude Code's own affair: whatever is not as expected is passed over.
func (Adapter) Said(transcript string, w gate.Wanted) gate.Said {
	said := gate.Said{Before: map[string]string{}, UUIDs: map[string]string{}}
	lines := tail(transcript)
	for i, line := range lines {
		for _, id := range w.Calls {
			if id != "" && bytes.Contains(line, []byte(id)) {
				if m, ok := parseLine(line); ok && m.uses(id) {
					said.Before[id] = before(lines[:i], m.Message.ID)
				}
			}
		}
		for _, id := range w.Prompts {
			if id != "" && said.UUIDs[id] == "" && bytes.Contains(line, []byte(id)) {
				if m, ok := parseLine(line); ok && m.PromptID == id && m.typed() {
					said.UUIDs[id] = m.UUID
				}
			}
		}
	}
	return said
}

// tail is the end of a file in lines, without those that are too long.
func tail(file string) [][]byte {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	from := max(info.Size()-maxTail, 0)
	data, err := io.ReadAll(io.NewSectionReader(f, from, maxTail))
	if err != nil {
		return nil
	}
	lines := bytes.Split(data, []byte("\n"))
	if from > 0 {
		lines = lines[1:] // it began before
	}
	return slices.DeleteFunc(lines, func(l []byte) bool { return len(l) == 0 || len(l) > maxLine })
}

// before is what the agent said last before a call, given the lines before it
// and the message that the call belongs to; empty when it said nothing since
// the prompt.
func before(lines [][]byte, message string) string {
	var same []string
	for i := len(lines) - 1; i >= max(0, len(lines)-maxBack); i-- {
		if !bytes.Contains(lines[i], []byte(`"assistant"`)) && !bytes.Contains(lines[i], []byte(`"user"`)) {
			continue
		}
		m, ok := parseLine(lines[i])
		if !ok || m.IsSidechain {
			continue
		}
		text := m.text()
		switch {
		case m.Type == "user" && m.typed():
			return strings.Join(same, " ")
		case m.Type != "assistant" || text == "":
		case message != "" && m.Message.ID == message:
			same = append([]string{text}, same...)
		case len(same) > 0:
			return strings.Join(same, " ")
		default:
			return text
		}
	}
	return strings.Join(same, " ")
}

// entry is a line of a transcript, as far as it matters here.
type entry struct {
	Type         string `json:"type"`
	UUID         string `json:"uuid"`
	PromptID     string `json:"promptId"`
	PromptSource string `json:"promptSource"`
	IsMeta       bool   `json:"isMeta"`
	IsSidechain  bool   `json:"isSidechain"`
	Origin       struct {
		Kind string `json:"kind"`
	} `json:"origin"`
	Message struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`

	parts []part
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
	ID   string `json:"id"`
}

func parseLine(line []byte) (entry, bool) {
	var m entry
	if json.Unmarshal(line, &m) != nil {
		return m, false
	}
	var text string
	if json.Unmarshal(m.Message.Content, &text) == nil {
		m.parts = []part{{Type: "text", Text: text}}
	} else if json.Unmarshal(m.Message.Content, &m.parts) != nil {
		return m, false
	}
	return m, true
}

// uses reports whether the message makes a call.
func (m entry) uses(call string) bool {
	return m.Type == "assistant" && slices.ContainsFunc(m.parts, func(b part) bool { return b.Type == "tool_use" && b.ID == call })
}

// typed reports whether a person has written the message.
func (m entry) typed() bool {
	if m.Type != "user" || m.IsMeta || m.IsSidechain || m.PromptSource == "system" || m.Origin.Kind == "task-notification" {
		return false
	}
	return !slices.ContainsFunc(m.parts, func(b part) bool { return b.Type == "tool_result" }) && !strings.HasPrefix(m.text(), taskNotice)
}

func (m entry) text() string {
	var parts []string
	for _, b := range m.parts {
		if b.Type == "text" && strings.TrimSpace(b.Text) != "" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, " ")
}

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const testScript = `{"turns": [
  {"text": "Removing it.", "calls": [{"name": "Bash", "input": {"command": "rm -rf ${DIR}"}}, {"name": "Read", "input": {}}]},
  {"text": "Done."},
  {"text": "Again."}
]}`

// start serves the script and returns what posts one request to it.
func start(t *testing.T) (post func(body string) string, log func() string) {
	t.Helper()
	s, err := ParseScript(testScript, map[string]string{"DIR": `an "odd" name`})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ts := httptest.NewServer(&server{script: s, dir: dir})
	t.Cleanup(ts.Close)
	post = func(body string) string {
		t.Helper()
		resp, err := http.Post(ts.URL+"/v1/messages?beta=true", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v %s", resp.Status, err, b)
		}
		return string(b)
	}
	log = func() string {
		b, err := os.ReadFile(filepath.Join(dir, "requests.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return post, log
}

const (
	tools   = `"model":"m","tools":[{"name":"Bash"}],`
	history = `{"role":"user","content":"go"},
		{"role":"assistant","content":[{"type":"text","text":"Removing it."},{"type":"tool_use","id":"toolu_turn0call0","name":"Bash","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_turn0call0","is_error":true,"content":[{"type":"text","text":"refused"}]}]}`
)

func TestTurnsFollowTheHistory(t *testing.T) {
	post, log := start(t)
	var first struct {
		StopReason string `json:"stop_reason"`
		Content    []struct {
			Type, ID string
			Input    map[string]string
		}
	}
	if err := json.Unmarshal([]byte(post(`{`+tools+`"messages":[{"role":"user","content":"go"}]}`)), &first); err != nil {
		t.Fatal(err)
	}
	if first.StopReason != "tool_use" || len(first.Content) != 3 || first.Content[1].Input["command"] != `rm -rf an "odd" name` || first.Content[2].ID != "toolu_turn0call1" {
		t.Errorf("first turn: %+v", first)
	}
	for range 2 { // a retry gets the same turn
		if got := post(`{` + tools + `"messages":[` + history + `]}`); !strings.Contains(got, `"text":"Done."`) {
			t.Errorf("second turn: %s", got)
		}
	}
	later := history + `,{"role":"assistant","content":[{"type":"text","text":"Done."}]},{"role":"user","content":"more"}`
	if got := post(`{` + tools + `"messages":[` + later + `]}`); !strings.Contains(got, "Again.") {
		t.Errorf("after a second prompt: %s", got)
	}
	later += `,{"role":"assistant","content":"Again."},{"role":"user","content":"more"}`
	if got := post(`{` + tools + `"messages":[` + later + `]}`); !strings.Contains(got, "(script ended)") {
		t.Errorf("after the end: %s", got)
	}
	if got := post(`{"messages":[{"role":"user","content":"a title"}]}`); !strings.Contains(got, `"text":"ok"`) {
		t.Errorf("side job: %s", got)
	}
	if got := log(); !strings.Contains(got, `{"role":"tool","text":"refused","call_id":"toolu_turn0call0","is_error":true}`) {
		t.Errorf("log: %s", got)
	}
}

func TestStream(t *testing.T) {
	post, _ := start(t)
	got := post(`{` + tools + `"stream":true,"messages":[{"role":"user","content":"go"}]}`)
	last := 0
	for _, want := range []string{
		"event: message_start\n", `"text":"Removing it."`, `"partial_json":"{\"command\": \"rm -rf an`, `"stop_reason":"tool_use"`, "event: message_stop\n",
	} {
		i := strings.Index(got, want)
		if i < last {
			t.Fatalf("%s is missing or too early in:\n%s", want, got)
		}
		last = i
	}
}

func TestOnlyLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "192.0.2.1:0", "example.com:80", ":0"} {
		if err := run(addr, "/nowhere", "", "", nil); err == nil || !strings.Contains(err.Error(), "loopback") {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

func TestMisspeltScript(t *testing.T) {
	if _, err := ParseScript(`{"turns":[{"tool_calls":[]}]}`, nil); err == nil {
		t.Error("an unknown field is not noticed")
	}
}

// A subagent's conversation is told its own turns, with ids that no other call has.
func TestOtherConversations(t *testing.T) {
	s, err := ParseScript(`{"turns":[{"text":"main"}],"others":[{"match":"SUB","turns":[{"calls":[{"name":"Bash","input":{}}]},{"text":"sub done"}]}]}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := Conversation{Tools: []string{"Bash"}, Messages: []Message{{Role: "user", Text: "please SUB it"}}}
	if turn, n := s.Answer(c); len(turn.Calls) != 1 || n != 1000 {
		t.Errorf("the first turn is %v, %d", turn, n)
	}
	c.Messages = append(c.Messages, Message{Role: "assistant", CallID: "toolu_turn1000call0"}, Message{Role: "tool", Text: "ok"})
	if turn, n := s.Answer(c); turn.Text != "sub done" || n != 1001 {
		t.Errorf("the second turn is %v, %d", turn, n)
	}
	c = Conversation{Tools: []string{"Bash"}, Messages: []Message{{Role: "user", Text: "go"}, {Role: "assistant", Text: "SUB"}, {Role: "user", Text: "SUB"}}}
	if turn, _ := s.Answer(c); turn.Text != "main" {
		t.Errorf("the main conversation is told %v", turn)
	}
}

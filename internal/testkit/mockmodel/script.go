package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Script is everything that the model will say.
//
//	{"turns": [
//	  {"text": "Removing it.", "calls": [{"name": "Bash", "input": {"command": "rm -rf old"}}]},
//	  {"text": "Done."}
//	]}
//
// A request that offers no tools is a side job, such as a title, and is
// answered with "ok". After the last turn the model says "(script ended)".
//
// A conversation that begins with a message that holds the Match of one of Others
// is told those turns instead: that of a subagent, whose prompt the script knows.
type Script struct {
	Turns  []Turn  `json:"turns"`
	Others []Other `json:"others,omitempty"`
}

// Other is what is said in a conversation of its own.
type Other struct {
	Match string `json:"match"`
	Turns []Turn `json:"turns"`
}

// Turn is one answer: text, calls of tools, or both.
type Turn struct {
	Text  string `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`
}

// Call is one call of a tool. Input is a JSON object.
type Call struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// ParseScript reads a script, in which ${NAME} stands for a value of vars.
// Unknown fields are errors, so that a misspelt one is noticed.
func ParseScript(text string, vars map[string]string) (*Script, error) {
	for name, value := range vars {
		quoted, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		text = strings.ReplaceAll(text, "${"+name+"}", string(quoted[1:len(quoted)-1]))
	}
	var s Script
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("parse script: %w", err)
	}
	return &s, nil
}

// Conversation is what the model is told.
type Conversation struct {
	Model    string
	Stream   bool
	Tools    []string
	Messages []Message
}

// Message is one part of the history. Role is user, assistant or tool.
type Message struct {
	Role    string `json:"role"`
	Text    string `json:"text,omitempty"`
	CallID  string `json:"call_id,omitempty"`
	IsError bool   `json:"is_error,omitempty"` // the client reports a failed call
}

// News is what came after the model's last answer.
func (c Conversation) News() []Message {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == "assistant" {
			return c.Messages[i+1:]
		}
	}
	return c.Messages
}

// Answer is the turn that is due, and its number; -1 for a side job. The turns of
// other conversations have numbers of their own.
func (s *Script) Answer(c Conversation) (Turn, int) {
	if len(c.Tools) == 0 {
		return Turn{Text: "ok"}, -1
	}
	turns, from := s.Turns, 0
	for i, o := range s.Others {
		if strings.Contains(c.first(), o.Match) {
			turns, from = o.Turns, (i+1)*1000
		}
	}
	n := due(c, turns, from)
	if n >= len(turns) {
		return Turn{Text: "(script ended)"}, from + n
	}
	return turns[n], from + n
}

// first is what the conversation begins with: all that comes before the model
// says something.
func (c Conversation) first() string {
	text := ""
	for _, m := range c.Messages {
		if m.Role == "assistant" {
			break
		}
		text += m.Text + "\n"
	}
	return text
}

// due finds the first turn that the history does not hold. The ids of calls
// carry their turn's number; a turn without calls is known by its text.
func due(c Conversation, turns []Turn, from int) int {
	next := 0
	for _, m := range c.Messages {
		if m.Role != "assistant" {
			continue
		}
		var turn, call int
		if _, err := fmt.Sscanf(m.CallID, idFormat, &turn, &call); err == nil {
			next = max(next, turn-from+1)
			continue
		}
		for k := next; k < len(turns); k++ {
			if t := turns[k]; len(t.Calls) == 0 && strings.TrimSpace(t.Text) == strings.TrimSpace(m.Text) {
				next = k + 1
				break
			}
		}
	}
	return next
}

// idFormat makes the id of a call from its turn's number and its own.
const idFormat = "toolu_turn%dcall%d"

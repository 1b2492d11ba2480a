package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// request is the part of a Messages request that matters here.
type request struct {
	Model    string
	Stream   bool
	Tools    []struct{ Name string }
	Messages []struct {
		Role    string
		Content content
	}
}

// content is a text or a list of blocks.
type content []block

type block struct {
	Type      string
	Text      string
	ID        string
	ToolUseID string `json:"tool_use_id"`
	IsError   bool   `json:"is_error"`
	Content   content
}

// UnmarshalJSON reads both forms; a text becomes one block.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	var blocks []block
	if err := json.Unmarshal(data, &blocks); err != nil {
		return err
	}
	*c = blocks
	return nil
}

func (c content) text() string {
	var all []string
	for _, b := range c {
		if b.Text != "" {
			all = append(all, b.Text)
		}
	}
	return strings.Join(all, "\n")
}

// conversation reads a Messages request.
func conversation(body []byte) (Conversation, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return Conversation{}, fmt.Errorf("parse request: %w", err)
	}
	c := Conversation{Model: r.Model, Stream: r.Stream}
	for _, t := range r.Tools {
		c.Tools = append(c.Tools, t.Name)
	}
	for _, m := range r.Messages {
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				c.Messages = append(c.Messages, Message{Role: m.Role, Text: b.Text})
			case "tool_use":
				c.Messages = append(c.Messages, Message{Role: "assistant", CallID: b.ID})
			case "tool_result":
				c.Messages = append(c.Messages, Message{Role: "tool", CallID: b.ToolUseID, Text: b.Content.text(), IsError: b.IsError})
			}
		}
	}
	return c, nil
}

type object = map[string]any

// answer writes turn number n, as one message or as a stream of events.
func answer(w http.ResponseWriter, c Conversation, t Turn, n int) {
	stop := "end_turn"
	var blocks []object
	if t.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": t.Text})
	}
	for k, call := range t.Calls {
		stop = "tool_use"
		blocks = append(blocks, object{"type": "tool_use", "id": fmt.Sprintf(idFormat, n, k), "name": call.Name, "input": call.Input})
	}
	msg := object{
		"id": fmt.Sprintf("msg_%d", n+1), "type": "message", "role": "assistant", "model": c.Model,
		"content": blocks, "stop_reason": stop, "stop_sequence": nil,
		"usage": object{"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
	}
	if !c.Stream {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(msg)
		return
	}
	stream(w, msg, blocks, stop)
}

func stream(w http.ResponseWriter, msg object, blocks []object, stop string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	send := func(kind string, fields object) {
		fields["type"] = kind
		data, err := json.Marshal(fields)
		if err != nil {
			panic(err) // the script's inputs were parsed, so this cannot be
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	msg["content"], msg["stop_reason"] = []any{}, nil
	send("message_start", object{"message": msg})
	for i, b := range blocks {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": string(b["input"].(json.RawMessage))}
		}
		send("content_block_start", object{"index": i, "content_block": start})
		send("content_block_delta", object{"index": i, "delta": delta})
		send("content_block_stop", object{"index": i})
	}
	send("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 20}})
	send("message_stop", object{})
}

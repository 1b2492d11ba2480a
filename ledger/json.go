package ledger

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// wire is a Record without methods.
type wire Record

// MarshalJSON writes the known fields in the order of [Record], then Extra by
// name. Extra cannot replace a known field.
func (r Record) MarshalJSON() ([]byte, error) {
	line, err := marshal(wire(r))
	if err != nil || len(r.Extra) == 0 {
		return line, err
	}
	known, err := fields(line)
	if err != nil {
		return nil, err
	}
	line = line[:len(line)-1]
	for _, name := range slices.Sorted(maps.Keys(r.Extra)) {
		if _, ok := known[name]; ok || name == "sum" {
			continue
		}
		key, err := marshal(name)
		if err != nil {
			return nil, err
		}
		var value bytes.Buffer
		if err := json.Compact(&value, r.Extra[name]); err != nil {
			return nil, err
		}
		line = append(line, ',')
		line = append(append(line, key...), ':')
		line = append(line, value.Bytes()...)
	}
	return append(line, '}'), nil
}

// UnmarshalJSON reads a record and keeps the fields it does not know in Extra.
func (r *Record) UnmarshalJSON(data []byte) error {
	var w struct {
		wire
		Sum string `json:"sum"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err == nil {
		*r = Record(w.wire)
		return nil
	}
	w.wire = wire{}
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*r = Record(w.wire)
	extra, err := fields(data)
	if err != nil {
		return err
	}
	for name := range extra {
		if name == "sum" || isKnown(name) {
			delete(extra, name)
		}
	}
	r.Extra = extra
	return nil
}

func fields(data []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	err := json.Unmarshal(data, &m)
	return m, err
}

// isKnown reports whether name is a field of Record.
func isKnown(name string) bool {
	switch name {
	case "v", "seq", "id", "kind", "time", "prev",
		"harness", "session", "prompt", "call", "agent", "tool", "cwd", "class",
		"command", "call_sha256", "background", "intent", "checkpoint", "uuid", "partial", "inverse", "fingerprint", "proof",
		"manifest", "files", "bytes", "reason", "hint", "undoes", "paths", "more",
		"barrier", "temps", "shared", "candidates", "gap", "count", "kept", "choice", "cut":
		return true
	default:
		return false
	}
}

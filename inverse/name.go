package inverse

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Name is a path as bytes. In JSON it is a string when it is clean UTF-8, else
// an object that holds it in base64, so that every name survives.
type Name string

// MarshalJSON writes "…" or {"b64":"…"}.
func (n Name) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal(map[string][]byte{"b64": []byte(n)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Name) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*n = Name(s)
		return nil
	}
	var b struct {
		B64 []byte `json:"b64"`
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return fmt.Errorf("read name: %w", err)
	}
	*n = Name(b.B64)
	return nil
}

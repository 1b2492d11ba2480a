package ledger

import (
	"encoding/base64"
	"encoding/json"
	"errors"

	"github.com/counterstep/counterstep/internal/hint"
)

// Name is a path as bytes. In a record it is {"path":"…"} when it is UTF-8
// without control or reordering characters, else {"path_b64":"…"} (standard
// base64 with padding). Every name survives a round trip byte for byte.
type Name string

type wireName struct {
	Path *string `json:"path,omitempty"`
	B64  *string `json:"path_b64,omitempty"`
}

// MarshalJSON writes one of the two forms.
func (n Name) MarshalJSON() ([]byte, error) {
	s := string(n)
	w := wireName{Path: &s}
	if hint.Clean(s) != s {
		b := base64.StdEncoding.EncodeToString([]byte(s))
		w = wireName{B64: &b}
	}
	return marshal(w)
}

// UnmarshalJSON reads either form. Neither or both is an error.
func (n *Name) UnmarshalJSON(data []byte) error {
	var w wireName
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	switch {
	case w.Path != nil && w.B64 == nil:
		*n = Name(*w.Path)
		return nil
	case w.B64 != nil && w.Path == nil:
		b, err := base64.StdEncoding.Strict().DecodeString(*w.B64)
		*n = Name(b)
		return err
	default:
		return errors.New("a name needs path or path_b64")
	}
}

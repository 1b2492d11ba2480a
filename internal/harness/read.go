package harness

import (
	"fmt"
	"io"
)

// Read reads a payload from r: at most MaxReport bytes and one more, by which
// Decode sees that there was too much. The rest is left unread.
func Read(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxReport+1))
	if err != nil {
		return nil, fmt.Errorf("read payload: %w", err)
	}
	return data, nil
}

// Peek looks for the field name among the first level of fields of data, which
// may be damaged from some place on, and gives its text. It is for telling the
// event of a payload that Parse does not take; ok is false when the field is
// missing, is no string, or occurs twice in what could be read.
func Peek(data []byte, name string) (text string, ok bool) {
	p := parser{data: data, lax: true}
	if p.space(); p.peek() != '{' {
		return "", false
	}
	p.at++
	for found := 0; ; {
		m, err := p.member(1)
		if m.Name == name && err == nil {
			found++
			text = m.Value.String()
		}
		if p.space(); err != nil || p.peek() != ',' {
			return text, found == 1 && text != ""
		}
		p.at++
	}
}

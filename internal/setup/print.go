package setup

import (
	"strconv"
	"strings"

	"github.com/counterstep/counterstep/internal/harness"
)

func text(s string) harness.Value { return harness.Value{Kind: harness.String, Text: s} }

func number(n int) harness.Value {
	return harness.Value{Kind: harness.Number, Text: strconv.Itoa(n)}
}

func array(items ...harness.Value) harness.Value {
	return harness.Value{Kind: harness.Array, Items: items}
}

func object(members ...harness.Member) harness.Value {
	return harness.Value{Kind: harness.Object, Members: members}
}

// style is how a file writes JSON.
type style struct {
	flat    bool   // everything on one line
	newline string // "\n" or "\r\n"
	unit    string // one level of indentation
}

// styleOf looks at how data is written. Where nothing is to be seen, it is two
// spaces and one member to a line.
func styleOf(data []byte, root harness.Value) style {
	s := style{newline: "\n", unit: "  "}
	body := string(data[root.Start:root.End])
	if strings.Contains(body, "\r\n") {
		s.newline = "\r\n"
	}
	if len(root.Members) == 0 {
		return s
	}
	if !strings.Contains(body, "\n") {
		s.flat = true
		return s
	}
	if in := indentAt(data, root.Members[0].NameStart); in != "" {
		s.unit = in
	}
	return s
}

// indentAt is the space at the beginning of the line that at is in.
func indentAt(data []byte, at int) string {
	start := strings.LastIndexByte(string(data[:at]), '\n') + 1
	end := start
	for end < at && (data[end] == ' ' || data[end] == '\t') {
		end++
	}
	return string(data[start:end])
}

// render writes v in the style s, its inner lines indented below indent.
func (s style) render(v harness.Value, indent string) string {
	in := indent + s.unit
	var parts []string
	open, shut := "[", "]"
	switch v.Kind {
	case harness.Object:
		open, shut = "{", "}"
		for _, m := range v.Members {
			parts = append(parts, s.member(m.Name, m.Value, in))
		}
	case harness.Array:
		for _, item := range v.Items {
			parts = append(parts, s.render(item, in))
		}
	default:
		return string(v.Canonical())
	}
	switch {
	case len(parts) == 0:
		return open + shut
	case s.flat:
		return open + strings.Join(parts, ",") + shut
	}
	line := s.newline + in
	return open + line + strings.Join(parts, ","+line) + s.newline + indent + shut
}

func (s style) member(name string, v harness.Value, indent string) string {
	colon := ": "
	if s.flat {
		colon = ":"
	}
	return string(harness.AppendString(nil, name)) + colon + s.render(v, indent)
}

package harness

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a JSON value. The zero value is none.
type Kind byte

// The kinds of JSON values.
const (
	Null Kind = iota + 1
	Bool
	Number
	String
	Array
	Object
)

// Value is one JSON value that Parse has read, with its place in the data.
type Value struct {
	Kind       Kind
	Text       string   // String: decoded; Number, Bool, Null: as written
	Items      []Value  // Array
	Members    []Member // Object, in the order of the data
	Start, End int      // the value is data[Start:End]
}

// Member is one field of an object.
type Member struct {
	Name      string // decoded
	NameStart int    // offset of the name's opening quote
	Value     Value
}

// Get is the member called exactly name, or the zero Value.
func (v Value) Get(name string) Value {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value
		}
	}
	return Value{}
}

// String is the text of a string, and "" for anything else.
func (v Value) String() string {
	if v.Kind == String {
		return v.Text
	}
	return ""
}

// True reports whether v is the literal true.
func (v Value) True() bool { return v.Kind == Bool && v.Text == "true" }

// Canonical is v as JSON without space, the fields of objects sorted by name.
// Equal values give equal bytes, except that numbers stay as they were
// written. The zero Value gives null.
func (v Value) Canonical() []byte { return v.append(nil) }

func (v Value) append(b []byte) []byte {
	switch v.Kind {
	case Object:
		members := v.Members
		byName := func(a, b Member) int { return strings.Compare(a.Name, b.Name) }
		if !slices.IsSortedFunc(members, byName) {
			members = slices.SortedFunc(slices.Values(members), byName)
		}
		b = append(b, '{')
		for i, m := range members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendString(b, m.Name), ':')
			b = m.Value.append(b)
		}
		return append(b, '}')
	case Array:
		b = append(b, '[')
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.append(b)
		}
		return append(b, ']')
	case String:
		return AppendString(b, v.Text)
	case Number, Bool:
		return append(b, v.Text...)
	}
	return append(b, "null"...)
}

// AppendString appends s as a JSON string: only what JSON demands is escaped,
// and bytes that are not UTF-8 become U+FFFD.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < 0x20 || r == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

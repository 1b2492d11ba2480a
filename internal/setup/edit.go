package setup

import (
	"bytes"
	"slices"

	"github.com/counterstep/counterstep/internal/harness"
)

// span is the place of one part of an object or an array.
type span struct{ start, end int }

// parts lists where the members or items of v are.
func parts(v harness.Value) []span {
	var all []span
	for _, m := range v.Members {
		all = append(all, span{m.NameStart, m.Value.End})
	}
	for _, item := range v.Items {
		all = append(all, span{item.Start, item.End})
	}
	return all
}

// add puts one more part at the end of the object or array v in data. Every
// other byte stays as it is. write gets the style and the indentation that the
// part has; beside parts on one line, it comes on that line.
func add(data []byte, s style, v harness.Value, write func(s style, indent string) string) []byte {
	all := parts(v)
	if len(all) == 0 {
		outer := indentAt(data, v.Start)
		in := outer + s.unit
		inner := s.newline + in + write(s, in) + s.newline + outer
		if s.flat {
			inner = write(s, "")
		}
		return slices.Concat(data[:v.Start+1], []byte(inner), data[v.End-1:])
	}
	last := all[len(all)-1]
	if !bytes.Contains(data[v.Start:v.End], []byte("\n")) {
		s.flat = true
	}
	in := indentAt(data, last.start)
	sep := "," + s.newline + in
	if s.flat {
		sep = ","
	}
	return slices.Concat(data[:last.end], []byte(sep+write(s, in)), data[last.end:])
}

// cut takes part i out of the object or array v in data. Every other byte stays
// as it is, but for the space around the only part.
func cut(data []byte, v harness.Value, i int) []byte {
	all := parts(v)
	switch {
	case len(all) == 1:
		return slices.Concat(data[:v.Start+1], data[v.End-1:])
	case i == 0:
		return slices.Concat(data[:all[0].start], data[all[1].start:])
	}
	return slices.Concat(data[:all[i-1].end], data[all[i].end:])
}

package merge

import (
	"bytes"
	"fmt"
)

// Unified writes how b differs from a as diff -u does, with three lines around
// each change; nothing when they are the same. A binary text is only named.
func Unified(nameA, nameB string, a, b []byte) []byte {
	switch {
	case bytes.Equal(a, b):
		return nil
	case Binary(a) || Binary(b):
		return fmt.Appendf(nil, "Binary %s and %s differ\n", nameA, nameB)
	}
	x, y := Lines(a), Lines(b)
	out := fmt.Appendf(nil, "--- %s\n+++ %s\n", nameA, nameB)
	hunks := Diff(x, y)
	const around = 3
	for len(hunks) > 0 {
		n := 1
		for n < len(hunks) && hunks[n].A0-hunks[n-1].A1 <= 2*around {
			n++
		}
		out = group(out, x, y, hunks[:n], around)
		hunks = hunks[n:]
	}
	return out
}

// group writes hunks that lie close to each other as one.
func group(out []byte, x, y [][]byte, hunks []Hunk, around int) []byte {
	first, last := hunks[0], hunks[len(hunks)-1]
	before, after := min(around, first.A0), min(around, len(x)-last.A1)
	at := first.A0 - before
	out = fmt.Appendf(out, "@@ -%s +%s @@\n", span(at, last.A1+after), span(first.B0-before, last.B1+after))
	for _, h := range hunks {
		out = lines(out, ' ', x[at:h.A0])
		out = lines(out, '-', x[h.A0:h.A1])
		out = lines(out, '+', y[h.B0:h.B1])
		at = h.A1
	}
	return lines(out, ' ', x[at:at+after])
}

func span(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	default:
		return fmt.Sprintf("%d,%d", from+1, to-from)
	}
}

func lines(out []byte, mark byte, list [][]byte) []byte {
	for _, l := range list {
		out = append(append(out, mark), l...)
		if !bytes.HasSuffix(l, []byte("\n")) {
			out = append(out, "\n\\ No newline at end of file\n"...)
		}
	}
	return out
}

// Package merge compares and merges texts line by line. A line is whatever ends
// in a line feed, and the rest behind the last one: line ends, byte order marks
// and encodings are bytes like any other, and come out as they went in.
//
// The package is pure.
package merge

import "bytes"

// Lines splits a text behind every line feed. Joined, the lines are the text.
func Lines(text []byte) [][]byte {
	if len(text) == 0 {
		return nil
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if n := len(lines) - 1; len(lines[n]) == 0 {
		lines = lines[:n]
	}
	return lines
}

// looked is how many bytes are looked at to tell text from other data.
const looked = 8000

// Binary reports whether data is no text: a NUL is among its first bytes, as in
// programs, pictures, and UTF-16.
func Binary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), looked)], 0) >= 0
}

// intern gives equal lines the same number.
func intern(texts ...[][]byte) [][]int {
	numbers := map[string]int{}
	out := make([][]int, len(texts))
	for i, lines := range texts {
		out[i] = make([]int, len(lines))
		for j, l := range lines {
			n, ok := numbers[string(l)]
			if !ok {
				n = len(numbers)
				numbers[string(l)] = n
			}
			out[i][j] = n
		}
	}
	return out
}

package merge

import (
	"cmp"
	"slices"
)

// Hunk says that the lines A0 to A1 of one text are B0 to B1 of the other.
type Hunk struct{ A0, A1, B0, B1 int }

// Diff lists how b differs from a, in order. Hunks never touch each other. For
// texts that have little in common they may be larger than they need to be.
func Diff(a, b [][]byte) []Hunk {
	n := intern(a, b)
	return diff(n[0], n[1])
}

func diff(a, b []int) []Hunk {
	d := differ{a: a, b: b}
	d.anchored(0, len(a), 0, len(b))
	return d.hunks
}

type differ struct {
	a, b  []int
	hunks []Hunk
}

// add notes a hunk behind those that are there.
func (d *differ) add(h Hunk) {
	if h.A0 == h.A1 && h.B0 == h.B1 {
		return
	}
	if n := len(d.hunks) - 1; n >= 0 && d.hunks[n].A1 == h.A0 && d.hunks[n].B1 == h.B0 {
		d.hunks[n].A1, d.hunks[n].B1 = h.A1, h.B1
		return
	}
	d.hunks = append(d.hunks, h)
}

// trim leaves out what both have at the beginning and the end.
func (d *differ) trim(a0, a1, b0, b1 int) (int, int, int, int) {
	for a0 < a1 && b0 < b1 && d.a[a0] == d.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && d.a[a1-1] == d.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	return a0, a1, b0, b1
}

// anchored compares between lines that each side has exactly once: those are
// surely the same ones.
func (d *differ) anchored(a0, a1, b0, b1 int) {
	a0, a1, b0, b1 = d.trim(a0, a1, b0, b1)
	for _, at := range d.anchors(a0, a1, b0, b1) {
		d.between(a0, at[0], b0, at[1])
		a0, b0 = at[0]+1, at[1]+1
	}
	d.between(a0, a1, b0, b1)
}

func (d *differ) between(a0, a1, b0, b1 int) {
	a0, a1, b0, b1 = d.trim(a0, a1, b0, b1)
	if a0 == a1 || b0 == b1 || !d.shortest(a0, a1, b0, b1) {
		d.add(Hunk{a0, a1, b0, b1})
	}
}

// anchors are the pairs of unique lines that keep their order on both sides, as
// many as there can be.
func (d *differ) anchors(a0, a1, b0, b1 int) [][2]int {
	type count struct{ inA, inB, at int }
	counts := map[int]count{}
	for _, n := range d.a[a0:a1] {
		c := counts[n]
		c.inA++
		counts[n] = c
	}
	for i, n := range d.b[b0:b1] {
		c := counts[n]
		c.inB, c.at = c.inB+1, b0+i
		counts[n] = c
	}
	var pairs [][2]int
	for i, n := range d.a[a0:a1] {
		if c := counts[n]; c.inA == 1 && c.inB == 1 {
			pairs = append(pairs, [2]int{a0 + i, c.at})
		}
	}
	return rising(pairs)
}

// rising is the longest part of pairs whose second numbers rise.
func rising(pairs [][2]int) [][2]int {
	var tops []int // the smallest end of a rising part of each length
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(tops, p[1], func(t, want int) int { return cmp.Compare(pairs[t][1], want) })
		before[i] = -1
		if n > 0 {
			before[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	out := make([][2]int, len(tops))
	for n, i := len(tops)-1, tops[len(tops)-1]; i >= 0; n, i = n-1, before[i] {
		out[n] = pairs[i]
	}
	return out
}

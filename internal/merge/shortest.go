package merge

import "slices"

// maxEdits bounds how far the shortest way from one text to the other is looked
// for. Beyond it the whole stretch counts as changed.
const maxEdits = 1000

// shortest adds the hunks of the shortest way from a to b (the greedy algorithm
// of Myers), and reports whether it found one within maxEdits.
func (d *differ) shortest(a0, a1, b0, b1 int) bool {
	n, m := a1-a0, b1-b0
	most := min(n+m, maxEdits)
	ends := make([]int, 2*most+3) // by diagonal: the furthest line of a
	var trace [][]int
	for edits := 0; edits <= most; edits++ {
		trace = append(trace, slices.Clone(ends[most+1-edits:most+2+edits]))
		for k := -edits; k <= edits; k += 2 {
			x := step(ends, most+1, k, edits)
			for x < n && x-k < m && d.a[a0+x] == d.b[b0+x-k] {
				x++
			}
			ends[most+1+k] = x
			if x >= n && x-k >= m {
				d.walk(trace, a0, b0, n, m)
				return true
			}
		}
	}
	return false
}

// step is the furthest line that diagonal k reaches with one more edit.
func step(ends []int, mid, k, edits int) int {
	if edits == 0 {
		return 0
	}
	if k == -edits || k != edits && ends[mid+k-1] < ends[mid+k+1] {
		return ends[mid+k+1]
	}
	return ends[mid+k-1] + 1
}

// walk goes the way back and adds its hunks.
func (d *differ) walk(trace [][]int, a0, b0, x, y int) {
	var back []Hunk
	for edits := len(trace) - 1; edits > 0; edits-- {
		k := x - y
		row := trace[edits] // the ends after edits-1, diagonals from -edits to edits
		at := func(k int) int { return row[k+edits] }
		from := k - 1
		if k == -edits || k != edits && at(k-1) < at(k+1) {
			from = k + 1
		}
		px := at(from)
		py := px - from
		if from == k+1 {
			back = append(back, Hunk{a0 + px, a0 + px, b0 + py, b0 + py + 1})
		} else {
			back = append(back, Hunk{a0 + px, a0 + px + 1, b0 + py, b0 + py})
		}
		x, y = px, py
	}
	for _, h := range slices.Backward(back) {
		d.add(h)
	}
}

package merge

import (
	"bytes"
	"slices"
)

// Side says what becomes of a stretch that both sides changed differently.
type Side uint8

// The sides.
const (
	// Neither leaves the stretch undecided: ours stands in the text, and the
	// conflict is reported.
	Neither Side = iota
	// Ours and Theirs take that side's lines.
	Ours
	Theirs
	// Marked writes both, between lines of <<<<<<<, ======= and >>>>>>>, and
	// reports the conflict.
	Marked
)

// Options say how to merge. The names stand behind the markers.
type Options struct {
	Side                         Side
	OurName, BaseName, TheirName string
}

// Conflict is a stretch that both sides changed differently, by lines of the
// base and of each side.
type Conflict struct {
	Base, Ours, Theirs [2]int
}

// Result is a merged text.
type Result struct {
	Text []byte
	// Conflicts are the stretches that are undecided. Text is clean when there
	// are none.
	Conflicts []Conflict
	// Changed counts the stretches that came from theirs.
	Changed int
}

// Three merges: what differs between base and theirs is done to ours. Changes
// overlap when they are about the same lines, or put lines into the same place;
// those that are next to each other do not, and two that are the same are one.
// So of functions that were added one behind the other, any one can go.
func Three(base, ours, theirs []byte, o Options) Result {
	b, x, y := Lines(base), Lines(ours), Lines(theirs)
	n := intern(b, x, y)
	dx, dy := diff(n[0], n[1]), diff(n[0], n[2])
	m := merger{o: o, base: b, ours: x, theirs: y, nx: n[1], ny: n[2]}
	m.run(dx, dy)
	if m.joined {
		m = merger{o: o, base: b, ours: x, theirs: y, nx: n[1], ny: n[2], wide: true}
		m.run(dx, dy)
	}
	return m.out
}

type merger struct {
	o                  Options
	base, ours, theirs [][]byte
	nx, ny             []int // lines as numbers
	out                Result
	at                 int // how far base is done
	// wide takes changes that touch for overlapping. joined says that a line
	// without an end has got another one behind it, as only narrow ones can.
	wide, joined bool
}

// run goes through the changes of both sides in the order of the base.
func (m *merger) run(x, y []Hunk) {
	shiftX, shiftY := 0, 0
	for len(x) > 0 || len(y) > 0 {
		from, to := 0, 0
		switch {
		case len(y) == 0 || len(x) > 0 && before(x[0], y[0]):
			from, to = x[0].A0, x[0].A1
		default:
			from, to = y[0].A0, y[0].A1
		}
		i, j := 0, 0
		for grown := true; grown; {
			grown = false
			for i < len(x) && m.meets(x[i], from, to) {
				to, i, grown = max(to, x[i].A1), i+1, true
			}
			for j < len(y) && m.meets(y[j], from, to) {
				to, j, grown = max(to, y[j].A1), j+1, true
			}
		}
		// Where the stretch lies on each side, with the lines around a side's own
		// changes that only the other one has changed.
		sx, ex := from+shiftX, to+shiftX+growth(x[:i])
		sy, ey := from+shiftY, to+shiftY+growth(y[:j])
		m.copyTo(from)
		m.stretch(Conflict{Base: [2]int{from, to}, Ours: [2]int{sx, ex}, Theirs: [2]int{sy, ey}}, i > 0, j > 0)
		shiftX, shiftY = ex-to, ey-to
		m.at, x, y = to, x[i:], y[j:]
	}
	m.copyTo(len(m.base))
}

// before orders hunks; one that only puts lines in comes before another one at
// the same place.
func before(a, b Hunk) bool { return a.A0 < b.A0 || a.A0 == b.A0 && a.A1 <= b.A1 }

// meets reports whether a hunk belongs to a stretch that goes on until to: it
// begins in it, or both are the same place between lines.
func (m *merger) meets(h Hunk, from, to int) bool {
	return h.A0 < to || h.A0 == to && (m.wide || from == to && h.A1 == to)
}

// growth is how many lines hunks add.
func growth(hunks []Hunk) (n int) {
	for _, h := range hunks {
		n += h.B1 - h.B0 - (h.A1 - h.A0)
	}
	return n
}

// copyTo takes over what neither side has changed.
func (m *merger) copyTo(to int) { m.write(m.base[m.at:to]); m.at = to }

func (m *merger) write(lines [][]byte) {
	for _, l := range lines {
		if n := len(m.out.Text); n > 0 && m.out.Text[n-1] != '\n' {
			m.joined = true
		}
		m.out.Text = append(m.out.Text, l...)
	}
}

// stretch decides one changed stretch.
func (m *merger) stretch(c Conflict, ours, theirs bool) {
	x, y := m.ours[c.Ours[0]:c.Ours[1]], m.theirs[c.Theirs[0]:c.Theirs[1]]
	switch {
	case !theirs, slices.Equal(m.nx[c.Ours[0]:c.Ours[1]], m.ny[c.Theirs[0]:c.Theirs[1]]):
		m.write(x)
	case !ours, m.o.Side == Theirs:
		m.out.Changed++
		m.write(y)
	case m.o.Side == Ours:
		m.write(x)
	case m.o.Side == Marked:
		m.out.Conflicts = append(m.out.Conflicts, c)
		m.marked(x, m.base[c.Base[0]:c.Base[1]], y)
	default:
		m.out.Conflicts = append(m.out.Conflicts, c)
		m.write(x)
	}
}

// marked writes both sides and the base between markers, each on a line of its
// own that ends as the lines around it do.
func (m *merger) marked(ours, base, theirs [][]byte) {
	if n := len(m.out.Text); n > 0 && m.out.Text[n-1] != '\n' {
		m.joined = true
	}
	end := []byte("\n")
	if around := slices.Concat(m.base, m.ours); len(around) > 0 && bytes.HasSuffix(around[0], []byte("\r\n")) {
		end = []byte("\r\n")
	}
	section := func(marker, name string, lines [][]byte) {
		m.out.Text = append(m.out.Text, marker...)
		if name != "" {
			m.out.Text = append(append(m.out.Text, ' '), name...)
		}
		m.out.Text = append(m.out.Text, end...)
		m.write(lines)
		if n := len(m.out.Text); n > 0 && m.out.Text[n-1] != '\n' {
			m.out.Text = append(m.out.Text, end...)
		}
	}
	section("<<<<<<<", m.o.OurName, ours)
	section("|||||||", m.o.BaseName, base)
	section("=======", "", theirs)
	section(">>>>>>>", m.o.TheirName, nil)
}

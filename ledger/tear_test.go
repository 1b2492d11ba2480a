package ledger

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"testing"
)

// wholeBefore counts the records of data whose line is complete at cut, with
// or without its line break.
func wholeBefore(lines []Line, cut int) int {
	n := 0
	for _, l := range lines {
		if l.Offset+int64(l.Len) <= int64(cut) {
			n++
		}
	}
	return n
}

// TestEveryCut tears a ledger of 200 records at every byte: what was whole is
// kept, the next append goes on, the torn bytes stay and are named.
func TestEveryCut(t *testing.T) {
	data := fill(t, newDir(t), 200)
	lines, _ := scan(t, data)
	for cut := 0; cut <= len(data); cut++ {
		// Scanning all of it for every cut would be quadratic, so the scans
		// start at a good line shortly before the cut.
		kept := wholeBefore(lines, cut)
		from := Line{}
		if n := wholeBefore(lines, cut-1); n > 0 {
			from = lines[n-1]
		}
		checkTear(t, data[:cut], kept, from)
		if t.Failed() {
			t.Fatalf("cut at byte %d", cut)
		}
	}
}

// reused saves a buffer for each of some 60,000 scans.
var reused = bufio.NewReaderSize(nil, maxRead+2)

// scanFrom scans data and what comes behind it from the end of a good line on,
// which may be none.
func scanFrom(t *testing.T, data, behind []byte, from Line) (n int, last [2]Record, report Report) {
	t.Helper()
	s := scanner{prev: noPrev, decode: decode}
	if from.Len > 0 {
		s.prev, s.seq = prevOf(from.Hash), from.Record.Seq
		s.report.End = from.Offset + int64(from.Len) + 1
		s.report.Records = int(s.seq)
	}
	s.visit = func(l Line) error {
		last[0], last[1] = last[1], l.Record
		return nil
	}
	reused.Reset(io.MultiReader(bytes.NewReader(data[s.report.End:]), bytes.NewReader(behind)))
	if err := s.scan(reused); err != nil {
		t.Fatal(err)
	}
	return s.report.Records, last, s.report
}

// checkTear appends to a ledger with a damaged tail behind kept good records,
// of which from is one.
func checkTear(t *testing.T, torn []byte, kept int, from Line) {
	t.Helper()
	n, _, report := scanFrom(t, torn, nil, from)
	if n != kept || report.Corrupt() {
		t.Errorf("%d records before, want %d: %+v", n, kept, report.Damage)
	}
	tornTail := len(report.Damage) == 1 && report.Damage[0].State == Torn
	m := &memory{Reader: bytes.NewReader(torn)} // what is written goes behind
	if _, err := appendTo(m, int64(len(torn)), some(1), true); err != nil {
		t.Fatal(err)
	}
	n, last, report := scanFrom(t, torn, m.data, from)
	if want := kept + 1 + len(report.Damage); n != want || report.Corrupt() {
		t.Errorf("%d records after, want %d: %+v", n, want, report.Damage)
	}
	if !tornTail {
		return
	}
	if len(report.Damage) != 1 || report.Damage[0].State != Healed {
		t.Fatalf("damage after healing: %+v", report.Damage)
	}
	gap := last[0].Gap
	sum := sha256.Sum256(torn[gap.Offset:])
	if last[0].Kind != Recovered || gap.Offset+gap.Len != int64(len(torn)) || gap.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("the gap is not named: %+v", gap)
	}
}

// TestGarbageTails puts what crashed disks leave behind a good ledger.
func TestGarbageTails(t *testing.T) {
	data := fill(t, newDir(t), 5)
	rnd := rand.New(rand.NewPCG(7, 7))
	noise := make([]byte, 300<<10)
	for i := range noise {
		noise[i] = byte(rnd.Uint32())
	}
	half := data[:len(data)-20]
	for name, tail := range map[string][]byte{
		"a sector of zeros":      make([]byte, 512),
		"many sectors of zeros":  make([]byte, 200<<10),
		"noise":                  noise,
		"one line break":         []byte("\n"),
		"many line breaks":       bytes.Repeat([]byte("\n"), 10_000),
		"half a record":          half[len(half)-50:],
		"a long line":            bytes.Repeat([]byte("x"), maxRead+1),
		"JSON that is no record": []byte(`{"v":1,"seq":6}` + "\n"),
		"two broken lines":       []byte("{\n{"),
	} {
		t.Run(name, func(t *testing.T) {
			checkTear(t, append(bytes.Clone(data), tail...), 5, Line{})
		})
	}
}

// TestEveryFlip changes every byte of a ledger in two ways. Damage before
// the last line is corruption, damage in it looks like a torn tail; records
// that are not touched stay readable.
func TestEveryFlip(t *testing.T) {
	data := fill(t, newDir(t), 8)
	data = append(data, `{"half":`...)
	data = add(t, data, some(4)) // a healed gap is covered as well
	lines, _ := scan(t, data)
	last := lines[len(lines)-1]
	for i := range data {
		for _, x := range []byte{1, '\n' ^ data[i]} {
			if x == 0 {
				continue
			}
			bad := bytes.Clone(data)
			bad[i] ^= x
			got, report := scan(t, bad)
			switch {
			case i == len(data)-1:
				// The last line lost its end: nothing can be told from a tear.
			case int64(i) >= last.Offset-1:
				// The line break before the last line is part of its tear.
				if len(report.Damage) == 0 || report.Damage[len(report.Damage)-1].State != Torn {
					t.Fatalf("byte %d ^ %#x: %+v", i, x, report.Damage)
				}
			case !report.Corrupt():
				t.Fatalf("byte %d ^ %#x is not noticed: %+v", i, x, report.Damage)
			}
			if len(got) < len(lines)-2 {
				t.Fatalf("byte %d ^ %#x: %d of %d records left", i, x, len(got), len(lines))
			}
		}
	}
}

// TestMissingLines takes whole lines away, or swaps them.
func TestMissingLines(t *testing.T) {
	data := fill(t, newDir(t), 6)
	rows := bytes.SplitAfter(data, []byte("\n"))[:6]
	for i := range 5 {
		var bad []byte
		for j, row := range rows {
			if j != i {
				bad = append(bad, row...)
			}
		}
		if _, report := scan(t, bad); !report.Corrupt() {
			t.Errorf("line %d is gone and nobody noticed", i+1)
		}
		swapped := bytes.Join([][]byte{rows[1], rows[0], rows[2]}, nil)
		if _, report := scan(t, swapped); !report.Corrupt() {
			t.Error("swapped lines")
		}
	}
}

// TestDamageAffects blocks what the damage is about and nothing else.
func TestDamageAffects(t *testing.T) {
	dir := newDir(t)
	for i, r := range []Record{
		{ID: id(1), Kind: Armed}, {ID: id(2), Kind: Armed}, {ID: id(1), Kind: Settled}, {ID: id(3), Kind: Armed},
	} {
		if _, err := Append(t.Context(), dir, r, AppendOptions{}); err != nil {
			t.Fatal(i, err)
		}
	}
	data := load(t, dir)
	lines, _ := scan(t, data)
	affected := func(bad []byte) (ids []string) {
		got, report := scan(t, bad)
		var records []Record
		for _, l := range got {
			records = append(records, l.Record)
		}
		for _, s := range Fold(records) {
			for _, d := range report.Damage {
				if d.Affects(s) {
					ids = append(ids, s.ID)
				}
			}
		}
		return ids
	}
	at := lines[2].Offset
	readable := bytes.Clone(data)
	readable[at+int64(lines[2].Len)-3] ^= 1
	if got := affected(readable); len(got) != 1 || got[0] != id(1) {
		t.Errorf("with a readable id: %v", got)
	}
	blind := bytes.Clone(data)
	copy(blind[at:], bytes.Repeat([]byte{'x'}, lines[2].Len))
	if got := affected(blind); len(got) != 2 || got[0] != id(2) || got[1] != id(1) {
		t.Errorf("without an id, what was armed before: %v", got)
	}
}

// TestAlteredRecord changes a record and its sum: the next one gives it away.
func TestAlteredRecord(t *testing.T) {
	data := fill(t, newDir(t), 4)
	lines, _ := scan(t, data)
	altered := lines[1].Record
	altered.Command = "rm -rf [src] & 'x'" // as long as before
	line, err := encode(altered)
	if err != nil || len(line) != lines[1].Len {
		t.Fatal(err, len(line))
	}
	bad := bytes.Clone(data)
	copy(bad[lines[1].Offset:], line)
	got, report := scan(t, bad)
	if len(got) != 4 || len(report.Damage) != 1 || report.Damage[0].State != Corrupt {
		t.Fatalf("%d records, %+v", len(got), report.Damage)
	}
	if ids := report.Damage[0].IDs; len(ids) != 2 || ids[0] != altered.ID {
		t.Errorf("it is about %v", ids)
	}
}

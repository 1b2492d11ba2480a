package merge_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterstep/counterstep/internal/merge"
)

// text draws texts that have much in common: few lines, few letters, all kinds
// of line ends.
func text(t *rapid.T, name string) []byte {
	n := rapid.IntRange(0, 12).Draw(t, name+" lines")
	var out []byte
	for range n {
		out = append(out, rapid.SampledFrom([]string{"a\n", "b\n", "c\r\n", "d\n", "\n", "e\n", "f\n", "\xff\n"}).Draw(t, name)...)
	}
	return append(out, rapid.SampledFrom([]string{"", "", "z", "a"}).Draw(t, name+" end")...)
}

// edited draws a text that differs from another in a few places.
func edited(t *rapid.T, name string, of []byte) []byte {
	lines := slices.Clone(merge.Lines(of))
	for range rapid.IntRange(0, 3).Draw(t, name+" edits") {
		if len(lines) == 0 {
			break
		}
		i := rapid.IntRange(0, len(lines)-1).Draw(t, name+" at")
		switch rapid.IntRange(0, 2).Draw(t, name+" how") {
		case 0:
			lines = slices.Delete(lines, i, i+1)
		case 1:
			lines = slices.Insert(lines, i, []byte(name+"\n"))
		default:
			lines[i] = []byte(name + "!\n")
		}
	}
	return slices.Concat(lines...)
}

func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := text(t, "b")
		x, y := edited(t, "x", b), edited(t, "y", b)
		if rapid.Bool().Draw(t, "free") {
			y = text(t, "y")
		}
		for _, law := range []struct {
			name                     string
			base, ours, theirs, want []byte
		}{{"(b,x,x)=x", b, x, x, x}, {"(b,b,y)=y", b, b, y, y}, {"(b,x,b)=x", b, x, b, x}} {
			r := merge.Three(law.base, law.ours, law.theirs, merge.Options{})
			if !bytes.Equal(r.Text, law.want) || len(r.Conflicts) > 0 {
				t.Fatalf("%s: %q with %d conflicts, want %q", law.name, r.Text, len(r.Conflicts), law.want)
			}
		}
		r, s := merge.Three(b, x, y, merge.Options{}), merge.Three(b, y, x, merge.Options{})
		if len(r.Conflicts) != len(s.Conflicts) || len(r.Conflicts) == 0 && !bytes.Equal(r.Text, s.Text) {
			t.Fatalf("not symmetric: %q and %q", r.Text, s.Text)
		}
		for i, c := range r.Conflicts {
			if o := s.Conflicts[i]; c.Base != o.Base || c.Ours != o.Theirs || c.Theirs != o.Ours {
				t.Fatalf("conflict %+v is %+v the other way round", c, o)
			}
		}
		o, p := merge.Three(b, x, y, merge.Options{Side: merge.Ours}), merge.Three(b, y, x, merge.Options{Side: merge.Theirs})
		if !bytes.Equal(o.Text, p.Text) || len(o.Conflicts) > 0 {
			t.Fatalf("ours %q is not theirs %q of the other way round", o.Text, p.Text)
		}
	})
}

// Every diff, applied, gives the other text, and its hunks do not touch.
func TestDiffApplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := text(t, "a")
		b := text(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = edited(t, "b", a)
		}
		x, y := merge.Lines(a), merge.Lines(b)
		var got [][]byte
		at := 0
		for i, h := range merge.Diff(x, y) {
			if h.A0 < at || i > 0 && h.A0 == at {
				t.Fatalf("hunk %+v touches the one before", h)
			}
			got = append(append(got, x[at:h.A0]...), y[h.B0:h.B1]...)
			at = h.A1
		}
		got = append(got, x[at:]...)
		if !bytes.Equal(slices.Concat(got...), b) {
			t.Fatalf("%q, want %q", slices.Concat(got...), b)
		}
	})
}

// Where the stretches are the same, git says the same.
func TestAsGitDoes(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("SKIPPED: no git to compare with")
	}
	dir := t.TempDir()
	same, clean := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		b := text(t, "b")
		x, y := edited(t, "x", b), edited(t, "y", b)
		for name, data := range map[string][]byte{"b": b, "x": x, "y": y} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.Command(git, "merge-file", "-p", "-q", "x", "b", "y")
		c.Dir = dir
		out, err := c.Output()
		r := merge.Three(b, x, y, merge.Options{})
		if err != nil || len(r.Conflicts) > 0 {
			return
		}
		clean++
		if bytes.Equal(out, r.Text) {
			same++
		}
	})
	if same*100 < clean*90 {
		t.Errorf("git merges %d of %d differently", clean-same, clean)
	}
}

func TestKeepsBytes(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"CRLF", "a\r\nb\r\nc\r\nd\r\n", "a\r\nB\r\nc\r\nd\r\n", "a\r\nb\r\nc\r\nD\r\n", "a\r\nB\r\nc\r\nD\r\n"},
		{"no line feed at the end", "a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"},
		{"a line feed at the end only on one side", "a\nb\nc", "A\nb\nc", "a\nb\nc\n", "A\nb\nc\n"},
		{"byte order mark", "\ufeffa\nb\nc\n", "\ufeffa\nb\nC\n", "\ufeffA\nb\nc\n", "\ufeffA\nb\nC\n"},
		{"latin 1", "\xe4\nb\n\xf6\n", "\xe4\nb\n\xd6\n", "\xc4\nb\n\xf6\n", "\xc4\nb\n\xd6\n"},
		{"old Mac line ends are one line", "a\rb\r", "a\rb\r", "a\rB\r", "a\rB\r"},
	} {
		r := merge.Three([]byte(c.base), []byte(c.ours), []byte(c.theirs), merge.Options{})
		if string(r.Text) != c.want || len(r.Conflicts) > 0 {
			t.Errorf("%s: %q with %d conflicts", c.name, r.Text, len(r.Conflicts))
		}
	}
}

func TestMarkers(t *testing.T) {
	o := merge.Options{Side: merge.Marked, OurName: "now", BaseName: "left by #2", TheirName: "before #2"}
	r := merge.Three([]byte("a\r\nb\r\nc"), []byte("a\r\nx\r\nc"), []byte("a\r\ny"), o)
	want := "a\r\n<<<<<<< now\r\nx\r\nc\r\n||||||| left by #2\r\nb\r\nc\r\n=======\r\ny\r\n>>>>>>> before #2\r\n"
	if string(r.Text) != want || len(r.Conflicts) != 1 {
		t.Errorf("%q with %d conflicts\nwant %q", r.Text, len(r.Conflicts), want)
	}
	for side, want := range map[merge.Side]string{merge.Neither: "a\nx\n", merge.Ours: "a\nx\n", merge.Theirs: "a\ny\n"} {
		r := merge.Three([]byte("a\nb\n"), []byte("a\nx\n"), []byte("a\ny\n"), merge.Options{Side: side})
		if string(r.Text) != want || (len(r.Conflicts) == 1) != (side == merge.Neither) {
			t.Errorf("side %d: %q with %d conflicts", side, r.Text, len(r.Conflicts))
		}
	}
}

// Texts that have nothing in common cost no more than they must.
func TestLargeAndUnlike(t *testing.T) {
	a, b := bytes.Repeat([]byte("a\nb\n"), 20_000), bytes.Repeat([]byte("c\na\nd\n"), 20_000)
	r := merge.Three(a, b, a, merge.Options{})
	if !bytes.Equal(r.Text, b) {
		t.Error("merging nothing into a large text changes it")
	}
}

func TestUnified(t *testing.T) {
	got := string(merge.Unified("a/x", "b/x", []byte("1\n2\n3\n4\n5\n6\n7\n8\n9"), []byte("1\nzwei\n3\n4\n5\n6\n7\n8\n9\n")))
	want := "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n 1\n-2\n+zwei\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n\\ No newline at end of file\n+9\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := string(merge.Unified("a", "b", nil, []byte("x\n"))); got != "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n" {
		t.Errorf("a new file: %q", got)
	}
	if merge.Unified("a", "b", []byte("x"), []byte("x")) != nil {
		t.Error("a diff of equals")
	}
}

// What was added at the end, one after the other, can go one by one.
func TestNeighbours(t *testing.T) {
	for _, c := range []struct {
		name, base, ours, theirs, want string
		conflicts                      int
	}{
		{"added behind what goes", "a\nB\n", "a\nB\nC\n", "a\n", "a\nC\n", 0},
		{"added before what goes", "a\nB\n", "a\nC\nB\n", "a\n", "a\nC\n", 0},
		{"the next line was changed", "a\nB\nc\n", "a\nB\nC\n", "a\nb\nc\n", "a\nb\nC\n", 0},
		{"both added at one place", "a\n", "a\nx\n", "a\ny\n", "a\nx\n", 1},
		{"inside of what goes", "a\nB\nC\nd\n", "a\nB\nx\nC\nd\n", "a\nd\n", "a\nB\nx\nC\nd\n", 1},
		{"a line without an end gets no neighbour", "a\nb\n", "a\nb\nc\n", "a", "a\nb\nc\n", 1},
	} {
		r := merge.Three([]byte(c.base), []byte(c.ours), []byte(c.theirs), merge.Options{})
		if string(r.Text) != c.want || len(r.Conflicts) != c.conflicts {
			t.Errorf("%s: %q with %d conflicts", c.name, r.Text, len(r.Conflicts))
		}
	}
}

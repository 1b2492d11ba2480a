package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestAppendChainsRecords(t *testing.T) {
	dir := newDir(t)
	var want []Record
	for i := range 9 {
		r, err := Append(t.Context(), dir, some(i), AppendOptions{Sync: i%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		if r.V != Version || r.Seq != uint64(i+1) {
			t.Fatalf("record %d: v %d seq %d", i, r.V, r.Seq)
		}
		want = append(want, r)
	}
	got, report, err := ReadAll(dir)
	if err != nil || len(report.Damage) > 0 {
		t.Fatal(err, report)
	}
	if !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
		t.Error(cmp.Diff(want, got))
	}
	if want[0].Prev != noPrev || want[1].Prev == noPrev {
		t.Error("the chain does not start with zeros")
	}
	if info, err := os.Stat(Path(dir)); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if loc := got[0].Time.Location(); loc != time.UTC {
		t.Errorf("time in %v", loc)
	}
}

// TestEveryFault fails each write and sync of a few appends, before and after
// part of the bytes: what was acknowledged stays, the next append heals.
func TestEveryFault(t *testing.T) {
	for _, part := range []int{0, 1, 40, 5000} {
		for n := 1; ; n++ {
			m := inMemory(fill(t, newDir(t), 3))
			acknowledged, failed := 3, false
			for i := range 4 {
				m.fail, m.part = n, part
				m.Reader = bytes.NewReader(m.data)
				if _, err := appendTo(m, int64(len(m.data)), some(i), true); err == nil {
					acknowledged++
				} else {
					failed = true
				}
			}
			lines, report := scan(t, m.data)
			if report.Corrupt() || len(lines) < acknowledged {
				t.Fatalf("operation %d, %d bytes of it: %d of %d records: %+v", n, part, len(lines), acknowledged, report.Damage)
			}
			if !failed {
				break
			}
		}
	}
}

func TestAppendSyncsOnceAndOnlyWhenAsked(t *testing.T) {
	m := inMemory(nil)
	for i, sync := range []bool{true, false, true} {
		m.Reader = bytes.NewReader(m.data)
		if _, err := appendTo(m, int64(len(m.data)), some(i), sync); err != nil {
			t.Fatal(err)
		}
	}
	if m.syncs != 2 || m.ops != 5 {
		t.Errorf("%d syncs, %d operations", m.syncs, m.ops)
	}
}

func TestAppendWaitsForTheLockAndGivesUp(t *testing.T) {
	dir := newDir(t)
	unlock, err := durable.Lock(t.Context(), LockPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Append(ctx, dir, some(1), AppendOptions{}); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("got %v", err)
	}
	if _, err := Append(t.Context(), dir, some(1), AppendOptions{Locked: true}); err != nil {
		t.Errorf("with the lock held by us: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := Append(t.Context(), dir, some(2), AppendOptions{}); err != nil {
		t.Error(err)
	}
}

func TestALinkIsNoLedger(t *testing.T) {
	dir := newDir(t)
	target := filepath.Join(t.TempDir(), "precious")
	if err := errors.Join(os.WriteFile(target, []byte("x"), 0o600), os.Symlink(target, Path(dir))); err != nil {
		t.Fatal(err)
	}
	if _, err := Append(t.Context(), dir, some(1), AppendOptions{}); err == nil {
		t.Error("it was followed")
	}
	if _, err := Tail(dir, 1); err == nil {
		t.Error("it was read")
	}
}

// TestAnyRecordFitsALine makes every field too long.
func TestAnyRecordFitsALine(t *testing.T) {
	long := strings.Repeat("ü\x00", 5000)
	names := []Name{"/a", Name(strings.Repeat("\xff", 4096)), "/b"}
	for range 300 {
		names = append(names, "/some/directory/with/a/file")
	}
	texts := make([]string, 100)
	for i := range texts {
		texts[i] = long
	}
	full := Record{
		ID: id(1), Kind: Armed, Time: time.Unix(1<<40, 0), Harness: long, Session: long, Prompt: long, Call: long,
		Agent: long, Tool: long, Cwd: Name(strings.Repeat("\xff", 4096)), Class: long, Command: long, CallSHA: long,
		Inverse: long, Fingerprint: long, Proof: &Proof{Kind: long, Reason: long}, Manifest: long, Reason: long,
		Hint: long, Undoes: long, Paths: names, Barrier: texts, Temps: names, Shared: names, Candidates: texts, Surprise: names,
		Extra: map[string]json.RawMessage{"later": json.RawMessage(`"` + strings.Repeat("x", 5000) + `"`)},
	}
	one := func(change func(*Record)) Record {
		r := some(0)
		change(&r)
		return r
	}
	for name, r := range map[string]Record{
		"everything":    full,
		"command":       one(func(r *Record) { r.Command = long }),
		"paths":         one(func(r *Record) { r.Paths = names }),
		"one long path": one(func(r *Record) { r.Paths = names[1:2] }),
		"one barrier":   one(func(r *Record) { r.Barrier = texts[:1] }),
		"one candidate": one(func(r *Record) { r.Candidates = texts[:1] }),
		"temps":         one(func(r *Record) { r.Temps = names }),
		"cwd":           one(func(r *Record) { r.Cwd = full.Cwd }),
		"extra":         one(func(r *Record) { r.Extra = full.Extra }),
		"reason":        one(func(r *Record) { r.Reason = long }),
	} {
		data := add(t, nil, r)
		lines, report := scan(t, data)
		if len(data) > MaxLine || len(lines) != 1 || len(report.Damage) > 0 {
			t.Errorf("%s: %d bytes, %d lines, %v", name, len(data), len(lines), report.Damage)
			continue
		}
		got := lines[0].Record
		if len(got.Cut) == 0 || len(got.Command) > MaxCommand || !utf8.ValidString(got.Command) {
			t.Errorf("%s: cut %v, command %q", name, got.Cut, got.Command)
		}
		if got.ID != r.ID || got.Kind != r.Kind || len(got.Paths)+got.More != len(r.Paths) {
			t.Errorf("%s: %d paths and %d more of %d", name, len(got.Paths), got.More, len(r.Paths))
		}
	}
}

func TestUnknownKindsAndFieldsAreKept(t *testing.T) {
	r := some(1)
	r.Kind = "dreamt"
	r.Extra = map[string]json.RawMessage{
		"zz": json.RawMessage(`{ "a" : [1, "<&>"] }`), "aa": json.RawMessage("1e3"), "id": json.RawMessage(`"evil"`),
		"sum": json.RawMessage(`"x"`), "\"\n": json.RawMessage("null"),
	}
	data := add(t, nil, r)
	lines, _ := scan(t, data)
	got := lines[0].Record
	if got.Kind != "dreamt" || got.ID != r.ID || len(got.Extra) != 3 || string(got.Extra["zz"]) != `{"a":[1,"<&>"]}` {
		t.Fatalf("%+v", got)
	}
	again, err := encode(got)
	if err != nil || !bytes.Equal(again, data[:len(data)-1]) {
		t.Errorf("encoded again it is\n%s\n%s", again, data)
	}
}

func TestNamesAreBytes(t *testing.T) {
	for _, name := range []Name{
		"/plain", "/with \"quotes\" \\", "/new\nline", "/\xff\xfe", "/\u202e", "/<&>", "/\u2028", "/emoji 🙂",
		Name(strings.Repeat("\x80", 255)), "",
	} {
		data, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		var got Name
		if err := json.Unmarshal(data, &got); err != nil || got != name {
			t.Errorf("%q became %q through %s: %v", name, got, data, err)
		}
		if bytes.ContainsAny(data, "\n\u202e\u2028") {
			t.Errorf("%q is not escaped: %s", name, data)
		}
	}
	for _, bad := range []string{`{}`, `"x"`, `null`, `{"path":"a","path_b64":"YQ=="}`, `{"path_b64":"a"}`, `{"path":1}`} {
		var n Name
		if err := json.Unmarshal([]byte(bad), &n); err == nil {
			t.Errorf("%s is read as %q", bad, n)
		}
	}
}

func TestStrangeTimesAreWritten(t *testing.T) {
	for _, when := range []time.Time{{}, time.Unix(-1<<40, 0), time.Unix(1<<55, 0), time.Date(2262, 4, 12, 0, 0, 0, 0, time.UTC)} {
		r := some(0)
		r.Time = when
		if lines, _ := scan(t, add(t, nil, r)); len(lines) != 1 {
			t.Errorf("%v", when)
		}
	}
}

func TestTailReadsNewestFirst(t *testing.T) {
	dir := newDir(t)
	if got, err := Tail(dir, 5); err != nil || got != nil {
		t.Errorf("no ledger: %v, %v", got, err)
	}
	if got, report, err := ReadAll(dir); err != nil || got != nil || report.End != 0 {
		t.Errorf("no ledger: %v, %v", got, err)
	}
	fill(t, dir, 700) // several blocks
	for _, n := range []int{0, 1, 2, 50, 700, 1000} {
		got, err := Tail(dir, n)
		if err != nil || len(got) != min(n, 700) {
			t.Fatalf("tail of %d: %d, %v", n, len(got), err)
		}
		for i, r := range got {
			if r.Seq != uint64(700-i) {
				t.Fatalf("tail of %d: record %d has number %d", n, i, r.Seq)
			}
		}
	}
}

func TestTailPassesOverDamage(t *testing.T) {
	dir := newDir(t)
	data := fill(t, dir, 3)
	rows := bytes.SplitAfter(data, []byte("\n"))
	bad := bytes.Join([][]byte{rows[0], bytes.Repeat([]byte{0}, 200<<10), []byte("\n\n"), rows[1], rows[2], []byte(`{"v`)}, nil)
	if err := os.WriteFile(Path(dir), bad, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Tail(dir, 10)
	if err != nil || len(got) != 3 {
		t.Errorf("%d records, %v", len(got), err)
	}
}

func TestFind(t *testing.T) {
	dir := newDir(t)
	fill(t, dir, 40)
	// 1 is armed and 2 settles it.
	got, err := Find(dir, strings.ToLower(id(1)))
	if err != nil || len(got) != 2 || got[0].Kind != Settled || got[1].Kind != Armed {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Find(dir, id(0)[:20]); err != nil || len(got) != 40 {
		t.Errorf("a prefix: %d, %v", len(got), err)
	}
	for _, none := range []string{"X", `"`, id(1) + "0"} {
		if got, err := Find(dir, none); err != nil || len(got) != 0 {
			t.Errorf("%q: %v, %v", none, got, err)
		}
	}
}

func TestScanStopsWhenTold(t *testing.T) {
	data := fill(t, newDir(t), 3)
	_, err := Scan(bytes.NewReader(data), func(Line) error { return fs.SkipAll })
	if !errors.Is(err, fs.SkipAll) {
		t.Error(err)
	}
}

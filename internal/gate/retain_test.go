package gate

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// kept is a store with a clock that a test sets.
type kept struct {
	*testing.T
	g   *Gate
	st  *store.Store
	now time.Time
	n   byte
}

func newKept(t *testing.T) *kept {
	t.Helper()
	st, err := store.Create(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	k := &kept{T: t, st: st, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	k.g = &Gate{Store: st.Dir(), Home: t.TempDir(), StateHome: t.TempDir(), Now: func() time.Time { return k.now }, NewID: k.id}
	return k
}

// id is a ULID of the clock's time.
func (k *kept) id() string {
	k.n++
	return ulid.MustNew(ulid.Timestamp(k.now), strings.NewReader(strings.Repeat(string(rune('a'+k.n%26)), 10))).String()
}

func (k *kept) record(kind ledger.Kind, id string) {
	k.Helper()
	r := ledger.Record{ID: id, Kind: kind, Time: k.now}
	if kind == ledger.Armed {
		r.Manifest = strings.Repeat("0", 64)
	}
	if _, err := ledger.Append(context.Background(), k.st.LedgerDir(), r, ledger.AppendOptions{}); err != nil {
		k.Fatal(err)
	}
}

// payload makes a folder as it stands for a payload.
func (k *kept) payload() string {
	k.Helper()
	id := k.id()
	if err := os.Mkdir(filepath.Join(k.st.ShadowDir(), id), 0o500); err != nil {
		k.Fatal(err)
	}
	return id
}

func (k *kept) armed() string {
	k.Helper()
	id := k.payload()
	k.record(ledger.Armed, id)
	return id
}

// days passes n days, with a call on each.
func (k *kept) days(n int) {
	k.Helper()
	for range n {
		k.now = k.now.Add(day)
		k.record(ledger.Call, k.id())
	}
}

func (k *kept) retain() {
	k.Helper()
	if err := k.g.retain(context.Background(), k.st); err != nil {
		k.Fatal(err)
	}
}

func (k *kept) holds(id string) bool {
	k.Helper()
	ids, err := k.st.IDs()
	if err != nil {
		k.Fatal(err)
	}
	return slices.Contains(ids, id)
}

// forgotten counts the records that say that id was let go.
func (k *kept) forgotten(id string) (n int) {
	k.Helper()
	records, report, err := ledger.ReadAll(k.st.LedgerDir())
	if err != nil || report.Corrupt() {
		k.Fatal(err, report)
	}
	for _, r := range records {
		if r.ID == id && r.Kind == ledger.Forgotten && r.Reason != "" {
			n++
		}
	}
	return n
}

func (k *kept) want(what, id string, held bool, records int) {
	k.Helper()
	if got, n := k.holds(id), k.forgotten(id); got != held || n != records {
		k.Errorf("%s: held %v, %d records; want %v, %d", what, got, n, held, records)
	}
}

// TestPayloadsAreKeptForDays: after 14 days a payload goes, with a record of
// it, whether it was fired or not; never one whose firing is not finished.
func TestPayloadsAreKeptForDays(t *testing.T) {
	k := newKept(t)
	k.record(ledger.Call, k.id())
	old, fired, firing, late := k.armed(), k.armed(), k.armed(), k.armed()
	k.record(ledger.Fired, fired)
	k.record(ledger.Firing, firing)
	k.days(10)
	young := k.armed()
	k.record(ledger.Fired, late)
	k.days(4)
	k.retain()
	k.want("on the 14th day", old, true, 0)
	k.days(1)
	k.retain()
	k.want("old", old, false, 1)
	k.want("old and fired", fired, false, 1)
	k.want("being fired", firing, true, 0)
	k.want("used lately", late, true, 0)
	k.want("young", young, true, 0)
}

// TestNothingIsOldByAJumpOfTheClock: a clock that was wrong when the call was
// armed, or is wrong now, makes no payload go.
func TestNothingIsOldByAJumpOfTheClock(t *testing.T) {
	for name, jump := range map[string]func(k *kept){
		"before the next call": func(k *kept) { k.now = k.now.AddDate(6, 0, 0) },
		"with calls after it": func(k *kept) {
			k.now = k.now.AddDate(6, 0, 0)
			k.record(ledger.Call, k.id())
			k.days(2)
		},
		"there and back": func(k *kept) {
			for range 5 {
				k.now = k.now.AddDate(6, 0, 0)
				k.record(ledger.Call, k.id())
				k.now = k.now.AddDate(-6, 0, 0)
				k.record(ledger.Call, k.id())
			}
			k.now = k.now.AddDate(6, 0, 0)
		},
		"back": func(k *kept) { k.now = k.now.AddDate(-6, 0, 0) },
	} {
		k := newKept(t)
		k.record(ledger.Call, k.id())
		id, orphan := k.armed(), ""
		if !strings.Contains(name, "calls") && !strings.Contains(name, "there") {
			orphan = k.payload()
		}
		jump(k)
		k.retain()
		k.want(name, id, true, 0)
		if orphan != "" {
			k.want(name+", not armed yet", orphan, true, 0)
		}
	}
}

// TestPayloadsWithoutARecord: a call that was blocked between its payload and
// its record leaves a payload that nobody can fire.
func TestPayloadsWithoutARecord(t *testing.T) {
	k := newKept(t)
	k.record(ledger.Call, k.id())
	id := k.payload()
	k.days(1)
	k.retain()
	k.want("a day old", id, true, 0)
	k.days(2)
	k.retain()
	k.want("older", id, false, 1)

	// In a ledger with damage the record may be there and not be read.
	id = k.payload()
	k.record(ledger.Armed, k.id())
	path := ledger.Path(k.st.LedgerDir())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[40] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	k.days(5)
	k.retain()
	if !k.holds(id) {
		t.Error("a payload went whose record may be damaged")
	}
}

// TestRetentionIsFinished: killed between the records and the removal, the next
// one removes what was said to be gone, and says it once.
func TestRetentionIsFinished(t *testing.T) {
	k := newKept(t)
	id := k.armed()
	k.days(2)
	rec := ledger.Record{ID: id, Kind: ledger.Forgotten, Time: k.now, Reason: "kept for 14 days"}
	if _, err := ledger.Append(context.Background(), k.st.LedgerDir(), rec, ledger.AppendOptions{}); err != nil {
		t.Fatal(err)
	}
	k.retain()
	k.want("said to be gone", id, false, 1)
}

// TestRetentionIsRare: once a day, never while something is fired, and not all
// of a large store in one call.
func TestRetentionIsRare(t *testing.T) {
	k := newKept(t)
	first := k.armed()
	k.retain()
	k.days(20)
	k.retain()
	k.want("due", first, false, 1)
	second := k.armed()
	k.record(ledger.Forgotten, second)
	k.now = k.now.Add(23 * time.Hour)
	k.retain()
	if !k.holds(second) {
		t.Error("twice a day")
	}
	k.now = k.now.Add(3 * time.Hour)
	unlock, err := lockFire(context.Background(), k.st)
	if err != nil {
		t.Fatal(err)
	}
	k.retain()
	if !k.holds(second) {
		t.Error("while something is fired")
	}
	unlock()
	k.retain()
	if k.holds(second) {
		t.Error("not after the firing")
	}

	for range retainBatch + 5 {
		k.now = k.now.Add(time.Second)
		k.armed()
	}
	k.days(20)
	for _, left := range []int{5, 0, 0} {
		k.retain()
		if ids, err := k.st.IDs(); err != nil || len(ids) != left {
			t.Errorf("%d payloads left, %v; want %d", len(ids), err, left)
		}
	}
	k.now = k.now.AddDate(-1, 0, 0)
	third := k.payload()
	k.record(ledger.Forgotten, third)
	k.now = k.now.Add(2 * day)
	k.retain()
	if k.holds(third) {
		t.Error("a mark from the future stops it")
	}
}

// TestRetentionComesWithACall: the whole way. What is kept of a call can be
// fired until it goes, and then the ledger says since when it cannot.
func TestRetentionComesWithACall(t *testing.T) {
	k := newKept(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	call := func(command string) {
		t.Helper()
		r := Request{Harness: "claude", Session: "s", CallID: k.id(), Cwd: dir, Tool: "Bash", Input: Input{Kind: Shell, Command: command}}
		r.Event = Before
		if d := k.g.Decide(context.Background(), r); d.Refused || d.Fault {
			t.Fatalf("%s: %+v", command, d)
		}
		r.Event = After
		if d := k.g.Decide(context.Background(), r); d.Note != "" {
			t.Fatalf("%s: %+v", command, d)
		}
	}
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	call("rm f")
	ids, err := k.st.IDs()
	if err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	for range 14 {
		k.now = k.now.Add(day)
		call("ls")
	}
	k.want("after 14 days", ids[0], true, 0)
	k.now = k.now.Add(day)
	call("ls")
	k.want("after 15 days", ids[0], false, 1)
	if _, ok, err := k.st.Post(ids[0]); ok || err != nil {
		t.Errorf("what the call left is still held: %v", err)
	}
}

// TestRetentionLetsGoOfRemotes: what only an old call needs of a remote goes
// with it.
func TestRetentionLetsGoOfRemotes(t *testing.T) {
	program, err := proc.Look("git", os.Getenv("PATH"))
	if err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	k := newKept(t)
	k.now = time.Now() // files of the private store have the system's time
	dir := t.TempDir()
	k.g.Git = func() (*git.Door, error) {
		return &git.Door{Git: program, Home: k.g.Home, Path: os.Getenv("PATH"), Temp: t.TempDir()}, nil
	}
	script := `git init -q --bare r.git && git init -q -b main w && cd w && git remote add origin ../r.git &&
		git commit -q --allow-empty -m 1 && git push -q origin main && git commit -q --allow-empty --amend -m 2`
	res, err := proc.Run(context.Background(), proc.Cmd{Path: "/bin/sh", Args: []string{"-c", script}, Dir: dir, Env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + k.g.Home, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}})
	if err != nil || res.Code != 0 {
		t.Fatalf("%v: %s", err, res.Stderr)
	}
	r := Request{Event: Before, Harness: "claude", Session: "s", CallID: "c", Cwd: filepath.Join(dir, "w"), Tool: "Bash", Input: Input{Kind: Shell, Command: "git push --force origin main"}}
	if d := k.g.Decide(context.Background(), r); d.Refused || d.Fault {
		t.Fatalf("%+v", d)
	}
	held := func() []os.DirEntry {
		list, err := os.ReadDir(k.st.RemoteDir())
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(list, func(d os.DirEntry) bool { return !strings.HasSuffix(d.Name(), ".git") })
	}
	k.days(13)
	k.retain()
	if len(held()) != 1 {
		t.Fatalf("held: %v", held())
	}
	k.days(3)
	k.retain()
	if len(held()) != 0 {
		t.Errorf("still held: %v", held())
	}
}

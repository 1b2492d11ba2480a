package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/google/go-cmp/cmp"
)

// awkward are names that tools trip over.
func awkward() map[string]string {
	files := map[string]string{}
	for i, name := range []string{
		"plain", "with space", "new\nline", "cr\r", "-rf", "invalid\xff\xfeutf8", "\u202ereversed",
		"esc\x1b[2J", `quote"back\slash`, "emoji 🙂", strings.Repeat("n", 255), "ünï", "tab\t", "~", "$(x)",
		strings.Repeat("d", 200) + "/" + strings.Repeat("e", 200) + "/" + strings.Repeat("f", 200),
		strings.Repeat("\xf0", 255), "%s%n", "a=b", "trailing ",
	} {
		files["/tmp/names/"+name] = strings.Repeat(name, i)
	}
	return files
}

func TestPayloadGivesBackWhatWasPut(t *testing.T) {
	s := newStore(t)
	files := awkward()
	others := []fingerprint.Entry{
		{Path: "/tmp/names", Type: fingerprint.Dir, Mode: 0o1755},
		{Path: "/tmp/names/gone", Type: fingerprint.Absent},
		{Path: "/tmp/names/link\n", Type: fingerprint.Symlink, Mode: 0o777, Target: "../no\xffwhere"},
		{Path: "/tmp/names/pipe", Type: fingerprint.FIFO, Mode: 0o600},
		{Path: "/tmp/names/sock", Type: fingerprint.Socket, Mode: 0o600},
		{Path: "/tmp/names/null", Type: fingerprint.Char, Mode: 0o666, Rdev: 0x103, MTime: -5},
	}
	sealed := put(t, s, ulid(1), files, others...)
	if sealed.Files != len(files) {
		t.Errorf("%d files, want %d", sealed.Files, len(files))
	}
	p := open(t, s, ulid(1), sealed.Manifest)
	for path, want := range files {
		if got, err := read(p, path); err != nil || got != want {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
	if len(p.Entries()) != len(files)+len(others) {
		t.Errorf("%d entries", len(p.Entries()))
	}
	for _, want := range others {
		for _, got := range p.Entries() {
			if got.Path == want.Path && !cmp.Equal(got, want) {
				t.Errorf("%q: %s", want.Path, cmp.Diff(want, got))
			}
		}
	}
	call, err := p.Call()
	if err != nil || string(call) != `{"command":"rm -rf x"}` || sha256.Sum256(call) != sealed.Call {
		t.Errorf("call: %q, %v", call, err)
	}
	if err := p.Verify(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

func TestHardLinksShareTheirContent(t *testing.T) {
	s := newStore(t)
	st, err := s.Begin(ulid(1))
	if err != nil {
		t.Fatal(err)
	}
	b := entry("/tmp/b", "shared bytes")
	b.Group, b.Links = 1, 3
	if err := st.Small(&b, []byte("shared bytes")); err != nil {
		t.Fatal(err)
	}
	a, c := b, b
	a.Path, c.Path = "/tmp/a", "/tmp/c"
	sealed, err := st.Finish(t.Context(), []fingerprint.Entry{a, b, c}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if sealed.Files != 3 || sealed.Bytes != 12 {
		t.Errorf("%+v", sealed)
	}
	p := open(t, s, ulid(1), sealed.Manifest)
	for _, path := range []string{"/tmp/a", "/tmp/b", "/tmp/c"} {
		if got, err := read(p, path); got != "shared bytes" {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if err := p.Verify(t.Context(), nil); err != nil {
		t.Error(err)
	}
	f, err := os.OpenFile(tarFile(s, ulid(1)), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("S"), b.Off); err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{"/tmp/a", "/tmp/b", "/tmp/c"} {
		var damage *DamageError
		if err := p.Verify(t.Context(), func(path string) bool { return path == one }); !errors.As(err, &damage) {
			t.Errorf("damage in what %s shares: %v", one, err)
		}
	}
}

// big adds a big file and returns its entry.
func big(t *testing.T, st *Staging, path string, data []byte, extents []fingerprint.Extent) fingerprint.Entry {
	t.Helper()
	e := fingerprint.Entry{Path: path, Type: fingerprint.File, Mode: 0o600, Extents: extents}
	if err := st.Big(&e, temp(t, data)); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestBigFilesAndHoles(t *testing.T) {
	s := newStore(t)
	st, err := s.Begin(ulid(1))
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 3<<20)
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	sparse := make([]byte, 2<<20)
	copy(sparse[4096:], "head")
	copy(sparse[1<<20:], "middle")
	full := big(t, st, "/tmp/full", data, nil)
	holey := big(t, st, "/tmp/holey", sparse, []fingerprint.Extent{{Off: 4096, Len: 4096}, {Off: 1 << 20, Len: 8192}})
	empty := big(t, st, "/tmp/void", make([]byte, 1<<20), []fingerprint.Extent{})
	lying := big(t, st, "/tmp/lying", sparse, []fingerprint.Extent{{Off: 1 << 20, Len: 8192}, {Off: 4096, Len: 4096}})
	big(t, st, "/tmp/again", data[:1<<20], nil)
	again := big(t, st, "/tmp/again", data[:1<<19], nil)
	sealed, err := st.Finish(t.Context(), byPath([]fingerprint.Entry{full, holey, empty, lying, again}), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, s, ulid(1), sealed.Manifest)
	if err := p.Verify(t.Context(), nil); err != nil {
		t.Error(err)
	}
	for path, want := range map[string][]byte{
		"/tmp/full": data, "/tmp/holey": sparse, "/tmp/void": make([]byte, 1<<20),
		"/tmp/lying": sparse, "/tmp/again": data[:1<<19],
	} {
		got, err := read(p, path)
		if err != nil || got != string(want) {
			t.Errorf("%s: %d bytes, %v", path, len(got), err)
		}
	}
	if full.XXH != fingerprint.ContentOf(data) || full.SHA != sha256.Sum256(data) || holey.SHA != sha256.Sum256(sparse) {
		t.Error("the hashes are not those of what was stored")
	}
	if info, err := os.Stat(tarFile(s, ulid(1))); full.Big == 0 && (err != nil || info.Size() > 8<<20) {
		t.Errorf("holes take room: %d bytes, %v", info.Size(), err)
	}
}

func TestSourceErrorsAreNotStoreErrors(t *testing.T) {
	s := newStore(t)
	st, err := s.Begin(ulid(1))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Abort()
	f := temp(t, bytes.Repeat([]byte("x"), 1<<20))
	f.Close()
	e := fingerprint.Entry{Path: "/tmp/x", Type: fingerprint.File}
	var source *SourceError
	if err := st.Big(&e, f); !errors.As(err, &source) || source.Path != "/tmp/x" {
		t.Fatalf("got %v", err)
	}
	e = entry("/tmp/y", "y")
	if err := st.Small(&e, []byte("y")); err != nil {
		t.Errorf("the staging is broken by it: %v", err)
	}
}

func TestSealWantsEveryContent(t *testing.T) {
	s := newStore(t)
	st, err := s.Begin(ulid(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Finish(t.Context(), []fingerprint.Entry{entry("/tmp/x", "never put")}, nil); err == nil {
		t.Error("a payload without a content was sealed")
	}
	st.Abort()
	if ids, err := os.ReadDir(s.ShadowDir()); err != nil || len(ids) != 0 {
		t.Errorf("left behind: %v, %v", ids, err)
	}
}

func TestRehearsalReadsBeforeCommit(t *testing.T) {
	s := newStore(t)
	st, err := s.Begin(ulid(1))
	if err != nil {
		t.Fatal(err)
	}
	e := entry("/tmp/x", "data")
	if err := st.Small(&e, []byte("data")); err != nil {
		t.Fatal(err)
	}
	st.StartSync()
	if _, err := st.Seal([]fingerprint.Entry{e}, nil); err != nil {
		t.Fatal(err)
	}
	p, err := st.Payload()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(p, "/tmp/x"); got != "data" {
		t.Errorf("%q, %v", got, err)
	}
	p.Close()
	st.Abort()
	if _, err := s.Payload(ulid(1), [32]byte{}); !errors.Is(err, ErrNoPayload) {
		t.Errorf("after the abort: %v", err)
	}
}

// TestEveryFlippedByte changes each byte of a small payload: Verify or opening
// it says so, and names the path whose bytes they are.
func TestEveryFlippedByte(t *testing.T) {
	s := newStore(t)
	sealed := put(t, s, ulid(1), map[string]string{"/tmp/one": "first", "/tmp/two": strings.Repeat("second", 200)},
		fingerprint.Entry{Path: "/tmp/dir", Type: fingerprint.Dir, Mode: 0o755},
		fingerprint.Entry{Path: "/tmp/lnk", Type: fingerprint.Symlink, Target: "one"})
	thaw(t, s, ulid(1))
	name := tarFile(s, ulid(1))
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := open(t, s, ulid(1), sealed.Manifest)
	two := p.Entries()[3]
	named := map[string]int{}
	for i := range good {
		if _, err := f.WriteAt([]byte{good[i] ^ 0x41}, int64(i)); err != nil {
			t.Fatal(err)
		}
		damage := flipped(t, s, sealed.Manifest)
		if damage == nil {
			t.Fatalf("byte %d of %d: nobody noticed", i, len(good))
		}
		named[damage.Path]++
		if off := int64(i); off >= two.Off && off < two.Off+two.Size && damage.Path != "/tmp/two" {
			t.Fatalf("byte %d is of /tmp/two: %v", i, damage)
		}
		if _, err := f.WriteAt(good[i:i+1], int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/tmp/one", "/tmp/two", "/tmp/dir", "/tmp/lnk"} {
		if named[path] < 5 {
			t.Errorf("%s was named %d times", path, named[path])
		}
	}
}

// flipped opens and verifies the payload and returns the damage.
func flipped(t *testing.T, s *Store, manifest [32]byte) *DamageError {
	t.Helper()
	p, err := s.Payload(ulid(1), manifest)
	if err == nil {
		defer p.Close()
		err = p.Verify(t.Context(), nil)
	}
	var damage *DamageError
	if err != nil && !errors.As(err, &damage) {
		t.Fatalf("not a damage error: %v", err)
	}
	if err != nil && len(hint.Of(err)) == 0 {
		t.Fatal("no hint")
	}
	return damage
}

func TestOneDamagedPathLeavesTheOthers(t *testing.T) {
	s := newStore(t)
	sealed := put(t, s, ulid(1), map[string]string{"/tmp/one": "first", "/tmp/two": "second"})
	p := open(t, s, ulid(1), sealed.Manifest)
	f, err := os.OpenFile(tarFile(s, ulid(1)), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("F"), p.Entries()[0].Off); err != nil {
		t.Fatal(err)
	}
	var damage *DamageError
	if _, err := read(p, "/tmp/one"); !errors.As(err, &damage) || damage.Path != "/tmp/one" {
		t.Errorf("one: %v", err)
	}
	if got, err := read(p, "/tmp/two"); got != "second" || err != nil {
		t.Errorf("two: %q, %v", got, err)
	}
	only := func(want string) func(string) bool { return func(path string) bool { return path == want } }
	if err := p.Verify(t.Context(), only("/tmp/two")); err != nil {
		t.Errorf("verify two: %v", err)
	}
	if err := p.Verify(t.Context(), only("/tmp/one")); !errors.As(err, &damage) {
		t.Errorf("verify one: %v", err)
	}
}

func TestTruncatedTar(t *testing.T) {
	s := newStore(t)
	sealed := put(t, s, ulid(1), map[string]string{"/tmp/one": "first", "/tmp/two": "second"})
	name := tarFile(s, ulid(1))
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(good) {
		if err := os.Truncate(name, int64(len(good)-1-size)); err != nil {
			t.Fatal(err)
		}
		if flipped(t, s, sealed.Manifest) == nil {
			t.Fatalf("%d of %d bytes are enough", len(good)-1-size, len(good))
		}
	}
	if err := os.WriteFile(name, append(good, make([]byte, 512)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if flipped(t, s, sealed.Manifest) == nil {
		t.Error("more zeros at the end were not noticed")
	}
}

func TestSwappedPayloads(t *testing.T) {
	s := newStore(t)
	one := put(t, s, ulid(1), map[string]string{"/tmp/x": "1"})
	put(t, s, ulid(2), map[string]string{"/tmp/x": "2"})
	thaw(t, s, ulid(1))
	data, err := os.ReadFile(tarFile(s, ulid(2)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tarFile(s, ulid(1)), data, 0o600); err != nil {
		t.Fatal(err)
	}
	var damage *DamageError
	for _, want := range [][32]byte{one.Manifest, {}} {
		if _, err := s.Payload(ulid(1), want); !errors.As(err, &damage) {
			t.Errorf("with manifest %x: %v", want[:2], err)
		}
	}
}

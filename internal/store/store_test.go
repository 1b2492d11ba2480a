package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/google/go-cmp/cmp"
)

func TestDirNamesTheWorkspace(t *testing.T) {
	got := Dir("/state", "/home/u/my project\n")
	if !strings.HasPrefix(got, "/state/counterstep/my_project_-") || len(filepath.Base(got)) != len("my_project_-")+12 {
		t.Errorf("got %q", got)
	}
	if Dir("/s", "/a/x") == Dir("/s", "/b/x") {
		t.Error("two workspaces share a store")
	}
	if got := filepath.Base(Dir("/s", "/"+strings.Repeat("\xff", 300))); len(got) != 40+1+12 {
		t.Errorf("got %q", got)
	}
}

func TestCreateTwiceAndAfterAnInterruption(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "store")
	if _, err := Open(dir); !errors.Is(err, ErrMissing) || len(hint.Of(err)) == 0 {
		t.Fatalf("open before: %v", err)
	}
	for range 2 {
		if _, err := Create(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "VERSION")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrMissing) {
		t.Errorf("half a store: %v", err)
	}
	if _, err := Create(dir); err != nil {
		t.Errorf("finishing it: %v", err)
	}
}

func TestVersions(t *testing.T) {
	s := newStore(t)
	version := filepath.Join(s.Dir(), "VERSION")
	for text, want := range map[string]error{"1\n": nil, "1": nil, "2\n": ErrNewer, "999999\n": ErrNewer} {
		if err := os.WriteFile(version, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(s.Dir()); !errors.Is(err, want) {
			t.Errorf("open %q: %v", text, err)
		}
		ro, err := OpenReadOnly(s.Dir())
		if err != nil || !ro.ReadOnly() {
			t.Errorf("reading %q: %v", text, err)
		}
	}
	for _, text := range []string{"", "\n", "0\n", "-1\n", "01\n", "one\n", "1 \n", "1\n\n", "99999999999999999999\n"} {
		if err := os.WriteFile(version, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(s.Dir()); err == nil || errors.Is(err, ErrMissing) || errors.Is(err, ErrNewer) {
			t.Errorf("open %q: %v", text, err)
		}
	}
}

func TestReadOnlyStoreWritesNothing(t *testing.T) {
	s := newStore(t)
	put(t, s, ulid(1), map[string]string{"/tmp/x": "x"})
	ro, err := OpenReadOnly(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	_, begin := ro.Begin(ulid(2))
	_, post := ro.PutPost(ulid(1), nil)
	_, _, take := ro.TakePending("k")
	_, sweep := ro.Sweep(time.Unix(0, 0), "")
	for name, err := range map[string]error{
		"begin": begin, "post": post, "take": take, "sweep": sweep,
		"put": ro.PutPending("k", nil), "remove": ro.Remove(ulid(1)),
	} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p, err := ro.Payload(ulid(1), [32]byte{}); err != nil {
		t.Error(err)
	} else {
		p.Close()
	}
}

func TestHostileIDs(t *testing.T) {
	s := newStore(t)
	for _, id := range []string{"", "..", ".", "../x", "a/b", "a\x00", ".staging-1-x", "-x", strings.Repeat("A", 65), "é"} {
		if _, err := s.Begin(id); err == nil {
			t.Errorf("begin %q", id)
		}
		if _, err := s.Payload(id, [32]byte{}); !errors.Is(err, ErrNoPayload) {
			t.Errorf("payload %q: %v", id, err)
		}
		if _, err := s.PutPost(id, nil); err == nil {
			t.Errorf("post %q", id)
		}
		if err := s.Remove(id); err != nil {
			t.Errorf("remove %q: %v", id, err)
		}
	}
	if _, err := Open(s.Dir()); err != nil {
		t.Error(err)
	}
}

func TestBeginTwice(t *testing.T) {
	s := newStore(t)
	put(t, s, ulid(1), nil)
	if _, err := s.Begin(ulid(1)); err == nil {
		t.Error("a finished payload can be begun again")
	}
	st, err := s.Begin(ulid(2))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(ulid(2)); err == nil {
		t.Error("a payload can be begun twice")
	}
	st.Abort()
	put(t, s, ulid(2), nil)
}

func TestPost(t *testing.T) {
	s := newStore(t)
	if _, ok, err := s.Post(ulid(1)); ok || err != nil {
		t.Errorf("before: %v, %v", ok, err)
	}
	e := entry("/tmp/x\xff", "data")
	e.Off, e.Big = 512, 3
	want := []fingerprint.Entry{{Path: "/tmp/a", Type: fingerprint.Absent}, e}
	for range 2 {
		if _, err := s.PutPost(ulid(1), want); err != nil {
			t.Fatal(err)
		}
	}
	got, ok, err := s.Post(ulid(1))
	want[1].Off, want[1].Big = 0, 0
	if !ok || err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v, %v: %s", ok, err, cmp.Diff(want, got))
	}
	data, err := os.ReadFile(s.postName(ulid(1)))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += 7 {
		bad := bytes.Clone(data)
		bad[i] ^= 4
		if err := os.WriteFile(s.postName(ulid(1)), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		got, ok, err := s.Post(ulid(1))
		if err == nil && !(ok && cmp.Equal(got, want)) {
			t.Fatalf("byte %d: other entries without an error", i)
		}
	}
}

func TestPending(t *testing.T) {
	s := newStore(t)
	key := "claude\x00../../session\x00call"
	if _, ok, err := s.TakePending(key); ok || err != nil {
		t.Errorf("nothing was put: %v, %v", ok, err)
	}
	for _, data := range []string{"first", "second"} {
		if err := s.PutPending(key, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, _ := s.TakePending("another key"); ok {
		t.Error("keys are mixed up")
	}
	data, ok, err := s.TakePending(key)
	if string(data) != "second" || !ok || err != nil {
		t.Errorf("%q, %v, %v", data, ok, err)
	}
	if _, ok, _ := s.TakePending(key); ok {
		t.Error("taken twice")
	}
	if left, _ := os.ReadDir(s.pendingDir()); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestRemove(t *testing.T) {
	s := newStore(t)
	put(t, s, ulid(1), map[string]string{"/tmp/x": "secret"})
	put(t, s, ulid(2), map[string]string{"/tmp/x": "kept"})
	if _, err := s.PutPost(ulid(1), nil); err != nil {
		t.Fatal(err)
	}
	if err := s.PutRefs(ulid(1), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Remove(ulid(1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, _ := s.Post(ulid(1)); ok {
		t.Error("the post-state is still there")
	}
	if _, ok, _ := s.Refs(ulid(1)); ok {
		t.Error("the refs are still there")
	}
	if ids, err := s.IDs(); err != nil || len(ids) != 1 || ids[0] != ulid(2) {
		t.Errorf("%v, %v", ids, err)
	}
	if left, _ := os.ReadDir(s.ShadowDir()); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

package checkpoint

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
)

// specimen is a record with one of everything.
func specimen() record {
	items := []item{
		{Entry: fingerprint.Entry{Path: "/w", Type: fingerprint.Dir, Mode: 0o755, UID: 1000, GID: 1000, MTime: 1700000000000000000, Links: 2, Dev: 1, Ino: 2}},
		{Entry: fingerprint.Entry{
			Path: "/w/a.txt", Type: fingerprint.File, Mode: 0o644, UID: 1000, GID: 1000, MTime: -1, Links: 2, Dev: 1, Ino: 3,
			Size: 3, XXH: fingerprint.ContentOf([]byte("one")), SHA: [32]byte{1, 2, 3},
			Xattrs: []fingerprint.Xattr{{Name: "user.x", Value: "1"}}, Extents: []fingerprint.Extent{{Off: 0, Len: 3}},
		}},
		{Entry: fingerprint.Entry{Path: "/w/big", Type: fingerprint.File, Mode: 0o600, Size: 1 << 33, Links: 1, Dev: 1, Ino: 4}, why: TooLarge},
		{Entry: fingerprint.Entry{Path: "/w/dev", Type: fingerprint.Char, Mode: 0o600, Rdev: 0x103, Links: 1, Dev: 1, Ino: 5}},
		{Entry: fingerprint.Entry{Path: "/w/link", Type: fingerprint.Symlink, Mode: 0o777, Target: "a\xff", Links: 1, Dev: 1, Ino: 6}},
		{Entry: fingerprint.Entry{Path: "/w/node_modules", Type: fingerprint.Dir}, why: Excluded},
	}
	for i := range items {
		items[i].settle()
		if items[i].why == Held && items[i].Type == fingerprint.File {
			items[i].Extents = []fingerprint.Extent{{Off: 0, Len: 3}}
		}
	}
	return record{
		Info:   Info{ID: "01HSPECIMEN0000000000000B", Time: time.Unix(1700000001, 5).UTC(), State: [32]byte{9}, Partial: true, Files: 1, Bytes: 3},
		parent: "01HSPECIMEN0000000000000A", weight: 700,
		roots: []string{"/w"}, rules: []string{"node_modules"}, gone: []string{"/w/gone", "/w/gone too"}, items: items,
	}
}

func TestRecordSurvivesTheRoundTrip(t *testing.T) {
	want := specimen()
	got, err := decodeRecord(want.append(nil))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
}

// The bytes are a promise: old packs must be read for as long as there are any.
func TestVectors(t *testing.T) {
	r := specimen()
	state, _ := stateOf(r.roots, r.rules, r.items)
	got := strings.Join([]string{
		"record " + hex.EncodeToString(r.append(nil)),
		"chunk " + hex.EncodeToString(append(head{kind: aContent, size: 3, sha: [32]byte{1, 2, 3}}.append(nil), "one"...)),
		"state " + hex.EncodeToString(state[:]),
	}, "\n") + "\n"
	name := filepath.Join("..", "..", "docs", "format", "vectors", "checkpoint-v1.txt")
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("%v\nthe vectors would be\n%s", err, got)
	}
	if string(want) != got {
		t.Errorf("the format has changed:\n%s", got)
	}
}

// Whatever the bytes: an error or a record that says the same again.
func FuzzDecodeRecord(f *testing.F) {
	r := specimen()
	f.Add(r.append(nil))
	r.parent, r.gone, r.items = "", nil, nil
	f.Add(r.append(nil))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeRecord(data)
		if err != nil {
			return
		}
		again, err := decodeRecord(r.append(nil))
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Fatalf("%v\n%+v\n%+v", err, r, again)
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	for name, spoil := range map[string]func(r *record){
		"an unclean path":    func(r *record) { r.items[1].Path = "/w/../etc" },
		"a relative path":    func(r *record) { r.items[0].Path = "w" },
		"a double slash":     func(r *record) { r.items[1].Path = "/w//a" },
		"a slash at the end": func(r *record) { r.items[1].Path = "/w/a/" },
		"a zero byte":        func(r *record) { r.items[1].Path = "/w/a\x00" },
		"a wrong order":      func(r *record) { r.items[1].Path = "/v" },
		"the same twice":     func(r *record) { r.items[1].Path = "/w" },
		"an unknown reason":  func(r *record) { r.items[1].why = 'z' },
		"an unknown type":    func(r *record) { r.items[0].Type = 'Z' },
		"no id":              func(r *record) { r.ID = "" },
		"itself as parent":   func(r *record) { r.parent = r.ID },
	} {
		r := specimen()
		spoil(&r)
		if _, err := decodeRecord(r.append(nil)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	whole := specimen()
	data := whole.append(nil)
	for n := range data {
		if _, err := decodeRecord(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are accepted", n, len(data))
		}
	}
	if _, err := decodeRecord(append(data, 0)); err == nil {
		t.Error("a byte too many is accepted")
	}
}

// Some file systems count whole seconds: a change within the same one does not
// show.
func TestCoarseTimesAreTrustedLater(t *testing.T) {
	const second = int64(time.Second)
	for _, c := range []struct {
		t, stamp int64
		want     bool
	}{
		{5*second + 1, 5*second + 2, true},
		{5*second + 1, 5*second + 1, false},
		{5 * second, 5*second + 9, false},
		{5 * second, 7*second + 1, true},
		{9*second + 1, 5 * second, false},
	} {
		if settled(c.t, c.stamp) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

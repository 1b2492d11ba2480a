package fingerprint_test

import (
	"math/rand"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/counterstep/counterstep/fingerprint"
)

func sample() []fingerprint.Entry {
	return []fingerprint.Entry{
		{Path: "/w", Type: fingerprint.Dir, Mode: 0o755},
		{Path: "/w/a", Type: fingerprint.File, Mode: 0o644, Size: 3, XXH: 7, Group: 5, Links: 2},
		{Path: "/w/b", Type: fingerprint.File, Mode: 0o644, Size: 3, XXH: 7, Group: 5, Links: 2},
		{Path: "/w/c", Type: fingerprint.Symlink, Target: "a"},
		{Path: "/w/d", Type: fingerprint.Char, Rdev: 0x103},
		{Path: "/w/e", Type: fingerprint.File, Xattrs: []fingerprint.Xattr{{Name: "user.x", Value: "1"}}},
		{Path: "/w/f", Type: fingerprint.Absent},
	}
}

func TestSumCountsWhatIsState(t *testing.T) {
	base := fingerprint.Sum(sample())
	for name, change := range map[string]func(e []fingerprint.Entry){
		"path":     func(e []fingerprint.Entry) { e[1].Path = "/w/aa" },
		"type":     func(e []fingerprint.Entry) { e[0].Type = fingerprint.FIFO },
		"mode":     func(e []fingerprint.Entry) { e[0].Mode = 0o2755 },
		"size":     func(e []fingerprint.Entry) { e[1].Size = 4 },
		"content":  func(e []fingerprint.Entry) { e[1].XXH = 8 },
		"target":   func(e []fingerprint.Entry) { e[3].Target = "b" },
		"rdev":     func(e []fingerprint.Entry) { e[4].Rdev = 0x105 },
		"unlinked": func(e []fingerprint.Entry) { e[1].Group, e[2].Group = 0, 0 },
		"xattr":    func(e []fingerprint.Entry) { e[5].Xattrs[0].Value = "2" },
		"name":     func(e []fingerprint.Entry) { e[5].Xattrs[0].Name = "user.y" },
		"absent":   func(e []fingerprint.Entry) { e[6].Type = fingerprint.Dir },
	} {
		e := sample()
		change(e)
		if fingerprint.Sum(e) == base {
			t.Errorf("%s does not count", name)
		}
	}
	if fingerprint.Sum(sample()[:6]) == base {
		t.Error("a missing entry does not count")
	}
}

func TestSumLeavesTheRestOut(t *testing.T) {
	base := fingerprint.Sum(sample())
	for name, change := range map[string]func(e []fingerprint.Entry){
		"owner":        func(e []fingerprint.Entry) { e[0].UID, e[0].GID = 1, 2 },
		"times":        func(e []fingerprint.Entry) { e[1].MTime, e[1].ATime = 1, 2 },
		"identity":     func(e []fingerprint.Entry) { e[1].Dev, e[1].Ino = 1, 2 },
		"storage":      func(e []fingerprint.Entry) { e[1].Off, e[1].Big, e[1].SHA = 1, 2, [32]byte{3} },
		"group number": func(e []fingerprint.Entry) { e[1].Group, e[2].Group = 9, 9 },
		"holes":        func(e []fingerprint.Entry) { e[1].Extents = []fingerprint.Extent{{Off: 0, Len: 3}} },
		"link mode":    func(e []fingerprint.Entry) { e[3].Mode = 0o777 },
		"group of one": func(e []fingerprint.Entry) { e[5].Group = 77 },
		"order":        func(e []fingerprint.Entry) { slices.Reverse(e) },
	} {
		e := sample()
		change(e)
		if fingerprint.Sum(e) != base {
			t.Errorf("%s counts", name)
		}
	}
}

func TestSumDoesNotReorderItsInput(t *testing.T) {
	e := sample()
	slices.Reverse(e)
	fingerprint.Sum(e)
	if e[0].Path != "/w/f" {
		t.Error("the input was sorted in place")
	}
}

func TestRebase(t *testing.T) {
	e := append(sample(), fingerprint.Entry{Path: "/ww", Type: fingerprint.Dir})
	moved := fingerprint.Rebase(e, "/w", "/shadow/w")
	if len(moved) != len(sample()) || moved[0].Path != "/shadow/w" || moved[1].Path != "/shadow/w/a" {
		t.Fatalf("got %v", moved)
	}
	back := fingerprint.Rebase(moved, "/shadow", "/")
	if fingerprint.Sum(back) != fingerprint.Sum(sample()) {
		t.Error("there and back is not the same")
	}
	if e[0].Path != "/w" {
		t.Error("the input was changed")
	}
	if got := fingerprint.Rebase(sample(), "/", "/s")[1].Path; got != "/s/w/a" {
		t.Errorf("from the root: %q", got)
	}
}

func TestSumUnder(t *testing.T) {
	e := sample()
	if fingerprint.SumUnder(e, "/w") != fingerprint.Sum(e) {
		t.Error("a prefix of everything changes the sum")
	}
	if fingerprint.SumUnder(e, "/w/a", "/w/c") != fingerprint.Sum([]fingerprint.Entry{e[1], e[3]}) {
		t.Error("two of them")
	}
	if fingerprint.SumUnder(e, "/w/") != fingerprint.Sum(e) {
		t.Error("a trailing slash matters")
	}
}

func TestEqual(t *testing.T) {
	a, b := sample()[1], sample()[2]
	b.Group, b.MTime, b.UID, b.Ino, b.Off = 0, 1, 2, 3, 4
	if !fingerprint.Equal(a, b) {
		t.Error("path, group, times, owner or identity count")
	}
	b.Mode = 0o600
	if fingerprint.Equal(a, b) {
		t.Error("the mode does not count")
	}
	if fingerprint.Equal(fingerprint.Entry{Type: fingerprint.Absent}, fingerprint.Entry{Type: fingerprint.Dir}) {
		t.Error("nothing equals a directory")
	}
}

func TestHex(t *testing.T) {
	if got := fingerprint.Hex(0xab); got != "00000000000000ab" {
		t.Errorf("got %q", got)
	}
}

// Whatever the lengths of the writes, the content hash is that of the content.
func TestHasherSplits(t *testing.T) {
	data := make([]byte, 2*fingerprint.Chunk+5)
	rand.New(rand.NewSource(1)).Read(data)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{
			0, 1, 31, 4096, fingerprint.Chunk - 1, fingerprint.Chunk,
			fingerprint.Chunk + 1, 2 * fingerprint.Chunk, 2*fingerprint.Chunk + 5,
		}).Draw(t, "size")
		var h fingerprint.Hasher
		for rest := data[:size]; len(rest) > 0; {
			n := min(len(rest), rapid.IntRange(1, fingerprint.Chunk+3).Draw(t, "write"))
			h.Write(rest[:n])
			rest = rest[n:]
			h.Sum() // asking must not change the answer
		}
		if h.Sum() != fingerprint.ContentOf(data[:size]) {
			t.Fatalf("size %d", size)
		}
	})
}

// The values are part of the format: a fingerprint in an old record must still
// compare.
func TestVectors(t *testing.T) {
	if got := fingerprint.ContentOf(nil); got != 0xef46db3751d8e999 {
		t.Errorf("empty content %x", got)
	}
	if got := fingerprint.ContentOf(make([]byte, fingerprint.Chunk+1)); got != 0xf0fa519fbf1c84e4 {
		t.Errorf("two chunks %x", got)
	}
	if got := fingerprint.Sum(nil); got != 0xef46db3751d8e999 {
		t.Errorf("no entries %x", got)
	}
	if got := fingerprint.Hex(fingerprint.Sum(sample())); got != "f773cf6a473137b1" {
		t.Errorf("sample %s", got)
	}
}

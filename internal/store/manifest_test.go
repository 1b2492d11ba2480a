package store

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// bytesOf are the bytes of a whole manifest.
func bytesOf(m *manifest, crc uint32) []byte {
	data, _ := m.encode().finish(crc)
	return data
}

// anyText are names and targets with all their bytes.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringN(0, 20, -1), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string {
		return string(b)
	}), rapid.SampledFrom([]string{`"`, `\`, `\"`, "\u202e", "\x00", "é", "key_b64"}))
}

// anyEntry fills every field, whether it makes sense or not.
func anyEntry(t *rapid.T) fingerprint.Entry {
	e := fingerprint.Entry{
		Path:   anyText().Draw(t, "path"),
		Type:   fingerprint.Type(rapid.SampledFrom([]byte("-fdlpsbc")).Draw(t, "type")),
		Mode:   rapid.Uint32().Draw(t, "mode"),
		UID:    rapid.Uint32().Draw(t, "uid"),
		GID:    rapid.Uint32().Draw(t, "gid"),
		MTime:  rapid.Int64().Draw(t, "mtime"),
		ATime:  rapid.Int64().Draw(t, "atime"),
		Size:   rapid.Int64().Draw(t, "size"),
		Target: anyText().Draw(t, "target"),
		Group:  int(rapid.Int32().Draw(t, "group")),
		Links:  rapid.Uint32().Draw(t, "links"),
		Dev:    rapid.Uint64().Draw(t, "dev"),
		Ino:    rapid.Uint64().Draw(t, "ino"),
		Rdev:   rapid.Uint64().Draw(t, "rdev"),
		XXH:    rapid.Uint64().Draw(t, "xxh"),
		Off:    rapid.Int64().Draw(t, "off"),
		Big:    int(rapid.Int32().Draw(t, "big")),
	}
	copy(e.SHA[:], rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "sha"))
	for range rapid.IntRange(0, 3).Draw(t, "xattrs") {
		e.Xattrs = append(e.Xattrs, fingerprint.Xattr{Name: anyText().Draw(t, "name"), Value: anyText().Draw(t, "value")})
	}
	if rapid.Bool().Draw(t, "sparse") {
		e.Extents = []fingerprint.Extent{}
	}
	for range rapid.IntRange(0, 3).Draw(t, "extents") {
		e.Extents = append(e.Extents, fingerprint.Extent{Off: rapid.Int64().Draw(t, "o"), Len: rapid.Int64().Draw(t, "l")})
	}
	return e
}

func anyMember(t *rapid.T) member {
	m := member{at: rapid.Int64Range(0, 1<<40).Draw(t, "at")}
	if m.at != 0 {
		m.size = rapid.Int64Range(0, 1<<40).Draw(t, "stored")
		m.crc = rapid.Uint32().Draw(t, "crc")
		m.packed = rapid.Bool().Draw(t, "packed")
	}
	return m
}

// TestManifestKeepsEverything: what is written is read, for all values.
func TestManifestKeepsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &manifest{id: ulid(rapid.IntRange(0, 99).Draw(t, "id"))}
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			m.entries = append(m.entries, anyEntry(t))
			m.members = append(m.members, anyMember(t))
		}
		for range rapid.IntRange(0, 2).Draw(t, "orphans") {
			if o := anyMember(t); o.at != 0 {
				m.orphans = append(m.orphans, o)
			}
		}
		if m.call = anyMember(t); m.call.at != 0 {
			m.call.packed = false
			m.callSHA[3] = 7
		}
		crc := rapid.Uint32().Draw(t, "end")
		data := bytesOf(m, crc)
		got, end, err := decodeManifest(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if end.crc != crc || !cmp.Equal(m, got, cmp.AllowUnexported(manifest{}, member{})) {
			t.Fatal(cmp.Diff(m, got, cmp.AllowUnexported(manifest{}, member{})))
		}
		if bytes.Count(data, []byte("\n")) != 2+len(m.entries)+len(m.orphans)+min(1, int(m.call.at)) {
			t.Fatal("a line is not a line")
		}
	})
}

// FuzzManifest: any bytes give an error or a manifest that is written the same
// way, in memory proportional to the input.
func FuzzManifest(f *testing.F) {
	e := entry("/tmp/a\xff", "data")
	e.Xattrs = []fingerprint.Xattr{{Name: "user.a", Value: "\x00"}}
	e.Extents = []fingerprint.Extent{{Off: 1, Len: 2}}
	full := &manifest{
		id: ulid(1), entries: []fingerprint.Entry{e, {Path: "/tmp/b", Type: fingerprint.Absent}},
		members: []member{{at: 512, size: 4, crc: 7, packed: true}, {}},
		orphans: []member{{at: 1024, size: 1}}, call: member{at: 2048, size: 2},
	}
	f.Add(bytesOf(full, 1), true)
	f.Add(bytesOf(&manifest{id: "A"}, 0), false)
	f.Add([]byte(`{"counterstep":"manifest","v":1,"id":"A"}`+"\n"), true)
	f.Add(bytes.Repeat([]byte("{"), 1000), true)
	f.Fuzz(func(t *testing.T, data []byte, sign bool) {
		if sign { // give hostile lines an end that fits, so that they are read
			whole := encoded{buf: bytes.Clone(data), sum: sumOf(data)}
			data, _ = whole.finish(0)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, end, err := decodeManifest(data)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20+64*uint64(len(data)) {
			t.Fatalf("%d bytes of input took %d bytes", len(data), used)
		}
		if err == nil && !bytes.Equal(bytesOf(m, end.crc), data) {
			t.Fatalf("written differently:\n%q\n%q", data, bytesOf(m, end.crc))
		}
	})
}

// TestHostileManifestsInATar: a manifest that lies about places is damage, not
// a crash.
func TestHostileManifestsInATar(t *testing.T) {
	s := newStore(t)
	sealed := put(t, s, ulid(1), map[string]string{"/tmp/x": "data"})
	p := open(t, s, ulid(1), sealed.Manifest)
	good := p.Entries()[0]
	for name, change := range map[string]func(*fingerprint.Entry, *member){
		"negative size":      func(e *fingerprint.Entry, _ *member) { e.Size = -1 },
		"huge size":          func(e *fingerprint.Entry, _ *member) { e.Size = 1 << 62 },
		"huge member":        func(e *fingerprint.Entry, m *member) { e.Size, m.size = 1<<62, 1<<62 },
		"far away":           func(e *fingerprint.Entry, m *member) { e.Off, m.at = 1<<62, 1<<62 },
		"negative place":     func(e *fingerprint.Entry, m *member) { e.Off, m.at = -512, -512 },
		"nowhere":            func(e *fingerprint.Entry, _ *member) { e.Off = 3 },
		"negative stored":    func(_ *fingerprint.Entry, m *member) { m.size = -5 },
		"no such big file":   func(e *fingerprint.Entry, _ *member) { e.Off, e.Big = 0, 77 },
		"negative big":       func(e *fingerprint.Entry, _ *member) { e.Off, e.Big = 0, -1 },
		"packed, no extents": func(_ *fingerprint.Entry, m *member) { m.packed = true },
		"packed, huge extents": func(e *fingerprint.Entry, m *member) {
			m.packed, e.Extents = true, []fingerprint.Extent{{Off: 1 << 62, Len: 1 << 62}}
		},
	} {
		e, m := good, p.m.members[0]
		change(&e, &m)
		bad := &Payload{id: p.id, dir: p.dir, f: p.f, size: p.size, start: p.start, end: p.end, order: []int{0}}
		bad.m = &manifest{id: p.id, entries: []fingerprint.Entry{e}, members: []member{m}, call: p.m.call, callSHA: p.m.callSHA}
		if err := bad.Verify(t.Context(), nil); err == nil {
			t.Errorf("%s: nobody noticed", name)
		}
		if _, err := read(bad, "/tmp/x"); err == nil {
			if name != "negative stored" {
				t.Errorf("%s: it can be read", name)
			}
		}
	}
}

func BenchmarkManifest(b *testing.B) {
	const files = 10_000
	m := &manifest{id: ulid(1)}
	for i := range files {
		e := entry(fmt.Sprintf("/home/user/src/project/dir%03d/file%05d.go", i/100, i), "data")
		e.Dev, e.Ino, e.Links, e.Off, e.ATime = 2049, uint64(1_000_000+i), 1, int64(i+1)*1024, e.MTime
		m.entries = append(m.entries, e)
		m.members = append(m.members, member{at: e.Off, size: 4, crc: 0xdeadbeef})
	}
	data := bytesOf(m, 0)
	b.Run("op=encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			bytesOf(m, 0)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/files, "ns/entry")
		b.ReportMetric(float64(len(data))/files, "B/entry")
	})
	b.Run("op=decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := decodeManifest(data); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/files, "ns/entry")
	})
}

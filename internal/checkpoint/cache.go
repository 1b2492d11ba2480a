package checkpoint

import (
	"encoding/binary"
	"os"
	"slices"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
)

// cache is what the last Take saw, so that the next one need not open what did
// not change. Without it everything is read again; it decides nothing else.
type cache struct {
	// stamp is the file system's time when the Take began. What changed later
	// may have changed again without looking different.
	stamp int64
	Info
	roots, rules []string
	recent       []string // the last checkpoints that were handed out
	marks        []mark   // packs whose bytes were checked, and are durable
	items        []item
}

const (
	cacheMagic = "CScache1"
	// keepRecent is how many of the last checkpoints no collection removes.
	keepRecent = 16
)

func (s *Set) writeCache(c *cache) error {
	b := make([]byte, 0, 128*len(c.items)+1024)
	b = append(b, cacheMagic...)
	b = binary.AppendVarint(b, c.stamp)
	b = appendText(b, c.ID)
	b = binary.AppendVarint(b, c.Time.UnixNano())
	b = append(b, c.State[:]...)
	b = appendTexts(b, c.roots)
	b = appendTexts(b, c.rules)
	b = appendTexts(b, c.recent)
	b = binary.AppendUvarint(b, uint64(len(c.marks)))
	for _, m := range c.marks {
		b = binary.AppendUvarint(b, uint64(m.pack))
		b = binary.AppendUvarint(b, uint64(m.size))
		b = binary.AppendVarint(b, m.mtime)
		b = binary.AppendVarint(b, m.ctime)
		b = binary.AppendUvarint(b, m.ino)
	}
	b = appendItems(b, c.items, inCache)
	b = binary.LittleEndian.AppendUint64(b, fingerprint.ContentOf(b))
	return replace(s.cache, b)
}

// readCache reads the cache; nil when there is none that can be used.
func (s *Set) readCache() *cache {
	data, err := os.ReadFile(s.cache)
	if err != nil || !sealed(data, cacheMagic) {
		return nil
	}
	c := &cache{}
	sc := scan(data[len(cacheMagic) : len(data)-8])
	c.stamp = sc.int()
	c.ID = sc.text()
	c.Time = time.Unix(0, sc.int()).UTC()
	c.State = sc.hash()
	c.roots, c.rules, c.recent = sc.texts(), sc.texts(), sc.texts()
	for range sc.length() {
		c.marks = append(c.marks, mark{pack: uint32(sc.uint()), size: sc.size(), mtime: sc.int(), ctime: sc.int(), ino: sc.uint()})
	}
	c.items = sc.items(inCache)
	if sc.end() != nil {
		return nil
	}
	c.totals(c.items)
	return c
}

// remember puts an id at the end of the recent ones.
func remember(recent []string, id string) []string {
	out := slices.DeleteFunc(slices.Clone(recent), func(r string) bool { return r == id })
	out = append(out, id)
	return out[max(len(out)-keepRecent, 0):]
}

// stamp is the time by the clock of the file system, which is the one that
// gives files their times.
func (s *Set) stamp() (int64, error) {
	f, err := os.CreateTemp(s.dir, ".clock-*.tmp")
	if err != nil {
		return 0, trouble("ask for the time", err)
	}
	info, err := f.Stat()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if rerr := os.Remove(f.Name()); err == nil {
		err = rerr
	}
	if err != nil {
		return 0, trouble("ask for the time", err)
	}
	return info.ModTime().UnixNano(), nil
}

// settled reports whether a time lies so far before a stamp that a later change
// must show. Some file systems count whole seconds, or two.
func settled(t, stamp int64) bool {
	const second = int64(time.Second)
	if t%second == 0 {
		t += 2 * second
	}
	return t < stamp
}

// trusted reports whether an item of the cache can stand for what was seen now
// without opening it.
func (c *cache) trusted(it *item) bool {
	return settled(it.ctime, c.stamp) && settled(it.MTime, c.stamp)
}

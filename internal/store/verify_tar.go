package store

import (
	"context"
	"crypto/sha256"
	"hash/crc32"
	"runtime"
	"sync"

	"github.com/counterstep/counterstep/fingerprint"
)

// frame is a stretch of the tar between two contents, with the content behind
// it.
type frame struct {
	member
	from int64  // where it starts
	path string // of the entry it belongs to
	what string
	// content is the entry whose plain content follows; nil without one.
	content *fingerprint.Entry
}

// frames lists all stretches in order.
func (p *Payload) frames() []frame {
	var list []frame
	orphans := p.m.orphans
	for _, i := range p.order {
		m := p.m.members[i]
		for len(orphans) > 0 && orphans[0].at < m.at {
			list = append(list, frame{member: orphans[0], what: "a part that is not used"})
			orphans = orphans[1:]
		}
		f := frame{member: m, path: p.m.entries[i].Path, what: "its header is damaged"}
		if e := &p.m.entries[i]; p.plain(e, m) {
			f.content = e
		}
		list = append(list, f)
	}
	for _, o := range orphans {
		list = append(list, frame{member: o, what: "a part that is not used"})
	}
	if p.m.call.at != 0 {
		list = append(list, frame{member: p.m.call, what: "the header of call.json is damaged"})
	}
	return append(list, frame{
		member: member{at: p.start, size: p.end.len, crc: p.end.crc},
		what:   "the header of the manifest is damaged",
	})
}

// plain reports whether m is the content of e, whole and without holes.
func (p *Payload) plain(e *fingerprint.Entry, m member) bool {
	return e.Type == fingerprint.File && e.Big == 0 && e.Off == m.at && !m.packed && e.Size == m.size
}

// inTar reports whether verifyTar has looked at the content of e: it may lie
// with another name of the same file, which only need not accept.
func (p *Payload) inTar(e *fingerprint.Entry, only func(path string) bool) bool {
	if e.Big != 0 {
		return false
	}
	i, ok := p.find(e.Off)
	if !ok {
		return false
	}
	at := &p.m.entries[i]
	return p.plain(at, p.m.members[i]) && e.Size == at.Size && e.SHA == at.SHA && (only == nil || only(at.Path))
}

// verifyTar checks everything in the tar but contents that are not stored as
// they are. Several goroutines take a part each and read it from its start to
// its end.
func (p *Payload) verifyTar(ctx context.Context, only func(path string) bool) error {
	list := p.frames()
	pos, wanted := int64(0), list[:0]
	for _, f := range list {
		if f.at < pos || f.size < 0 || f.at > p.size-f.size {
			return p.damage(f.path, "the manifest contradicts itself")
		}
		f.from = pos
		pos = f.at + f.size
		if only == nil || f.path != "" && only(f.path) {
			wanted = append(wanted, f)
		}
	}
	most := min(runtime.GOMAXPROCS(0), 8, 1+len(wanted)/256)
	found := make([]error, most)
	var wg sync.WaitGroup
	for n := range most {
		part := wanted[n*len(wanted)/most : (n+1)*len(wanted)/most]
		wg.Go(func() { found[n] = p.verifyStretch(ctx, part) })
	}
	wg.Wait()
	for _, err := range found {
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Payload) verifyStretch(ctx context.Context, list []frame) error {
	w := window{f: p.f, end: p.size, buf: make([]byte, 256<<10)}
	sha := sha256.New()
	var sum [sha256.Size]byte
	for _, f := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		crc := uint32(0)
		if err := w.each(f.from, f.at, func(b []byte) { crc = crc32.Update(crc, castagnoli(), b) }); err != nil {
			return p.damage(f.path, err.Error())
		}
		if crc != f.crc {
			return p.damage(f.path, f.what)
		}
		if f.content == nil {
			continue
		}
		sha.Reset()
		if err := w.each(f.at, f.at+f.size, func(b []byte) { sha.Write(b) }); err != nil {
			return p.damage(f.path, err.Error())
		}
		if [32]byte(sha.Sum(sum[:0])) != f.content.SHA {
			return p.damage(f.path, "its bytes are damaged")
		}
	}
	return nil
}

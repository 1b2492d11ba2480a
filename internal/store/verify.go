package store

import (
	"context"
	"errors"
	"hash/crc32"
	"io"

	"github.com/counterstep/counterstep/fingerprint"
)

// Verify re-reads the payload and returns a *DamageError for the first damage.
// With only it looks at the entries whose path it accepts, else at every byte
// of the tar and of the shared copies. The copy of call.json beside the tar is
// for people and is not looked at.
func (p *Payload) Verify(ctx context.Context, only func(path string) bool) error {
	if err := p.verifyFrames(ctx, only); err != nil {
		return err
	}
	buf := make([]byte, 256<<10)
	seen := map[place]bool{}
	for i := range p.m.entries {
		e := &p.m.entries[i]
		if e.Type != fingerprint.File || only != nil && !only(e.Path) {
			continue
		}
		if seen[place{e.Off, e.Big}] {
			continue
		}
		seen[place{e.Off, e.Big}] = true
		if err := p.verifyContent(ctx, *e, buf); err != nil {
			return err
		}
	}
	if only != nil {
		return nil
	}
	_, err := p.Call()
	return err
}

func (p *Payload) verifyContent(ctx context.Context, e fingerprint.Entry, buf []byte) error {
	r, err := p.Open(e)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := r.Read(buf)
		var damage *DamageError
		switch {
		case err == nil:
			continue
		case err == io.EOF:
			return nil
		case errors.As(err, &damage):
			return err
		default:
			return p.damage(e.Path, err.Error())
		}
	}
}

// frame is a stretch of the tar between two contents.
type frame struct {
	member
	path string // of the entry it belongs to
	what string
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
		list = append(list, frame{member: m, path: p.m.entries[i].Path, what: "its header is damaged"})
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

// verifyFrames checks everything in the tar that is not content.
func (p *Payload) verifyFrames(ctx context.Context, only func(path string) bool) error {
	pos := int64(0)
	buf := make([]byte, 64<<10)
	for _, f := range p.frames() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.at < pos || f.size < 0 || f.at > p.size-f.size {
			return p.damage(f.path, "the manifest contradicts itself")
		}
		if only == nil || f.path != "" && only(f.path) {
			crc, err := p.crcOf(pos, f.at, buf)
			if err != nil {
				return p.damage(f.path, err.Error())
			}
			if crc != f.crc {
				return p.damage(f.path, f.what)
			}
		}
		pos = f.at + f.size
	}
	return nil
}

func (p *Payload) crcOf(from, to int64, buf []byte) (crc uint32, err error) {
	for from < to {
		part := buf[:min(to-from, int64(len(buf)))]
		if _, err := p.f.ReadAt(part, from); err != nil {
			return 0, err
		}
		crc = crc32.Update(crc, castagnoli(), part)
		from += int64(len(part))
	}
	return crc, nil
}

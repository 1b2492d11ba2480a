package store

import (
	"context"
	"errors"
	"io"

	"github.com/counterstep/counterstep/fingerprint"
)

// Verify re-reads the payload and returns a *DamageError for the first damage.
// With only it looks at the entries whose path it accepts, else at every byte
// of the tar and of the shared copies. The copy of call.json beside the tar is
// for people and is not looked at.
func (p *Payload) Verify(ctx context.Context, only func(path string) bool) error {
	if err := p.verifyTar(ctx, only); err != nil {
		return err
	}
	buf := make([]byte, 256<<10)
	seen := map[place]bool{}
	for i := range p.m.entries {
		e := &p.m.entries[i]
		if e.Type != fingerprint.File || only != nil && !only(e.Path) || p.inTar(e, only) || seen[place{e.Off, e.Big}] {
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

package checkpoint

import (
	"context"
	"errors"
)

// Report is what Verify found.
type Report struct {
	Checkpoints, Contents int
	Bytes                 int64
	// Damage lists what is wrong, at most one hundred of them; More is how many
	// there are beyond. The same content counts once for each checkpoint.
	Damage []*DamageError
	More   int
}

// Verify reads every byte that is held and reports which checkpoints cannot be
// trusted, and why. An error means that it could not look.
func (s *Set) Verify(ctx context.Context) (Report, error) {
	var rep Report
	err := retry(func() (err error) {
		rep, err = s.inspect(ctx)
		return err
	})
	return rep, err
}

func (s *Set) inspect(ctx context.Context) (rep Report, err error) {
	idx, err := s.openIndex()
	if err != nil {
		return rep, err
	}
	defer idx.packs.close()
	for _, m := range idx.marks {
		rep.Bytes += m.size
		if _, err := idx.check(ctx, s, m.pack); err != nil {
			return rep, err
		}
	}
	w := &wanderer{set: s, idx: idx}
	seen := map[[32]byte]bool{}
	for _, k := range idx.recs {
		rep.Checkpoints++
		r, err := w.move(k.ID)
		if err != nil {
			var d *DamageError
			if !errors.As(err, &d) {
				return rep, err
			}
			rep.add(d)
			w.at, w.now = "", nil
			continue
		}
		for i := range r.items {
			it := &r.items[i]
			if !it.file() {
				continue
			}
			seen[it.SHA] = true
			if _, ok := idx.content(it.SHA); !ok {
				rep.add(&DamageError{ID: k.ID, Path: it.Path, Err: errDamaged})
			}
		}
	}
	rep.Contents = len(seen)
	return rep, nil
}

func (r *Report) add(d *DamageError) {
	if len(r.Damage) < 100 {
		r.Damage = append(r.Damage, d)
		return
	}
	r.More++
}

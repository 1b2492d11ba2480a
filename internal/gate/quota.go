package gate

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

const (
	// defaultQuota is how many bytes a store may take when nobody says otherwise.
	defaultQuota = 5 << 30
)

// quotaError says that a store is full. It is no trouble of ours: a person
// decides what goes, or how much there may be.
type quotaError struct{ used, quota int64 }

func (e *quotaError) Error() string {
	return fmt.Sprintf("the store takes %s and its quota is %s, so nothing more is held", inverse.Size(e.used), inverse.Size(e.quota))
}

// quota is how many bytes the store may take.
func (g *Gate) quota() int64 {
	p, _ := g.policy(workspace.Workspace{}) // a repository has no say
	return cmp.Or(g.Quota, p.Quota, defaultQuota)
}

// Used is how many bytes a store takes.
func Used(st *store.Store) (int64, error) {
	payloads, err := st.Size()
	if err != nil {
		return 0, err
	}
	checkpoints, err := checkpoint.In(st).Size()
	return payloads + checkpoints, err
}

// afford fails when the store may not grow, or not by that many bytes.
func (g *Gate) afford(st *store.Store, more int64) error {
	used, err := Used(st)
	if err != nil {
		return err
	}
	if used+more >= g.quota() {
		return &quotaError{used: used, quota: g.quota()}
	}
	return nil
}

// pressed reports whether the store takes more than nine tenths of its quota.
func (g *Gate) pressed(st *store.Store) bool {
	used, err := Used(st)
	return err == nil && used > g.quota()/10*9
}

// warnAgain is how long the person is not told again that the store fills up.
const warnAgain = time.Hour

// warning tells, now and then, that the store fills up.
func (g *Gate) warning(st *store.Store) string {
	if !g.pressed(st) {
		return ""
	}
	mark := filepath.Join(st.CacheDir(), "warned")
	if info, err := os.Stat(mark); err == nil && g.Now().Sub(info.ModTime()).Abs() < warnAgain {
		return ""
	}
	if os.WriteFile(mark, nil, 0o600) == nil {
		_ = os.Chtimes(mark, g.Now(), g.Now())
	}
	used, err := Used(st)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("counterstep: the store takes %s of its quota of %s; free some with: counterstep gc --keep 7d", inverse.Size(used), inverse.Size(g.quota()))
}

// squeeze chooses what goes because the store is too full: what is older than
// a day, first what is not of the newest prompts, the oldest first, until a
// fifth of the quota is free.
func (g *Gate) squeeze(st *store.Store, b *books, ids []string, now time.Time) ([]string, error) {
	used, err := Used(st)
	if err != nil {
		return nil, err
	}
	over := used - g.quota()/5*4
	kept := b.favoured
	ids = slices.Clone(ids)
	slices.SortStableFunc(ids, func(x, y string) int {
		switch {
		case kept[x] == kept[y]:
			return cmp.Compare(x, y)
		case kept[x]:
			return 1
		}
		return -1
	})
	var out []string
	for _, id := range ids {
		if over <= 0 {
			break
		}
		if !b.sparable(id, now) {
			continue
		}
		size, err := st.PayloadSize(id)
		if err != nil {
			return nil, err
		}
		out, over = append(out, id), over-size
	}
	return out, nil
}

// sparable reports whether an armed call may be forgotten at all: it is more
// than a day old by the clock and by the ledger's own time, and no firing of it
// was interrupted.
func (b *books) sparable(id string, now time.Time) bool {
	u, err := ulid.ParseStrict(id)
	if err != nil {
		return false
	}
	s, known := b.sagas[id]
	switch {
	case !known || s.Manifest == "" || s.Status == ledger.IsFiring || s.Status == ledger.IsForgotten || s.Status == ledger.IsCall:
		return false
	case slices.ContainsFunc(b.damage, func(d ledger.Damage) bool { return d.Affects(s) }):
		return false
	}
	return now.Sub(ulid.Time(u.Time())) > day && b.after(s.Last.Seq) > day
}

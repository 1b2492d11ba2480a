package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/fire"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/ledger"
)

// health looks at the store of the workspace: whether it can be used, is
// private, and holds what it says.
func health(ctx context.Context, o Options) []Finding {
	st, err := store.Open(o.StoreDir)
	if errors.Is(err, store.ErrMissing) {
		return []Finding{{Level: Warn, What: o.StoreDir + " is not there yet", Fix: "counterstep init"}}
	}
	var all []Finding
	if err != nil {
		all = append(all, unusable(err))
		if st, err = store.OpenReadOnly(o.StoreDir); err != nil {
			return all
		}
	} else {
		all = append(all, Finding{Level: OK, What: fmt.Sprintf("%s opens (version %d)", st.Dir(), store.Version)})
	}
	all = append(all, modes(st)...)
	all = append(all, chain(ctx, o, st)...)
	all = append(all, bound(st)...)
	all = append(all, leftovers(st, o.Now())...)
	return append(all, room(st.Dir())...)
}

// unusable is a store that destructive calls are refused for.
func unusable(err error) Finding {
	f := Finding{Level: Fail, What: err.Error()}
	if hints := hint.Of(err); len(hints) > 0 {
		f.Fix = hints[0]
	}
	return f
}

// modes finds what others can read: payloads hold secrets.
func modes(st *store.Store) []Finding {
	var all []Finding
	for _, name := range []string{"", "VERSION", "lock", "ledger", "ledger/ledger.jsonl", "shadow", "post", "pending", "cache", "checkpoints", "remotes", "index"} {
		path := filepath.Join(st.Dir(), name)
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if name != "lock" {
				all = append(all, absent(path, name))
			}
		case err != nil:
			all = append(all, Finding{Level: Fail, What: err.Error(), Fix: "ls -ld " + quote(path)})
		case private && info.Mode().Perm()&0o077 != 0:
			all = append(all, Finding{Level: Warn, What: fmt.Sprintf("%s is open to others (mode %04o)", path, info.Mode().Perm()), Fix: "chmod go= " + quote(path)})
		}
	}
	return all
}

// absent is a part of the store that is gone.
func absent(path, name string) Finding {
	if name == "ledger/ledger.jsonl" {
		return Finding{Level: Fail, What: path + " is missing, and with it what could be fired; the payloads are plain tar files", Fix: "ls " + quote(filepath.Join(filepath.Dir(filepath.Dir(path)), "shadow"))}
	}
	return Finding{Level: Fail, What: path + " is missing", Fix: "mkdir -m 700 " + quote(path)}
}

// chain checks the ledger and every payload's manifest, without its bytes.
func chain(ctx context.Context, o Options, st *store.Store) []Finding {
	e := &fire.Engine{Store: st, Now: o.Now, Git: o.Git}
	r, err := e.Verify(ctx, false)
	if err != nil {
		return []Finding{{Level: Fail, What: "the ledger cannot be read: " + err.Error(), Fix: "ls -l " + quote(ledger.Path(st.LedgerDir()))}}
	}
	var all []Finding
	for _, f := range r.Findings {
		if f.ID == "" {
			all = append(all, Finding{Level: Fail, What: f.What, Fix: "counterstep verify"})
			continue
		}
		all = append(all, Finding{Level: Fail, What: f.What, Fix: "counterstep forget " + gate.Short(f.ID)})
	}
	for _, n := range r.Notes {
		all = append(all, Finding{Level: Note, What: n + note(n)})
	}
	if len(r.Findings) == 0 {
		all = append(all, Finding{Level: OK, What: fmt.Sprintf("%d records in one chain, %d payloads with their manifests (their bytes: counterstep verify --read-data)", r.Records, r.Payloads)})
	}
	return append(all, sagas(st)...)
}

func note(text string) string {
	if strings.Contains(text, string(ledger.Torn)) {
		return "; never acknowledged, the next record says so"
	}
	return ""
}

// sagas finds firings that ended in the middle, and payloads without a record.
func sagas(st *store.Store) []Finding {
	records, _, err := ledger.ReadAll(st.LedgerDir())
	ids, err2 := st.IDs()
	if err != nil || err2 != nil {
		return nil
	}
	var all []Finding
	known := map[string]bool{}
	for _, s := range ledger.Fold(records) {
		known[s.ID] = s.Manifest != ""
		if s.Status == ledger.IsFiring {
			id := gate.Short(s.ID)
			all = append(all, Finding{Level: Warn, What: "the firing of " + id + " was interrupted", Fix: "counterstep fire " + id})
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return known[id] })
	if len(ids) > 0 {
		all = append(all, Finding{Level: Note, What: fmt.Sprintf("%d payloads that no record names: calls that were blocked before they were armed; they are removed within days", len(ids))})
	}
	return all
}

// leftovers counts what killed processes and calls that never came back left.
func leftovers(st *store.Store, now time.Time) []Finding {
	const old = 24 * time.Hour
	count := func(dir string, left func(name string, age time.Duration) bool) (n int) {
		list, _ := os.ReadDir(filepath.Join(st.Dir(), dir))
		for _, d := range list {
			if info, err := d.Info(); err == nil && left(d.Name(), now.Sub(info.ModTime())) {
				n++
			}
		}
		return n
	}
	var all []Finding
	unfinished := func(name string, age time.Duration) bool { return strings.HasPrefix(name, ".") && age > old }
	if n := count("shadow", unfinished) + count("post", unfinished); n > 0 {
		all = append(all, Finding{Level: Note, What: fmt.Sprintf("%d unfinished payloads of killed processes; they are removed within a day of the next call", n)})
	}
	if n := count("pending", func(_ string, age time.Duration) bool { return age > old }); n > 0 {
		all = append(all, Finding{Level: Note, What: fmt.Sprintf("%d calls that never came back; they can be fired, on what was predicted", n)})
	}
	return all
}

// room warns before a full disk makes every destructive call be refused.
func room(dir string) []Finding {
	free, ok := freeSpace(dir)
	const low, least = 1 << 30, 64 << 20
	if !ok || free >= low {
		return nil
	}
	f := Finding{Level: Warn, What: fmt.Sprintf("%d MiB are left on the disk that holds %s; when it is full, calls that can destroy are refused", free>>20, dir), Fix: "df -h " + quote(dir)}
	if free < least {
		f.Level = Fail
	}
	return []Finding{f}
}

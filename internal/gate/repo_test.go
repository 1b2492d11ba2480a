package gate

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

func TestObjectsGoWithTheLastPayloadThatNeedsThem(t *testing.T) {
	k := newKept(t)
	ctx := context.Background()
	name := func(c string, at time.Time) string { return strings.Repeat(c, 32) + "-" + span(at) + ".git" }
	long := k.now.Add(-4 * keepTime)
	needed, loose, fresh := name("a", long), name("b", long), name("c", k.now.Add(-keepTime))
	for _, n := range []string{needed, loose, fresh, "other"} {
		if err := os.MkdirAll(filepath.Join(k.st.ObjectsDir(), n, "objects"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	id := k.id()
	call, err := json.Marshal(inverse.Call{V: 1, ID: id, Bound: &inverse.Bound{Repos: []git.Objects{{Store: needed}}}})
	if err != nil {
		t.Fatal(err)
	}
	staging, err := k.st.Begin(id)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := staging.Finish(ctx, nil, call)
	if err != nil {
		t.Fatal(err)
	}
	armed := ledger.Record{ID: id, Kind: ledger.Armed, Time: k.now, Class: classify.Bounded.String(), Manifest: hex.EncodeToString(sealed.Manifest[:])}
	if _, err := ledger.Append(ctx, k.st.LedgerDir(), armed, ledger.AppendOptions{}); err != nil {
		t.Fatal(err)
	}
	release := func() {
		t.Helper()
		b, err := readBooks(k.st, k.now)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.g.releaseObjects(ctx, k.st, b, k.now); err != nil {
			t.Fatal(err)
		}
	}
	have := func(n string) bool {
		_, err := os.Stat(filepath.Join(k.st.ObjectsDir(), n))
		return err == nil
	}
	release()
	if !have(needed) || have(loose) || !have(fresh) || !have("other") {
		t.Errorf("needed %v, loose %v, fresh %v, other %v; only the loose one should be gone", have(needed), have(loose), have(fresh), have("other"))
	}
	k.record(ledger.Forgotten, id)
	release()
	if have(needed) || !have(fresh) {
		t.Errorf("after the payload was forgotten: needed %v, fresh %v", have(needed), have(fresh))
	}
}

package gate

import (
	"context"
	"encoding/json"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/ledger"
)

// AllowTime is how long a command that a person allowed may wait for its call.
const AllowTime = time.Hour

// grant is the note that a person allowed a command once.
type grant struct {
	Until time.Time `json:"until"`
}

func allowKey(ws workspace.Workspace, command string) string {
	return "allow\x00" + ws.Root + "\x00" + command
}

// Allow lets one command that would be refused go once, in this workspace and
// within [AllowTime]. Only a person may do that. It is an error when the command
// would not be refused, or when it reaches for a place that no agent may touch.
func (g *Gate) Allow(r Request) error {
	ws := g.Workspace(r.Cwd)
	v, err := g.Judge(r, ws)
	switch {
	case err != nil:
		return err
	case v.Class != classify.Irreversible:
		return hint.New("counterstep explain "+quoted(r.Input.Command), "that command is not refused for what it says; make the call")
	case !askable(v):
		return hint.New("run it yourself", "%s: this is for no agent", reasons(v))
	}
	st, err := g.open(ws)
	if err != nil {
		return err
	}
	data, err := json.Marshal(grant{Until: g.Now().Add(AllowTime)})
	if err != nil {
		return err
	}
	return st.PutPending(allowKey(ws, r.Input.Command), data)
}

// allowed takes away the note that a person allowed the call, and reports
// whether there was one that still counts.
func (g *Gate) allowed(r Request, st *store.Store, ws workspace.Workspace, v classify.Verdict) bool {
	if r.Input.Kind != Shell || r.Input.Command == "" || !askable(v) {
		return false
	}
	data, ok, err := st.TakePending(allowKey(ws, r.Input.Command))
	if err != nil || !ok {
		return false
	}
	var a grant
	now := g.Now()
	return json.Unmarshal(data, &a) == nil && now.Before(a.Until) && a.Until.Sub(now) <= AllowTime
}

// excepted records that a call without an undo goes on because a person said
// so, or will be asked.
func (g *Gate) excepted(ctx context.Context, r Request, st *store.Store, v classify.Verdict, why string) Decision {
	rec := g.record(ledger.Barrier, g.NewID(), r, v)
	rec.Reason = why + ": " + hint.Clean(reasons(v))
	if len(rec.Barrier) == 0 {
		rec.Barrier = []string{hint.Clean(reasons(v))}
	}
	if _, err := g.append(ctx, st, rec, ledger.AppendOptions{Sync: true}); err != nil {
		return fault(err)
	}
	return Decision{}
}

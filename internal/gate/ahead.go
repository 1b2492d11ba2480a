package gate

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// Ahead says what was armed before its call.
type Ahead struct {
	// ID is the saga, empty when only a checkpoint was taken or when the call
	// needs nothing.
	ID string
	// Class is the class of the call, Inverse what firing would do.
	Class   classify.Class
	Inverse string
	Files   int
	Bytes   int64
	// Checkpoint is what a call with unknown writes is compared with; nil
	// without one.
	Checkpoint *checkpoint.Info
}

// ahead is the note by which the hook finds what was armed before its call.
type ahead struct {
	Record ledger.Record  `json:"record"`
	Step   inverse.Step   `json:"step"`
	Bound  *inverse.Bound `json:"bound,omitempty"`
	// State is what the scope looked like, times and inodes included.
	State string `json:"state"`
}

// Arm holds what a call can destroy before the call is made, however long that
// takes. The hook lets the same command in the same directory go on the strength
// of it, as long as the scope is what it was. A call whose writes are not known
// only gets a checkpoint, which makes the one in the hook quick.
func (g *Gate) Arm(ctx context.Context, r Request) (Ahead, error) {
	ws := g.Workspace(r.Cwd)
	v := g.Classify(r, ws)
	out := Ahead{Class: v.Class}
	switch {
	case v.Class == classify.Inert:
		return out, nil
	case v.Class == classify.Irreversible:
		d := refusal(v)
		return out, hint.New("counterstep explain "+quoted(r.Input.Command), "%s", d.Reason)
	case pushes(v):
		return out, hint.New("counterstep explain "+quoted(r.Input.Command), "what a push can lose is held by the hook itself; there is nothing to arm before")
	}
	st, err := g.open(ws)
	if err != nil {
		return out, err
	}
	g.unhurried = true
	if v.Class == classify.Bounded && !hasWrites(v) {
		if !g.bounds(ws) {
			return out, hint.New("cd PROJECT", "nothing bounds what this call writes in %s", ws.Root)
		}
		c, err := g.TakeCheckpoint(ctx, st, ws, g.NewID(), v.Dirs, 0)
		if err != nil {
			return out, err
		}
		defer c.Close()
		out.Checkpoint, out.Files, out.Bytes = &c.Info, c.Files, c.Bytes
		return out, nil
	}
	return g.armAhead(ctx, r, st, v)
}

func (g *Gate) armAhead(ctx context.Context, r Request, st *store.Store, v classify.Verdict) (Ahead, error) {
	out := Ahead{Class: v.Class}
	if err := g.afford(st, 0); err != nil {
		return out, err
	}
	step, err := inverse.Plan(v.Effects, workspace.Disk{})
	if err != nil {
		return out, fmt.Errorf("plan the undo: %w", err)
	}
	before, err := g.calm(ctx, step)
	if err != nil {
		return out, err
	}
	a, err := g.prepare(ctx, r, st, v)
	if err != nil || a.empty() {
		return out, err
	}
	n := ahead{Record: g.armedRecord(r, v, a), Step: a.Step, Bound: a.Bound}
	after, _, err := glance(ctx, a.Step)
	if err == nil && before != "" && after == before {
		n.State = after // else the hook compares contents
	}
	if _, err := g.append(ctx, st, n.Record, ledger.AppendOptions{Sync: true}); err != nil {
		g.unrecord(st, a.ID)
		return out, err
	}
	data, err := json.Marshal(n)
	if err == nil {
		err = st.PutPending(aheadKey(r), data)
	}
	out.ID, out.Inverse, out.Files, out.Bytes = a.ID, a.words(), a.Sealed.Files, a.Sealed.Bytes
	return out, err
}

func aheadKey(r Request) string { return "ahead\x00" + real(r.Cwd) + "\x00" + r.Input.Command }

func pushes(v classify.Verdict) bool {
	return slices.ContainsFunc(v.Effects, func(e classify.Effect) bool { return e.Remote != nil })
}

func hasWrites(v classify.Verdict) bool {
	return slices.ContainsFunc(v.Effects, func(e classify.Effect) bool { return e.Kind != classify.Create })
}

// prepared finds what was armed before its call. It is good only when the scope
// is still what it was; else it is forgotten.
func (g *Gate) prepared(ctx context.Context, r Request, st *store.Store, v classify.Verdict) (n ahead, ok bool) {
	if r.Input.Kind != Shell {
		return n, false
	}
	data, ok, err := st.TakePending(aheadKey(r))
	if err != nil || !ok {
		return n, false
	}
	if json.Unmarshal(data, &n) != nil || g.still(ctx, st, v, n) != nil {
		return n, false
	}
	return n, true
}

// errOther says that what was armed ahead is not what the call needs now.
var errOther = errors.New("the scope has changed")

// still fails unless what was held is what the call would lose now.
func (g *Gate) still(ctx context.Context, st *store.Store, v classify.Verdict, n ahead) error {
	step, err := inverse.Plan(v.Effects, workspace.Disk{})
	if err != nil {
		return err
	}
	p, err := openAhead(st, n)
	if err != nil {
		return err
	}
	defer p.Close()
	now, _ := json.Marshal(step)
	then, _ := json.Marshal(n.Step)
	if string(now) != string(then) || (n.Bound != nil) != (v.Class == classify.Bounded) || pushes(v) {
		return errOther
	}
	if n.Bound != nil {
		c, err := g.TakeCheckpoint(ctx, st, workspace.Workspace{Root: string(n.Bound.Root)}, g.NewID(), v.Dirs, checkpointTime)
		if err != nil {
			return err
		}
		defer c.Close()
		if c.ID != n.Bound.Checkpoint {
			return errOther
		}
	}
	if state, _, err := glance(ctx, step); err == nil && n.State != "" && state == n.State {
		return nil
	}
	return sameContents(ctx, p, n)
}

// openAhead opens what is held, which may be gone by now.
func openAhead(st *store.Store, n ahead) (*store.Payload, error) {
	manifest, err := hex.DecodeString(n.Record.Manifest)
	if err != nil || len(manifest) != 32 {
		return nil, errOther
	}
	return st.Payload(n.Record.ID, [32]byte(manifest))
}

// sameContents reads the scope again and compares it with what is held.
func sameContents(ctx context.Context, p *store.Payload, n ahead) error {
	now, err := workspace.Capture(ctx, Roots(n.Step), workspace.Options{OneFS: true})
	if err != nil {
		return err
	}
	held := p.Entries()
	if len(held) != len(now) {
		return errOther
	}
	for i := range held {
		if held[i].MTime != now[i].MTime || held[i].UID != now[i].UID || held[i].GID != now[i].GID {
			return errOther
		}
	}
	if fingerprint.Sum(held) != fingerprint.Sum(now) {
		return errOther
	}
	return nil
}

// glance sums up what a look at the scope tells, without opening a file, and says
// how young its youngest change is.
func glance(ctx context.Context, s inverse.Step) (state string, youngest int64, err error) {
	var paths []string
	for _, r := range s.Roots {
		paths = append(paths, string(r.Path))
	}
	view, err := workspace.Survey(ctx, paths, workspace.SurveyOptions{})
	if err != nil {
		return "", 0, err
	}
	defer view.Close()
	var lines []string
	view.Each(func(s *workspace.Seen) {
		if s.Trouble != nil && err == nil {
			err = s.Trouble
		}
		youngest = max(youngest, s.CTime)
		b := []byte(s.Path)
		for _, n := range []uint64{uint64(s.Type), uint64(s.Mode), s.Dev, s.Ino, uint64(s.Links), uint64(s.UID), uint64(s.GID), uint64(s.Size), uint64(s.MTime), uint64(s.CTime)} {
			b = binary.LittleEndian.AppendUint64(b, n)
		}
		lines = append(lines, string(b))
	})
	slices.Sort(lines)
	if err != nil || youngest == 0 {
		return "", 0, errors.Join(err, errOther)
	}
	return fingerprint.Hex(fingerprint.ContentOf([]byte(strings.Join(lines, "\x00")))), youngest, nil
}

// calmTime is how old the youngest change of a scope must be so that a later
// one is sure to show in its times; coarseTime where the file system counts
// whole seconds, or two.
const (
	calmTime   = 100 * time.Millisecond
	coarseTime = 2*time.Second + calmTime
)

// calm looks at the scope once its youngest change is old enough. It is empty
// where that cannot be told: then contents will be compared.
func (g *Gate) calm(ctx context.Context, s inverse.Step) (string, error) {
	state, youngest, err := glance(ctx, s)
	if err != nil {
		return "", nil
	}
	need := calmTime
	if youngest%int64(time.Second) == 0 {
		need = coarseTime
	}
	wait := time.Unix(0, youngest).Add(need).Sub(g.Now())
	switch {
	case wait <= 0:
		return state, nil
	case wait > need:
		return "", nil // the clock is behind
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if state, _, err = glance(ctx, s); err != nil {
		return "", nil
	}
	return state, nil
}

// quoted writes a command as one word for a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

package fire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/checkpoint"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/store"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
	"github.com/counterstep/counterstep/ledger"
)

// job is one firing: what is held, what is there, and what to do about it.
type job struct {
	saga    ledger.Saga
	payload *store.Payload
	call    inverse.Call
	pre     []fingerprint.Entry
	post    []fingerprint.Entry
	settled bool
	roots   []workspace.Root
	undo    inverse.Undo
	lines   []Line

	remotes  []git.Remote
	warnings []Warning
	refs     []Line
	pushed   bool // some ref was put back

	// was is the state before a firing that was interrupted, writing what that
	// one was writing into.
	was     []fingerprint.Entry
	writing []string
	redo    *store.Payload            // what holds it
	wants   map[string]inverse.Merged // what that one was to merge

	// What merging needs: contents that were kept, the choice, and the time that
	// merged files get.
	engine *Engine
	// split says that an index that goes back does not name all its objects.
	split  bool
	ctx    context.Context
	first  *job // the saga whose firing this one takes back
	texted map[[32]byte][]byte
	choice inverse.Choice
	time   int64
	merged map[string]inverse.Merged

	// follows maps the new names of files that were moved since to those under
	// which they are held.
	follows map[string]string

	// unsteady are files that were no longer what had been seen just before.
	unsteady []string

	// paths are those that were asked for; part says that others were left.
	paths []string
	part  bool

	later   []Later
	between []Between

	// A rewind has its contents from many places, before and after by path, and
	// its own way to be tried again.
	from   map[string]func() (io.ReadCloser, error)
	leftAt map[string]func() ([]byte, bool)
	olds   []version
	retry  string

	// checkpoint is the state before a call whose writes were not known; held
	// are the paths that come from it, around the directories around them, and
	// skipped what it does not hold.
	checkpoint *checkpoint.Checkpoint
	left       *checkpoint.Checkpoint // the state that it left
	held       map[string]bool
	around     []inverse.Parent
	skipped    []Line
}

// load opens what a saga holds and checks that it belongs together: the
// ledger's line names the manifest and call.json by their hashes.
func (e *Engine) load(s ledger.Saga) (*job, error) {
	report, err := ledger.Check(e.Store.LedgerDir())
	if err != nil {
		return nil, err
	}
	return e.loadWith(s, report.Damage)
}

// loadWith is load for a ledger that was read already.
func (e *Engine) loadWith(s ledger.Saga, damage []ledger.Damage) (*job, error) {
	manifest, err := hash(s.Manifest)
	if err != nil {
		return nil, fmt.Errorf("record of %s: %w", short(s.ID), err)
	}
	for _, d := range damage {
		if d.Affects(s) {
			return nil, hint.New("counterstep verify", "the ledger is damaged at byte %d (%s) and %s may be affected", d.Offset, d.Reason, short(s.ID))
		}
	}
	j := &job{saga: s, engine: e, follows: map[string]string{}, time: e.Now().UnixNano()}
	if j.payload, err = e.Store.Payload(s.ID, manifest); err != nil {
		return nil, err
	}
	if err := j.read(e.Store); err != nil {
		j.payload.Close()
		return nil, err
	}
	return j, nil
}

func (j *job) read(st *store.Store) error {
	data, err := j.payload.Call()
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != j.saga.Armed.CallSHA {
		return hint.New("counterstep verify", "call.json of %s is not what was recorded", short(j.saga.ID))
	}
	if j.call, err = inverse.ReadCall(data); err != nil {
		return err
	}
	j.pre = slices.Clone(j.payload.Entries())
	for _, e := range j.pre {
		if !slices.ContainsFunc(j.step().Roots, func(r inverse.Root) bool {
			return e.Path == string(r.Path) || r.Tree && inverse.Within(e.Path, string(r.Path))
		}) {
			return hint.New("counterstep verify", "the manifest of %s names %q, which is outside its scope", short(j.saga.ID), e.Path)
		}
	}
	for _, r := range j.step().Roots {
		j.roots = append(j.roots, workspace.Root{Path: string(r.Path), Tree: r.Tree})
	}
	if j.post, j.settled, err = st.Post(j.saga.ID); err != nil {
		return err
	}
	j.remotes = slices.Clone(j.call.Remotes)
	if refs, ok, err := st.Refs(j.saga.ID); err != nil {
		return err
	} else if ok {
		return j.readLeft(refs)
	}
	return nil
}

// again is the command that goes on with what was interrupted.
func (j *job) again() string {
	if j.retry != "" {
		return j.retry
	}
	return "counterstep fire " + short(j.saga.ID)
}

// compare looks at the present and decides what to do, path by path. Nothing
// is changed; every held byte that is needed is checked.
func (j *job) compare(ctx context.Context, o Options) error {
	now, err := workspace.Capture(ctx, j.roots, j.seen())
	if err != nil {
		return hint.With(fmt.Errorf("look at the present state: %w", err), "counterstep show "+short(j.saga.ID))
	}
	j.unwritten(now)
	j.already(now)
	j.choice = o.Choice
	j.unsteady = nil
	j.undo = inverse.Resolve(j.states(ctx, now, o))
	if len(j.unsteady) > 0 { // no choice about what nobody has seen
		return hint.New(j.again(), "%q changed while it was looked at; nothing was changed", j.unsteady[0])
	}
	j.repositories()
	j.only(o.Only)
	if err := j.nothing(); err != nil {
		return err
	}
	needed := map[string]bool{}
	for _, a := range j.undo.Actions {
		j.lines = append(j.lines, line(a))
		if a.Op == workspace.Put && !j.composed(a.Entry) {
			needed[a.Entry.Path] = true
		}
	}
	besides := map[string]bool{}
	for _, d := range j.undo.Drift {
		if d.Beside != "" {
			besides[d.Path] = true
			continue
		}
		reason := "changed after the call"
		if d.Chosen {
			reason = "changed after the call, and kept as asked"
		}
		j.lines = append(j.lines, Line{Path: d.Path, Do: doKeep, Status: workspace.StatusKept, Reason: reason})
	}
	for _, p := range j.undo.Bystanders {
		j.lines = append(j.lines, Line{Path: p, Do: "keep", Status: workspace.StatusKept, Reason: "appeared after the call"})
	}
	j.mark(besides)
	j.mergedLines()
	j.lines = append(j.lines, j.skipped...)
	if err := j.moves(); err != nil {
		return err
	}
	if j.from != nil {
		return nil // a rewind checks each path by itself
	}
	if err := j.verify(ctx, needed); err != nil {
		return err
	}
	for to, from := range j.follows {
		needed[from] = needed[from] || needed[to]
	}
	return j.payload.Verify(ctx, func(p string) bool { return needed[p] || len(besides) > 0 })
}

// mark turns the lines of armed versions that go beside a drifted path into
// what they mean for that path.
func (j *job) mark(drifted map[string]bool) {
	suffix := ".counterstep-" + inverse.Tag(j.saga.ID)
	for i, l := range j.lines {
		if p, ok := cutSuffix(l.Path, suffix); ok && drifted[p] {
			j.lines[i] = Line{Path: p, Do: "beside", Beside: l.Path, Reason: "changed after the call; the armed version is put beside it"}
		}
	}
}

// moves plans the renames back.
func (j *job) moves() error {
	for _, m := range j.step().Moves {
		from, atFrom, err := find(m, string(m.From))
		if err != nil {
			return err
		}
		to, atTo, err := find(m, string(m.To))
		if err != nil {
			return err
		}
		l := Line{Path: string(m.From), Do: "rename"}
		if !j.meant(string(m.From)) && !j.meant(string(m.To)) {
			if !atFrom && atTo {
				j.part = true
				l.Do, l.Status, l.Reason = doKeep, workspace.StatusKept, notAmong
				j.lines = append(j.lines, l)
			}
			continue
		}
		switch {
		case atFrom && !atTo, j.stayed(m):
			continue
		case !atTo:
			l.Do, l.Status, l.Reason = "keep", workspace.StatusKept, "what was moved is no longer at "+string(m.To)
			j.lines = append(j.lines, l)
			continue
		case from.Type != '-':
			l.Do, l.Status, l.Reason = "keep", workspace.StatusKept, "something else is there now; what was moved stays at "+string(m.To)
			j.lines = append(j.lines, l)
			continue
		}
		// A rename comes first: what is put back below it needs it there.
		now := fingerprint.Entry{Path: string(m.To), Type: fingerprint.Type(to.Type), Dev: to.Dev, Ino: to.Ino}
		want := now
		want.Path = string(m.From)
		j.undo.Actions = slices.Insert(j.undo.Actions, 0, workspace.Action{Op: workspace.Rename, From: string(m.To), Entry: want, Now: now})
		j.lines = slices.Insert(j.lines, 0, l)
	}
	return nil
}

// find looks whether the thing that was moved is at a path.
func find(m inverse.Move, path string) (classify.Info, bool, error) {
	disk := workspace.Disk{}
	info, err := disk.Lstat(path)
	if err != nil || info.Type == '-' {
		return info, false, err
	}
	mtime, names, err := disk.Listing(path)
	if info.Type == 'd' {
		info.Size = 0
	}
	return info, err == nil && m.Is(info, mtime, names), err
}

// stayed reports that the call did not carry out the rename.
func (j *job) stayed(m inverse.Move) bool {
	return slices.ContainsFunc(j.post, func(e fingerprint.Entry) bool {
		return e.Path == string(m.From) && e.Dev == m.Dev && e.Ino == m.Ino
	})
}

func line(a workspace.Action) Line {
	l := Line{Path: a.Entry.Path}
	switch a.Op {
	case workspace.Remove:
		l.Do = "remove"
	case workspace.Keep:
		l.Do = "link"
	case workspace.Meta:
		l.Do = doTimes
		if a.Entry.Mode != a.Now.Mode || a.Entry.UID != a.Now.UID || a.Entry.GID != a.Now.GID {
			l.Do = doMetadata
		}
	default:
		l.Do = doRestore
	}
	return l
}

// open reports whether a line is something for a person to look at.
func (l Line) open() bool {
	return l.Do == "beside" || l.Do == "keep" || l.Status == workspace.StatusDrifted || l.Status == workspace.StatusSkipped
}

// incomplete reports whether something stayed different from what was armed.
func (j *job) incomplete() bool { return slices.ContainsFunc(j.lines, Line.open) }

// outcomes notes what became of the actions, which stand in front of the lines
// in the same order.
func (j *job) outcomes(out []workspace.Outcome) {
	for i, o := range out {
		j.lines[i].Status = o.Status
		if j.lines[i].Do == doMerge && o.Status == workspace.StatusRestored {
			j.lines[i].Status = statusMerged
		}
		if o.Reason != "" {
			j.lines[i].Reason = o.Reason
		}
		if o.Beside != "" {
			j.lines[i].Beside = o.Beside
		}
	}
}

// choose drops the actions that a person does not want.
func (j *job) choose(ask func([]Line) ([]bool, error)) error {
	n := len(j.undo.Actions)
	yes, err := ask(slices.Clone(j.lines[:n]))
	if err != nil {
		return err
	}
	var actions []workspace.Action
	var lines []Line
	for i := range n {
		if yes[i] {
			actions, lines = append(actions, j.undo.Actions[i]), append(lines, j.lines[i])
		}
	}
	for i, l := range j.lines {
		switch {
		case i >= n:
			lines = append(lines, l)
		case !yes[i]:
			j.part = true
			lines = append(lines, Line{Path: l.Path, Do: "keep", Status: workspace.StatusKept, Reason: notChosen})
		}
	}
	j.undo.Actions, j.lines = actions, lines
	return nil
}

// directories are where temporaries of this firing can lie.
func (j *job) directories() []ledger.Name {
	var dirs []ledger.Name
	for _, r := range j.roots {
		d := ledger.Name(path.Dir(r.Path))
		if !slices.Contains(dirs, d) && len(dirs) < 16 {
			dirs = append(dirs, d)
		}
	}
	return dirs
}

// parents gives the directories around the scope their times back when their
// listing is what it was. What cannot be set is left.
func (j *job) parents(ctx context.Context) {
	for _, p := range slices.Concat(j.step().Parents, j.around) {
		mtime, names, err := workspace.Disk{}.Listing(string(p.Path))
		if err != nil || names != p.Names || mtime == p.MTime {
			continue
		}
		entries, err := workspace.Capture(ctx, []workspace.Root{{Path: string(p.Path)}}, workspace.Options{})
		if err != nil || len(entries) != 1 || entries[0].Type != fingerprint.Dir {
			continue
		}
		want := entries[0]
		want.MTime = p.MTime
		workspace.Live().Apply(ctx, j.saga.ID, []workspace.Action{{Op: workspace.Meta, Entry: want, Now: entries[0]}}, nil, workspace.ApplyOptions{})
	}
}

func (j *job) result(status string) Result {
	switch {
	case status != "would fire":
	case j.conflicted():
		status = "would conflict"
	case j.incomplete() || len(j.undo.Merges) > 0:
		status = "would be stale"
	}
	lines := append(slices.Clone(j.refs), j.lines...)
	if len(j.refs) == 0 {
		for _, r := range j.remotes {
			for _, ref := range r.Refs {
				lines = append(lines, Line{Path: git.Shown(r.Name) + " " + ref.Name, Do: "ref"})
			}
		}
	}
	return Result{ID: j.saga.ID, Status: status, Lines: lines, Later: j.later, Between: j.between, Remotes: j.warnings, Armed: j.saga.Armed.Fingerprint, Settled: j.settled}
}

func hash(s string) ([32]byte, error) {
	var out [32]byte
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(out) {
		return out, fmt.Errorf("%q is no SHA-256", s)
	}
	return [32]byte(b), nil
}

func cutSuffix(s, suffix string) (string, bool) {
	if len(s) > len(suffix) && s[len(s)-len(suffix):] == suffix {
		return s[:len(s)-len(suffix)], true
	}
	return s, false
}

package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/box"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/merge"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// maxText is the size in bytes up to which a difference is shown, maxSaid how
// much of what a command says is kept.
const (
	maxText = 1 << 20
	maxSaid = 1 << 20
)

// Inside is the first process in its own namespaces: it reads an order from in,
// builds the box, carries the order out and writes an answer to out. Anywhere
// else it does nothing but say so.
func Inside(ctx context.Context, in io.Reader, out io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	var a answer
	b, err := box.Enter(o.Setup)
	if err != nil {
		a.Setup = err.Error()
	} else if len(o.Command) > 0 {
		if a.Report, err = carryOut(ctx, b, o); err != nil {
			a.Err = err.Error()
		}
	}
	return json.NewEncoder(out).Encode(a)
}

func carryOut(ctx context.Context, b *box.Box, o order) (Report, error) {
	roots := gate.Roots(o.Step)
	pre, err := workspace.Capture(ctx, roots, workspace.Options{})
	if err != nil {
		return Report{}, fmt.Errorf("look at what it can change: %w", err)
	}
	res, err := b.Run(ctx, proc.Cmd{Path: o.Shell, Args: []string{"-c", string(o.Command)}, Dir: o.Setup.Cwd, Env: o.Env, Limit: maxSaid})
	if err != nil {
		return Report{}, err
	}
	r := Report{Code: res.Code, Stdout: res.Stdout, Stderr: res.Stderr, Changes: []Change{}}
	changes, err := b.Changes()
	if err != nil {
		return r, fmt.Errorf("look at what it changed: %w", err)
	}
	for _, c := range changes {
		r.Changes = append(r.Changes, shown(c))
	}
	if len(roots) > 0 || len(o.Step.Moves) > 0 {
		if err := undo(ctx, b, o, roots, pre); err != nil {
			r.Short = err.Error()
		} else {
			r.Proof = "executed"
		}
	}
	return r, nil
}

// undo runs the inverse in the box and demands the state that was there.
func undo(ctx context.Context, b *box.Box, o order, roots []workspace.Root, pre []fingerprint.Entry) error {
	now, err := workspace.Capture(ctx, roots, workspace.Options{})
	if err != nil {
		return fmt.Errorf("look at what it left: %w", err)
	}
	for _, m := range o.Step.Moves { // which are armed by identity
		if err := os.Rename(string(m.To), string(m.From)); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("move back: %w", err)
		}
	}
	actions := inverse.Resolve(inverse.States{ID: o.ID, Pre: pre, Now: now, Step: inverse.Step{Roots: o.Step.Roots, Parents: o.Step.Parents}, Force: true}).Actions
	open := func(e fingerprint.Entry) (io.ReadCloser, error) { return os.Open(b.Lower(e.Path)) }
	if _, err := workspace.At("/").Apply(ctx, o.ID, actions, open, workspace.ApplyOptions{}); err != nil {
		return fmt.Errorf("run the undo: %w", err)
	}
	got, err := workspace.Capture(ctx, roots, workspace.Options{})
	if err != nil {
		return fmt.Errorf("look at what the undo left: %w", err)
	}
	if fingerprint.Sum(got) != fingerprint.Sum(pre) {
		return fmt.Errorf("the undo does not give the state back: %s", firstDifference(pre, got))
	}
	left, err := b.Changes()
	if err != nil {
		return err
	}
	for _, c := range left {
		if moved(o.Step, c.Path) && c.Kind != box.Times {
			return fmt.Errorf("the undo does not give the state back: %s", c.Path)
		}
	}
	return nil
}

// moved reports whether a path belongs to a move.
func moved(s inverse.Step, path string) bool {
	for _, m := range s.Moves {
		if inverse.Within(path, string(m.From)) || inverse.Within(path, string(m.To)) {
			return true
		}
	}
	return false
}

func firstDifference(want, got []fingerprint.Entry) string {
	have := map[string]fingerprint.Entry{}
	for _, e := range got {
		have[e.Path] = e
	}
	for _, e := range want {
		if !fingerprint.Equal(e, have[e.Path]) && (e.Type != fingerprint.Absent || have[e.Path].Type != 0) {
			return e.Path
		}
	}
	return "there is more than before"
}

// shown reads what can be shown of a change.
func shown(c box.Change) Change {
	out := Change{Path: inverse.Name(c.Path), Kind: c.Kind, Dir: c.Dir}
	if c.Names > 1 {
		out.Names = c.Names
	}
	if c.Kind == box.Metadata || c.Kind == box.Times || c.Before == "" && c.After == "" {
		return out
	}
	before, berr := text(c.Before)
	after, aerr := text(c.After)
	switch {
	case berr != nil || aerr != nil:
		out.Note = "cannot be shown"
	case before == nil || after == nil:
		out.Note = "too large to show"
	case merge.Binary(before) || merge.Binary(after) || !utf8.Valid(before) || !utf8.Valid(after):
		out.Note = "binary"
	default:
		out.Diff = string(bytes.ToValidUTF8(merge.Unified("a"+hint.Clean(c.Path), "b"+hint.Clean(c.Path), before, after), []byte("?")))
	}
	return out
}

// text reads a file; nil when it is too large, empty when there is none.
func text(path string) ([]byte, error) {
	if path == "" {
		return []byte{}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if len(data) > maxText {
		return nil, err
	}
	return append([]byte{}, data...), err
}

// Package trial really runs a command on a copy of the workspace that lies in
// memory, compares what it wrote with what was predicted, and runs the undo
// there. The workspace itself is never written.
package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/box"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/internal/workspace"
	"github.com/counterstep/counterstep/inverse"
)

// Verb is the argument by which the program starts itself as the inside.
const Verb = "rehearse-inside"

// ErrUnable says that this host does not allow a box.
var ErrUnable = errors.New("this host does not allow what running a command apart needs")

// Plan is a command and what is known of it.
type Plan struct {
	ID, Command string
	// Root is the workspace, Cwd where the command runs, Hide what it must not see.
	Root, Cwd string
	Hide      []string
	// Verdict is what was predicted.
	Verdict classify.Verdict
	// Executable is this program, Shell the shell, Env the environment.
	Executable, Shell string
	Env               []string
}

// Change is one path that the command changed.
type Change struct {
	Path inverse.Name `json:"path"`
	Kind box.Kind     `json:"kind"`
	Dir  bool         `json:"dir,omitempty"`
	// Diff is the change of a text, as diff -u writes it; Note says why there
	// is none.
	Diff string `json:"diff,omitempty"`
	Note string `json:"note,omitempty"`
	// Names is how many names a multiply linked file has: what is written into
	// it shows under all of them, and here only under the one that was used.
	Names int `json:"names,omitempty"`
	// Outside says that the prediction does not cover it.
	Outside bool `json:"outside,omitempty"`
}

// Report is what came of it.
type Report struct {
	// Code is the exit status of the command, Stdout and Stderr what it said.
	Code   int    `json:"exit"`
	Stdout []byte `json:"stdout,omitempty"`
	Stderr []byte `json:"stderr,omitempty"`
	// Changes are sorted by path.
	Changes []Change `json:"changes"`
	// Proof is "executed" when the undo gave the state back; empty when there
	// was nothing to undo, or when it fell short, which Short says.
	Proof string `json:"proof,omitempty"`
	Short string `json:"short,omitempty"`
}

// Outside counts the changes that were not predicted.
func (r Report) Outside() int {
	n := 0
	for _, c := range r.Changes {
		if c.Outside {
			n++
		}
	}
	return n
}

// order is what the inside is told.
type order struct {
	ID, Shell string
	Command   []byte
	Setup     box.Setup
	Step      inverse.Step
	Env       []string
}

// answer is what the inside says; Setup is set when the box could not be built.
type answer struct {
	Report Report
	Setup  string
	Err    string
}

// maxAnswer bounds what the inside says, in bytes.
const maxAnswer = 128 << 20

// Run rehearses a plan. It is an error that wraps ErrUnable when the host does
// not allow it; then nothing was run.
func Run(ctx context.Context, p Plan) (Report, error) {
	step, err := step(p)
	if err != nil {
		return Report{}, err
	}
	r, err := inside(ctx, p, order{
		ID: p.ID, Command: []byte(p.Command), Shell: p.Shell, Step: step, Env: p.Env,
		Setup: box.Setup{Root: p.Root, Cwd: p.Cwd, Hide: p.Hide},
	})
	if err != nil {
		return r, err
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		c.Outside = !covers(p.Verdict, p.Root, string(c.Path), c.Kind)
	}
	return r, nil
}

// Probe reports whether this host allows a box around dir; the error wraps
// ErrUnable when it does not.
func Probe(ctx context.Context, executable, dir string) error {
	_, err := inside(ctx, Plan{Executable: executable}, order{Setup: box.Setup{Root: dir, Cwd: dir}})
	return err
}

func inside(ctx context.Context, p Plan, o order) (Report, error) {
	if runtime.GOOS != "linux" {
		return Report{}, fmt.Errorf("%w: only Linux has it", ErrUnable)
	}
	in, err := json.Marshal(o)
	if err != nil {
		return Report{}, err
	}
	res, err := proc.Run(ctx, proc.Cmd{
		Path: p.Executable, Args: []string{Verb}, Dir: "/", Env: p.Env,
		Stdin: bytes.NewReader(in), Limit: maxAnswer, Apart: true,
	})
	switch {
	case ctx.Err() != nil:
		return Report{}, fmt.Errorf("the command did not end in time: %w", err)
	case errors.Is(err, proc.ErrTooMuch):
		return Report{}, fmt.Errorf("what it changed is too much to show: %w", err)
	case err != nil:
		return Report{}, fmt.Errorf("%w: %s%w", ErrUnable, meaning(err), err)
	}
	var a answer
	if err := json.Unmarshal(res.Stdout, &a); err != nil {
		return Report{}, fmt.Errorf("the rehearsal ended early: %s", hint.Clean(string(res.Stderr)))
	}
	switch {
	case a.Setup != "":
		return Report{}, fmt.Errorf("%w: %s", ErrUnable, a.Setup)
	case a.Err != "":
		return Report{}, errors.New(a.Err)
	}
	return a.Report, nil
}

// meaning explains why the kernel starts nothing in namespaces of its own.
func meaning(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "no user namespaces are left (user.max_user_namespaces): "
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.EACCES):
		return "user namespaces are forbidden to you: "
	default:
		return ""
	}
}

// step is what would be put back: the exact scope, or the whole workspace when
// the writes of git are not known one by one.
func step(p Plan) (inverse.Step, error) {
	if p.Verdict.Class == classify.Bounded {
		return inverse.Step{Roots: []inverse.Root{{Path: inverse.Name(p.Root), Tree: true}}}, nil
	}
	s, err := inverse.Plan(p.Verdict.Effects, workspace.Disk{})
	if err != nil {
		return s, fmt.Errorf("plan the undo: %w", err)
	}
	return s, nil
}

// covers reports whether a change of path was predicted.
func covers(v classify.Verdict, root, path string, kind box.Kind) bool {
	if v.Class == classify.Bounded && inverse.Within(path, root) {
		return true
	}
	for _, e := range v.Effects {
		switch e.Kind {
		case classify.Create:
			if inverse.Within(path, e.Path) || kind == box.Created && inverse.Within(e.Path, path) {
				return true
			}
		case classify.Move:
			if inverse.Within(path, e.Path) || inverse.Within(path, e.To) {
				return true
			}
		case classify.RefUpdate:
			if inverse.Within(path, filepath.Join(e.Path, ".git")) {
				return true
			}
		case classify.Delete, classify.Overwrite, classify.Metadata:
			if path == e.Path || e.Tree && inverse.Within(path, e.Path) {
				return true
			}
		}
	}
	return usesGit(v) && strings.Contains(path, "/.git/") // its own records
}

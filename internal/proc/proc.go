// Package proc is the one place that starts other programs.
//
// A program gets the environment it is handed and nothing else, no standard
// stream and no terminal of ours, and it does not outlive the context it runs
// under: its whole process group is killed with it.
package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// DefaultLimit is how many bytes of each output stream are kept when a Cmd
// does not say.
const DefaultLimit = 8 << 20

// grace is how long the pipes of an ended program may stay open because a
// descendant (a credential cache, a connection master) still holds them.
const grace = 500 * time.Millisecond

// ErrTooMuch says that a program wrote more than the limit and was killed.
var ErrTooMuch = errors.New("more output than the limit")

// Cmd is one program to run.
type Cmd struct {
	// Path is the program, absolute. Args are its arguments without its name.
	Path string
	Args []string
	// Dir is where it runs, absolute.
	Dir string
	// Env is its whole environment; nil is an empty one.
	Env []string
	// Stdin is what it reads; nil is nothing.
	Stdin io.Reader
	// Limit bounds each output stream, in bytes; 0 is DefaultLimit.
	Limit int
	// Apart starts it in its own user, mount, process, IPC and network
	// namespaces, in which it may mount. Only Linux has them: elsewhere Run
	// returns an error that wraps errors.ErrUnsupported.
	Apart bool
}

// Result is what a program said.
type Result struct {
	Stdout, Stderr []byte
	// Code is its exit status.
	Code int
}

// Run runs c to its end. A status other than 0 is a Result, not an error. It
// is an error when the program could not be started, was killed by a signal,
// wrote too much (ErrTooMuch), or when ctx ended, which kills the program and
// its descendants; the Result then holds what was written so far.
//
// It does not promise to end descendants that left the process group, nor any
// that are still there when the program itself has ended.
func Run(ctx context.Context, c Cmd) (Result, error) {
	if !filepath.IsAbs(c.Path) || !filepath.IsAbs(c.Dir) {
		return Result{Code: -1}, fmt.Errorf("run %q in %q: not absolute", c.Path, c.Dir)
	}
	// The kernel ties "die with the parent" to the thread that forked.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	limit := c.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	over := func() { cancel(ErrTooMuch) }
	stdout := &bounded{left: limit, over: over}
	stderr := &bounded{left: limit, over: over}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = c.Env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, stdout, stderr
	cmd.WaitDelay = grace
	group := ownGroup(cmd)
	cmd.Cancel = func() error { return group.kill() }
	if c.Apart {
		if err := apart(cmd.SysProcAttr); err != nil {
			return Result{Code: -1}, fmt.Errorf("start %s in its own namespaces: %w", c.Path, err)
		}
	}
	if err := cmd.Start(); err != nil {
		return Result{Code: -1}, fmt.Errorf("start %s: %w", c.Path, err)
	}
	defer group.close()
	err := group.adopt()
	if err != nil {
		cancel(err)
	}
	err = cmd.Wait()
	res := Result{Stdout: stdout.buf.Bytes(), Stderr: stderr.buf.Bytes(), Code: cmd.ProcessState.ExitCode()}
	return res, verdict(ctx, c.Path, res.Code, err)
}

// verdict tells a program that ended by itself from one that did not.
func verdict(ctx context.Context, path string, code int, err error) error {
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("run %s: %w", path, context.Cause(ctx))
	case err == nil, code >= 0 && errors.As(err, &exit), code >= 0 && errors.Is(err, exec.ErrWaitDelay):
		return nil
	default:
		return fmt.Errorf("run %s: %w", path, err)
	}
}

// bounded keeps the first bytes and calls over when there are more.
type bounded struct {
	buf  bytes.Buffer
	left int
	over func()
}

// Write keeps p, or what still fits of it.
func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > b.left {
		b.buf.Write(p[:b.left])
		b.left = 0
		b.over()
		return 0, ErrTooMuch
	}
	b.left -= len(p)
	return b.buf.Write(p)
}

package shelloracle

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/internal/proc"
)

// linger is how long what a command leaves running may go on.
const linger = 500 * time.Millisecond

// drive runs inside the sandbox: it reads one request and writes the results.
func drive(in io.Reader, out io.Writer) int {
	err := serve(in, out)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func serve(in io.Reader, out io.Writer) error {
	var req request
	if err := gob.NewDecoder(in).Decode(&req); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	// What a command leaves running becomes our child, so that it can be ended.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("subreaper: %w", err)
	}
	req.Setup.Fixture = req.Setup.Fixture.withParents()
	if err := req.Setup.Fixture.build(); err != nil {
		return fmt.Errorf("fixture: %w", err)
	}
	enc := gob.NewEncoder(out)
	for _, src := range req.Srcs {
		r := Result{Src: src}
		for _, sh := range req.Setup.Shells {
			o, err := try(&req.Setup, sh, src)
			if err != nil {
				return fmt.Errorf("%s: %q: %w", sh.Name, src, err)
			}
			r.Outcomes = append(r.Outcomes, o)
		}
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// try runs one command in one shell and makes the tree whole again.
func try(s *Setup, sh Shell, src string) (Outcome, error) {
	if err := os.WriteFile(argvLog, nil, 0o666); err != nil {
		return Outcome{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.Limit)
	defer cancel()
	start := time.Now()
	args := append(append([]string{}, sh.Args...), src)
	res, err := proc.Run(ctx, proc.Cmd{Path: sh.Program, Args: args, Dir: s.Dir, Env: s.Env, Limit: 1 << 16})
	settle()
	o := Outcome{Took: time.Since(start), Shell: sh.Name, Code: res.Code, TimedOut: ctx.Err() != nil, Stderr: clip(res.Stderr)}
	if _, gone := os.Stat(sh.Program); err != nil && gone != nil {
		return o, err
	}
	if log, err := os.ReadFile(argvLog); err == nil {
		o.Ran = parseLog(log)
	}
	if o.Changes, err = s.Fixture.compare(); err != nil {
		return o, err
	}
	if err := s.Fixture.mend(o.Changes); err != nil {
		return o, fmt.Errorf("mend: %w", err)
	}
	return o, nil
}

func clip(b []byte) string { return string(b[:min(len(b), 400)]) }

// parseLog reads what the shims wrote.
func parseLog(log []byte) []Argv {
	var list []Argv
	fields := strings.Split(string(log), "\x00")
	for len(fields) > 3 {
		n, err := strconv.Atoi(fields[2])
		if err != nil || n < 0 || len(fields) < 3+n {
			return list
		}
		list = append(list, Argv{Name: fields[0], Dir: fields[1], Args: fields[3 : 3+n]})
		fields = fields[3+n:]
	}
	return list
}

// settle waits for what a command left running, and ends it when it lingers.
// It touches descendants of this process only.
func settle() {
	end := time.Now().Add(linger)
	for {
		left := descendants()
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			if time.Now().After(end) {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
		time.Sleep(time.Millisecond)
	}
}

// descendants lists the processes below this one.
func descendants() []int {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	parent := map[int]int{}
	for _, d := range names {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err != nil {
			continue
		}
		rest := stat[bytes.LastIndexByte(stat, ')')+1:]
		if f := bytes.Fields(rest); len(f) > 1 {
			parent[pid], _ = strconv.Atoi(string(f[1]))
		}
	}
	var list []int
	self := os.Getpid()
	for pid := range parent {
		for p := parent[pid]; p > 0; p = parent[p] {
			if p == self {
				list = append(list, pid)
				break
			}
		}
	}
	return list
}

package proc

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Show hands text to a pager, which gets the terminal that out is: the one kind
// of program that does. It returns when the person leaves it.
func Show(ctx context.Context, c Cmd, out *os.File) error {
	if !filepath.IsAbs(c.Path) || !filepath.IsAbs(c.Dir) {
		return fmt.Errorf("show with %q in %q: not absolute", c.Path, c.Dir)
	}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start %s: %w", c.Path, err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", c.Path, err)
	}
	io.Copy(in, c.Stdin) // ends early when the person leaves first
	in.Close()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("run %s: %w", c.Path, err)
	}
	return nil
}

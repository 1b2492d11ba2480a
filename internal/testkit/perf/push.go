package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// push compares arming and firing a forced push to a bare repository on the
// same disk with the smallest call of git and with the push itself.
func (b *bench) push() error {
	work, state := filepath.Join(b.base, "work"), filepath.Join(b.base, "s-push")
	if err := tree(work, 1000); err != nil {
		return err
	}
	git := func(args ...string) *exec.Cmd {
		c := exec.Command("git", append([]string{"-c", "user.name=p", "-c", "user.email=p@example.invalid"}, args...)...)
		c.Dir, c.Env = work, append(b.env(state), "GIT_CONFIG_NOSYSTEM=1")
		return c
	}
	steps := [][]string{{"init", "-q", "-b", "main"}, {"init", "-q", "--bare", "../remote.git"}, {"remote", "add", "origin", "../remote.git"}, {"add", "."}, {"commit", "-q", "-m", "one"}, {"push", "-q", "origin", "main"}}
	for _, s := range steps {
		if _, err := timed(git(s...)); err != nil {
			return err
		}
	}
	var arm, armPush, fire []float64
	for i := range *rounds * 2 {
		if err := os.WriteFile(filepath.Join(work, "n"), []byte(fmt.Sprint(i)), 0o644); err != nil {
			return err
		}
		for _, s := range [][]string{{"add", "."}, {"commit", "-q", "--amend", "-m", fmt.Sprint(i)}} {
			if _, err := timed(git(s...)); err != nil {
				return err
			}
		}
		exec.Command("sync", "-f", work).Run()
		head, err := timed(git("rev-parse", "HEAD"))
		if err != nil {
			return err
		}
		a, err := b.hook(state, work, "git push -f origin main")
		if err != nil {
			return err
		}
		p, err := timed(git("push", "-q", "-f", "origin", "main"))
		if err != nil {
			return err
		}
		if err := b.after(state, work, "git push -f origin main"); err != nil {
			return err
		}
		c := exec.Command(b.bin, "fire", "--last", "--yes")
		c.Dir, c.Env = work, b.env(state)
		f, err := timed(c)
		if err != nil {
			return err
		}
		arm, armPush, fire = append(arm, float64(a)/float64(head)), append(armPush, float64(a)/float64(p)), append(fire, float64(f)/float64(p))
	}
	row("arm a forced push to a local bare remote, whole process, durable", "≤ 35", arm, "git rev-parse HEAD")
	row("the same", "–", armPush, "git push -f")
	row("fire it, read back", "–", fire, "git push -f")
	return nil
}

// after tells the hook that the last call has ended.
func (b *bench) after(state, cwd, command string) error {
	payload := fmt.Sprintf(`{"session_id":"p","cwd":%q,"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":%q},"tool_response":{},"tool_use_id":"t%d"}`, cwd, command, b.n)
	c := exec.Command(b.bin, "hook")
	c.Env, c.Stdin = b.env(state), strings.NewReader(payload)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("hook after %q: %w: %s", command, err, out)
	}
	return nil
}

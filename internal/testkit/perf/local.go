package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// local compares holding git reset --hard, and taking it back, with the command
// itself and with git stash create: n files, of which twenty differ.
func (b *bench) local(n int) error {
	dir, state := filepath.Join(b.base, "local"), filepath.Join(b.base, "local-state")
	if err := tree(dir, n); err != nil {
		return err
	}
	git := func(args ...string) *exec.Cmd {
		c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "gc.auto=0"}, args...)...)
		c.Env = b.env(state)
		return c
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "all"}} {
		if out, err := git(args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	if _, err := b.hook(state, dir, "git reset --hard"); err != nil { // the first checkpoint reads everything
		return err
	}
	if err := b.after(state, dir, "git reset --hard"); err != nil {
		return err
	}
	var armed, fired, saved []float64
	for round := range *rounds {
		if err := touchTwenty(dir, round); err != nil {
			return err
		}
		stash, err := timed(git("stash", "create"))
		if err != nil {
			return err
		}
		arm, err := b.hook(state, dir, "git reset --hard")
		if err != nil {
			return err
		}
		reset, err := timed(git("reset", "-q", "--hard"))
		if err != nil {
			return err
		}
		if err := b.after(state, dir, "git reset --hard"); err != nil {
			return err
		}
		c := exec.Command(b.bin, "fire", "--last")
		c.Env, c.Dir = b.env(state), dir
		fire, err := timed(c)
		if err != nil {
			return err
		}
		armed, fired = append(armed, float64(arm)/float64(reset)), append(fired, float64(fire)/float64(reset))
		saved = append(saved, float64(arm)/float64(stash))
	}
	row(fmt.Sprintf("arm git reset --hard, %d files of which twenty differ", n), "–", armed, "git reset --hard itself")
	row("the same", "–", saved, "git stash create")
	row("fire it", "–", fired, "git reset --hard itself")
	return os.RemoveAll(dir)
}

// touchTwenty changes the first twenty files of a tree.
func touchTwenty(dir string, seed int) error {
	left := 20
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case left == 0:
			return filepath.SkipAll
		case d.Name() == ".git":
			return filepath.SkipDir
		case d.Type().IsRegular():
			left--
			return os.WriteFile(p, fmt.Appendf(nil, "changed %d %d", seed, left), 0o644)
		}
		return nil
	})
}

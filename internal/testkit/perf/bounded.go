package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// bounded compares checkpoints, and the hooks of a call whose writes are not
// known, with cp -a and with git add -A into a repository beside the tree.
func (b *bench) bounded(n int) error {
	var rows [4][]float64 // cold, unchanged, ten changed, both hooks
	var gits [3][]float64
	for r := range *rounds {
		p := filepath.Join(b.base, fmt.Sprintf("b%d", r))
		state, shadow := p+"-state", p+"-git"
		if err := tree(filepath.Join(p, "data"), n); err != nil {
			return err
		}
		// What changed in the last moments is never believed to be unchanged.
		time.Sleep(100 * time.Millisecond)
		exec.Command("sync").Run()
		cp, err := timed(exec.Command("cp", "-a", "--reflink=never", filepath.Join(p, "data"), p+"-copy"))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(shadow, 0o755); err != nil {
			return err
		}
		if _, err := timed(exec.Command("git", "init", "-q", "--bare", shadow)); err != nil {
			return err
		}
		for i := range 3 {
			if i == 2 {
				if err := touchTen(filepath.Join(p, "data"), r); err != nil {
					return err
				}
			}
			c, err := b.arm(state, p)
			if err != nil {
				return err
			}
			g := exec.Command("git", "--git-dir="+shadow, "--work-tree="+p, "add", "-A")
			g.Dir = p
			git, err := timed(g)
			if err != nil {
				return err
			}
			rows[i], gits[i] = append(rows[i], float64(c)/float64(cp)), append(gits[i], float64(c)/float64(git))
		}
		start := time.Now()
		if _, err := b.hook(state, p, "./opaque"); err != nil {
			return err
		}
		if err := b.after(state, p, "./opaque"); err != nil {
			return err
		}
		rows[3] = append(rows[3], float64(time.Since(start))/float64(cp))
		for _, d := range []string{p, p + "-copy", state, shadow} {
			removeAll(d)
		}
	}
	for i, what := range []string{"the first checkpoint", "unchanged", "10 files changed"} {
		row(fmt.Sprintf("checkpoint of %d files, whole process, durable: %s", n, what), []string{"–", "≤ 0.08", "–"}[i], rows[i], "cp -a")
		row("the same", "–", gits[i], "git add -A into a repository beside the tree, "+[]string{"cold", "warm", "warm"}[i])
	}
	row("both hooks of a call with unknown writes that changes nothing", "–", rows[3], "cp -a")
	return nil
}

// arm takes a checkpoint with a process of its own.
func (b *bench) arm(state, dir string) (time.Duration, error) {
	c := exec.Command(b.bin, "arm", "--", "./opaque")
	c.Dir, c.Env = dir, b.env(state)
	return timed(c)
}

func touchTen(dir string, seed int) error {
	for i := range 10 {
		name := filepath.Join(dir, "d000", fmt.Sprintf("e%02d", i), fmt.Sprintf("f%d.go", i*10))
		if err := os.WriteFile(name, fmt.Appendf(nil, "changed %d %d", seed, i), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes a tree with folders that are closed.
func removeAll(dir string) {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(dir)
}

// growth tells how large a store is after many calls with unknown writes, each
// of which changes one file of the tree and adds to another.
func (b *bench) growth(calls, files, size int) error {
	p, state := filepath.Join(b.base, "g"), filepath.Join(b.base, "g-state")
	data := make([]byte, size)
	for i := range files {
		dir := filepath.Join(p, fmt.Sprintf("d%d", i%20))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for j := range data {
			data[j] = byte((i*31 + j) * 2654435761 >> 13)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), data, 0o644); err != nil {
			return err
		}
	}
	for i := range calls {
		command := fmt.Sprintf("./opaque %d", i)
		if _, err := b.hook(state, p, command); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(p, "log"), fmt.Appendf(nil, "call %d\n", i), 0o644); err != nil {
			return err
		}
		if err := b.after(state, p, command); err != nil {
			return err
		}
	}
	row(fmt.Sprintf("store after %d calls with unknown writes on a tree of %d MB", calls, files*size/1e6), "≤ 2",
		[]float64{float64(sizeOf(state)) / float64(sizeOf(p))}, "the tree")
	return nil
}

func sizeOf(dir string) (size int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

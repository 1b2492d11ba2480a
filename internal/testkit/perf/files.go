package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// tree makes n files of the size of source files in directories of about ten.
func tree(dir string, n int) error {
	text := []byte(strings.Repeat("the quick brown fox jumps over the lazy dog\n", 300))
	for i := range n {
		d := filepath.Join(dir, fmt.Sprintf("d%03d", i/1000), fmt.Sprintf("e%02d", i/10%100))
		if i%10 == 0 {
			if err := os.MkdirAll(d, 0o755); err != nil {
				return err
			}
		}
		size := 200 + i*7919%3000
		if i%20 == 0 {
			size = len(text)
		}
		if err := os.WriteFile(filepath.Join(d, fmt.Sprintf("f%d.go", i)), append([]byte(fmt.Sprint(i)), text[:size]...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// round is what one round of armAndFire took.
type round struct{ copied, durable, armed, fired time.Duration }

// armAndFire compares arming and firing rm -rf with cp -a of the same tree.
func (b *bench) armAndFire(n int) error {
	run := filepath.Join(b.base, "run")
	os.Mkdir(run, 0o700)
	if exec.Command("mountpoint", "-q", run).Run() != nil {
		exec.Command("mount", "-t", "tmpfs", "-o", "mode=700", "none", run).Run()
	}
	defer exec.Command("umount", "-l", run).Run()
	var arm, fire, durable []float64
	for i := range *rounds {
		r, err := b.oneRound(fmt.Sprintf("%d-%d", n, i), n)
		if err != nil {
			return err
		}
		arm = append(arm, float64(r.armed)/float64(r.copied))
		fire = append(fire, float64(r.fired)/float64(r.copied))
		durable = append(durable, float64(r.fired)/float64(r.durable))
	}
	goal := map[int]string{200: "≤ 1.2", 10_000: "≤ 0.75", 100_000: "≤ 0.65"}[n]
	row(fmt.Sprintf("arm rm -rf of %d files, whole process, durable", n), goal, arm, "cp -a")
	goal = map[int]string{200: "–", 10_000: "≤ 0.5", 100_000: "–"}[n]
	row("fire it, durable, fingerprint checked", goal, fire, "cp -a")
	row("the same", "–", durable, "cp -a and sync -f")
	return nil
}

// oneRound measures once, each part with nothing left to be written by the one
// before, and removes what it made.
func (b *bench) oneRound(name string, n int) (r round, err error) {
	p, state := filepath.Join(b.base, "p"+name), filepath.Join(b.base, "s"+name)
	data, copied := filepath.Join(p, "data"), filepath.Join(p, "copy")
	if err := tree(data, n); err != nil {
		return r, err
	}
	exec.Command("sync").Run()
	if r.copied, err = timed(exec.Command("cp", "-a", "--reflink=never", data, copied)); err != nil {
		return r, err
	}
	synced, err := timed(exec.Command("sync", "-f", copied))
	if err != nil {
		return r, err
	}
	r.durable = r.copied + synced
	if r.armed, err = b.hook(state, p, "rm -rf data"); err != nil {
		return r, err
	}
	if err := os.RemoveAll(data); err != nil {
		return r, err
	}
	exec.Command("sync", "-f", p).Run()
	c := exec.Command(b.bin, "fire", "--last")
	c.Dir, c.Env = p, b.env(state)
	if r.fired, err = timed(c); err != nil {
		return r, err
	}
	if out, err := exec.Command("diff", "-r", data, copied).CombinedOutput(); err != nil {
		return r, fmt.Errorf("fired, but not the same: %s", out)
	}
	return r, exec.Command("sh", "-c", `chmod -R u+w "$2" && rm -rf "$1" "$2" && sync -f .`, "sh", p, state).Run()
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// bench is a copy of the module in which one mutant after another lives.
type bench struct {
	root, dir string
	limit     time.Duration
	verbose   bool
	// sound says which tests pass without a mutant, or why not.
	sound map[[2]string]error
	// built holds the test binaries without a mutant.
	built map[string]string
}

// newBench copies the tracked files of the module at root, as they are in the
// working tree.
func newBench(root string, limit time.Duration, verbose bool) (*bench, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return nil, fmt.Errorf("list the tracked files: %w", err)
	}
	dir, err := os.MkdirTemp("", "mutants-*")
	if err != nil {
		return nil, err
	}
	b := &bench{root: root, dir: dir, limit: limit, verbose: verbose, sound: map[[2]string]error{}, built: map[string]string{}}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if err := b.copy(name); err != nil {
			b.close()
			return nil, fmt.Errorf("copy %s: %w", name, err)
		}
	}
	return b, os.MkdirAll(filepath.Join(dir, ".bin"), 0o700)
}

func (b *bench) copy(name string) error {
	from, to := filepath.Join(b.root, name), filepath.Join(b.dir, name)
	info, err := os.Lstat(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil // deleted, not committed yet
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// try returns nil when the mutant's tests fail with it, and pass without.
func (b *bench) try(m Mutant) error {
	if err := b.soundly(m.Pkg, m.Run); err != nil {
		return fmt.Errorf("without the mutant: %w", err)
	}
	file := filepath.Join(b.dir, m.File)
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	mutated, err := m.Apply(string(src))
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(mutated), 0o644); err != nil {
		return err
	}
	defer os.WriteFile(file, src, 0o644)
	bin, err := b.build(m.Pkg, "mutant")
	if err != nil {
		return err
	}
	if failed, err := b.test(m.Pkg, bin, m.Run); err != nil {
		return err
	} else if !failed {
		return errors.New("no test noticed")
	}
	return nil
}

// soundly fails unless the tests pass without a mutant.
func (b *bench) soundly(pkg, pattern string) error {
	key := [2]string{pkg, pattern}
	if err, known := b.sound[key]; known {
		return err
	}
	err := b.pass(pkg, pattern)
	b.sound[key] = err
	return err
}

func (b *bench) pass(pkg, pattern string) (err error) {
	bin := b.built[pkg]
	if bin == "" {
		if bin, err = b.build(pkg, "sound-"+strings.ReplaceAll(pkg, "/", "-")); err != nil {
			return err
		}
		b.built[pkg] = bin
	}
	failed, err := b.test(pkg, bin, pattern)
	if err == nil && failed {
		err = errors.New("the tests fail")
	}
	return err
}

// build makes the test binary of a package.
func (b *bench) build(pkg, name string) (string, error) {
	bin := filepath.Join(b.dir, ".bin", name)
	cmd := exec.Command("go", "test", "-c", "-ldflags=-s -w", "-o", bin, "./"+pkg)
	cmd.Dir = b.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("it does not compile: %s", strings.TrimSpace(string(out)))
	}
	return bin, nil
}

// test runs some tests of a package and reports whether they failed. A pattern
// that selects none is an error.
func (b *bench) test(pkg, bin, pattern string) (failed bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), b.limit+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, "-test.run="+pattern, "-test.count=1", "-test.timeout="+b.limit.String())
	cmd.Dir = filepath.Join(b.dir, pkg)
	out, err := cmd.CombinedOutput()
	if b.verbose {
		os.Stdout.Write(out)
	}
	var exit *exec.ExitError
	switch {
	case strings.Contains(string(out), "no tests to run"):
		return false, fmt.Errorf("no test of %s matches %q", pkg, pattern)
	case errors.As(err, &exit):
		return true, nil
	}
	return false, err
}

package durable_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/hint"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("DURABLE_TEST_HOLD"); path != "" {
		hold(path)
		return
	}
	os.Exit(m.Run())
}

// hold takes the lock, says so and keeps it until its input ends.
func hold(path string) {
	if _, err := durable.Lock(context.Background(), path); err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		return
	}
	os.Stdout.WriteString("held\n")
	io.Copy(io.Discard, os.Stdin)
}

func TestWriteFileReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	for _, data := range []string{"first", "second and longer", ""} {
		if err := durable.WriteFile(path, []byte(data), 0o640); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != data {
			t.Errorf("got %q, %v", got, err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	onlyName(t, dir, "state")
}

// A link at the path is replaced; what it points to is left alone.
func TestWriteFileDoesNotFollowLinks(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(t.TempDir(), "victim"), filepath.Join(dir, "state")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, path); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteFile(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(victim); string(got) != "precious" {
		t.Errorf("the victim has %q", got)
	}
}

func TestWriteFileLeavesNothingWhenItFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	if err := os.Mkdir(path, 0o700); err != nil { // a directory cannot be renamed over
		t.Fatal(err)
	}
	if err := durable.WriteFile(path, []byte("x"), 0o600); err == nil {
		t.Fatal("no error")
	}
	onlyName(t, dir, "state")
	if err := durable.WriteFile(filepath.Join(dir, "no", "such"), nil, 0o600); err == nil {
		t.Error("a missing directory is no error")
	}
}

func onlyName(t *testing.T, dir, name string) {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 || names[0].Name() != name {
		t.Errorf("in the directory: %v, %v", names, err)
	}
}

func TestSync(t *testing.T) {
	dir := t.TempDir()
	if err := durable.SyncDir(dir); err != nil {
		t.Error(err)
	}
	if err := durable.SyncDir(filepath.Join(dir, "none")); err == nil {
		t.Error("a missing directory was synced")
	}
	f, err := os.Create(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := durable.SyncFS(f); err != nil {
		t.Error(err)
	}
}

func TestLockExcludesThisProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := durable.Lock(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	_, err = durable.Lock(ctx, path)
	if !errors.Is(err, durable.ErrLocked) || !strings.Contains(err.Error(), path) || len(hint.Of(err)) == 0 {
		t.Errorf("while held: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Errorf("a second unlock: %v", err)
	}
	again, err := durable.Lock(ctx, path) // free: taken even though ctx is done
	if err != nil {
		t.Fatal(err)
	}
	again()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the lock file: %v, %v", info, err)
	}
}

func TestLockWaitsForItsTurn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := durable.Lock(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error)
	go func() {
		second, err := durable.Lock(context.Background(), path)
		if err == nil {
			err = second()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("did not wait: %v", err)
	default:
	}
	unlock()
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// The lock of a killed process is free at once.
func TestLockDiesWithItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), "DURABLE_TEST_HOLD="+path)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("child says %q", line)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := durable.Lock(ctx, path); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("while the child holds it: %v", err)
	}
	child.Process.Kill()
	child.Wait()
	unlock, err := durable.Lock(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

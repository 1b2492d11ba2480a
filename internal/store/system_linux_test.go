package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/hint"
)

func TestPermissionsWhateverTheUmask(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "store")
	for _, umask := range []int{0, 0o777, 0o022} {
		old := syscall.Umask(umask)
		s, err := Create(dir)
		var ended bool
		if err == nil {
			id := ulid(umask)
			st, berr := s.Begin(id)
			if err = berr; err == nil {
				checkModes(t, dir)
				e := entry("/tmp/x", "x")
				err = st.Small(&e, []byte("x"))
				if err == nil {
					_, err = st.Finish(t.Context(), []fingerprint.Entry{e}, nil)
				}
				ended = true
			}
			_, perr := s.PutPost(id, nil)
			err = errors.Join(err, perr, s.PutPending("k", nil))
		}
		syscall.Umask(old)
		if err != nil || !ended {
			t.Fatalf("umask %03o: %v", umask, err)
		}
		checkModes(t, dir)
		thisIsProtected(t, s, ulid(umask))
	}
}

// checkModes walks the store: nothing is for anybody else.
func checkModes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func thisIsProtected(t *testing.T, s *Store, id string) {
	t.Helper()
	info, err := os.Stat(filepath.Join(s.ShadowDir(), id))
	if err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("finished folder: %v, %v", info.Mode(), err)
	}
	info, err = os.Stat(tarFile(s, id))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("payload: %v, %v", info.Mode(), err)
	}
}

func TestForeignStores(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"group can write":  func(dir string) error { return os.Chmod(dir, 0o720) },
		"others can write": func(dir string) error { return os.Chmod(dir, 0o702) },
		"open shadow":      func(dir string) error { return os.Chmod(dir+"/shadow", 0o777) },
		"open ledger":      func(dir string) error { return os.Chmod(dir+"/ledger", 0o770) },
		"a link": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+".real"), os.Symlink(dir+".real", dir))
		},
		"a file":         func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600)) },
		"somebody's":     func(dir string) error { return os.Chown(dir, 65534, 65534) },
		"shadow is ours": func(dir string) error { return os.Chown(dir+"/shadow", 65534, 65534) },
	} {
		s := newStore(t)
		if err := spoil(s.Dir()); err != nil {
			if os.Geteuid() != 0 {
				t.Logf("SKIPPED LOUDLY: %s: %v", name, err)
				continue
			}
			t.Fatal(err)
		}
		for verb, open := range map[string]func(string) (*Store, error){"open": Open, "read": OpenReadOnly, "create": Create} {
			if _, err := open(s.Dir()); !errors.Is(err, ErrForeign) || len(hint.Of(err)) == 0 {
				t.Errorf("%s, %s: %v", name, verb, err)
			}
		}
	}
}

// mount mounts a small tmpfs, or skips.
func mount(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED LOUDLY: mounting needs root")
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", options, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED LOUDLY: mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return dir
}

func TestReadOnlyFileSystem(t *testing.T) {
	dir := mount(t, "size=1m")
	if _, err := Create(dir + "/store"); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
		t.Fatalf("remount: %v: %s", err, out)
	}
	if _, err := Open(dir + "/store"); !errors.Is(err, ErrReadOnly) || len(hint.Of(err)) == 0 {
		t.Errorf("open: %v", err)
	}
	if _, err := OpenReadOnly(dir + "/store"); err != nil {
		t.Errorf("read: %v", err)
	}
	if _, err := Create(dir + "/other"); !errors.Is(err, ErrReadOnly) {
		t.Errorf("create: %v", err)
	}
}

// TestFullDisk fills the store with each kind of content: the error is the
// store's, and afterwards it works again.
func TestFullDisk(t *testing.T) {
	dir := mount(t, "size=2m")
	s, err := Create(dir + "/store")
	if err != nil {
		t.Fatal(err)
	}
	block := bytes.Repeat([]byte("x"), 300<<10)
	small := func(st *Staging, n int) error {
		e := entry(fmt.Sprintf("/tmp/%03d", n), string(block))
		return st.Small(&e, block)
	}
	file := temp(t, bytes.Repeat([]byte("y"), 4<<20))
	large := func(st *Staging, _ int) error {
		e := fingerprint.Entry{Path: "/tmp/big", Type: fingerprint.File}
		return st.Big(&e, file)
	}
	for name, add := range map[string]func(*Staging, int) error{"small": small, "big": large} {
		st, err := s.Begin(ulid(1))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; err == nil && n < 100; n++ {
			err = add(st, n)
		}
		wantFull(t, name, err)
		if _, err := st.Seal(nil, nil); !errors.Is(err, ErrFull) {
			t.Errorf("%s: sealed after the failure: %v", name, err)
		}
		st.Abort()
		if left, _ := os.ReadDir(s.ShadowDir()); len(left) != 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
	put(t, s, ulid(2), map[string]string{"/tmp/x": "there is room again"})
}

func wantFull(t *testing.T, name string, err error) {
	t.Helper()
	var trouble *TroubleError
	var source *SourceError
	if !errors.Is(err, ErrFull) || !errors.As(err, &trouble) || errors.As(err, &source) || len(hint.Of(err)) == 0 {
		t.Errorf("%s: %v", name, err)
	}
}

func TestNoInodesLeft(t *testing.T) {
	dir := mount(t, "size=1m,nr_inodes=14")
	s, err := Create(dir + "/store")
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; err == nil && n < 20; n++ {
		err = s.PutPending(fmt.Sprint(n), nil)
	}
	wantFull(t, "pending", err)
	_, err = s.Begin(ulid(1))
	wantFull(t, "begin", err)
}

func TestSweep(t *testing.T) {
	s := newStore(t)
	now := time.Unix(1_800_000_000, 0)
	dead := deadPID(t)
	mkdir := func(pid int, kind, id string, age time.Duration) string {
		path := filepath.Join(s.ShadowDir(), fmt.Sprintf(".%s-%d-%s", kind, pid, id))
		if err := errors.Join(os.Mkdir(path, 0o700), os.WriteFile(path+"/payload.tar", nil, 0o600),
			os.Chmod(path, 0o500), os.Chtimes(path, now.Add(-age), now.Add(-age))); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := []string{
		mkdir(dead, "staging", "A", time.Minute), mkdir(dead, "trash", "A", time.Minute),
		mkdir(os.Getpid(), "staging", "B", 25*time.Hour),
	}
	stay := []string{
		mkdir(os.Getpid(), "staging", "C", time.Hour), mkdir(1, "staging", "D", time.Hour),
		mkdir(dead, "strange", "E", 100*time.Hour),
	}
	held := mkdir(dead, "staging", "F", 100*time.Hour)
	f, err := os.Open(held + "/payload.tar")
	if err != nil || !hold(f) {
		t.Fatal(err)
	}
	defer f.Close()
	put(t, s, ulid(1), nil)
	thaw(t, s, ulid(1))
	n, err := s.Sweep(now, "")
	if err != nil || n != len(gone) {
		t.Errorf("%d removed, %v", n, err)
	}
	for _, path := range gone {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	for _, path := range append(stay, held) {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	thisIsProtected(t, s, ulid(1))
}

// deadPID is the number of a process that has ended.
func deadPID(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skipf("SKIPPED LOUDLY: %v", err)
	}
	return cmd.Process.Pid
}

package store

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/counterstep/counterstep/fingerprint"
	"golang.org/x/sys/unix"
)

// TestRealTarBringsFilesBack takes the store away and leaves only tar.
func TestRealTarBringsFilesBack(t *testing.T) {
	tarPath, err := exec.LookPath("tar")
	if err != nil {
		t.Skip("SKIPPED LOUDLY: there is no tar on this machine")
	}
	s := newStore(t)
	files := awkward()
	files["/tmp/names/setuid"] = "x"
	holey := make([]byte, 2<<20)
	copy(holey[1<<20:], "data")
	st, err := s.Begin(ulid(1))
	if err != nil {
		t.Fatal(err)
	}
	entries := []fingerprint.Entry{
		{Path: "/tmp/names", Type: fingerprint.Dir, Mode: 0o1750, MTime: 1_600_000_000e9},
		{Path: "/tmp/names/closed", Type: fingerprint.Dir, Mode: 0o500, MTime: 1_600_000_000e9},
		{Path: "/tmp/names/closed/gone", Type: fingerprint.Absent},
		{Path: "/tmp/names/link\n", Type: fingerprint.Symlink, Target: "../no\xffwhere"},
		{Path: "/tmp/names/pipe", Type: fingerprint.FIFO, Mode: 0o600},
	}
	files["/tmp/names/closed/inside"] = "inside"
	for _, path := range sortedKeys(files) {
		e := entry(path, files[path])
		if path == "/tmp/names/setuid" {
			e.Mode = 0o4711
			e.Xattrs = []fingerprint.Xattr{{Name: "user.note", Value: "a\x00b\n=c"}}
		}
		if err := st.Small(&e, []byte(files[path])); err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
		if path == "/tmp/names/plain" {
			e.Path = "/tmp/names/twin"
			entries = append(entries, e)
		}
	}
	st.noClone = true
	for _, path := range []string{"/tmp/names/holey", "/tmp/names/hol\xffey\n"} {
		entries = append(entries, big(t, st, path, holey, []fingerprint.Extent{{Off: 1 << 20, Len: 4096}}))
	}
	if _, err := st.Finish(t.Context(), byPath(entries), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for _, locale := range []string{"C", "C.UTF-8"} {
		t.Run(locale, func(t *testing.T) {
			to := t.TempDir()
			cmd := exec.Command(tarPath, "--xattrs", "-xpf", tarFile(s, ulid(1)), "-C", to)
			cmd.Env = append(os.Environ(), "LC_ALL="+locale)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Fatalf("tar: %v\n%s", err, out)
			}
			for path, want := range files {
				if got, err := os.ReadFile(to + path); err != nil || string(got) != want {
					t.Errorf("%q: %d bytes, %v", path, len(got), err)
				}
			}
			checkExtracted(t, to, string(holey))
		})
	}
}

func checkExtracted(t *testing.T, to, holey string) {
	t.Helper()
	for path, mode := range map[string]fs.FileMode{
		"/tmp/names": fs.ModeDir | fs.ModeSticky | 0o750, "/tmp/names/closed": fs.ModeDir | 0o500,
		"/tmp/names/setuid": fs.ModeSetuid | 0o711, "/tmp/names/pipe": fs.ModeNamedPipe | 0o600,
	} {
		if info, err := os.Lstat(to + path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if info, err := os.Lstat(to + "/tmp/names"); err != nil || !info.ModTime().Equal(time.Unix(1_600_000_000, 0)) {
		t.Errorf("the time of a directory: %v, %v", info.ModTime(), err)
	}
	if target, err := os.Readlink(to + "/tmp/names/link\n"); target != "../no\xffwhere" {
		t.Errorf("link: %q, %v", target, err)
	}
	one, _ := os.Lstat(to + "/tmp/names/plain")
	two, _ := os.Lstat(to + "/tmp/names/twin")
	if !os.SameFile(one, two) {
		t.Error("hard links are two files")
	}
	for _, path := range []string{"/tmp/names/holey", "/tmp/names/hol\xffey\n"} {
		got, err := os.ReadFile(to + path)
		if err != nil || string(got) != holey {
			t.Errorf("%q: %d bytes, %v", path, len(got), err)
			continue
		}
		if info, _ := os.Lstat(to + path); info.Sys().(*syscall.Stat_t).Blocks > 64 {
			t.Errorf("%q has no holes any more", path)
		}
	}
	buf := make([]byte, 64)
	if n, err := unix.Lgetxattr(to+"/tmp/names/setuid", "user.note", buf); err == nil && string(buf[:n]) != "a\x00b\n=c" {
		t.Errorf("xattr: %q", buf[:n])
	} else if err != nil {
		t.Errorf("xattr: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(to, extraName(ulid(1), "manifest.jsonl"))); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(to + "/*"); len(left) != 1 || !strings.HasSuffix(left[0], "/tmp") {
		t.Errorf("more than was captured: %q", left)
	}
}

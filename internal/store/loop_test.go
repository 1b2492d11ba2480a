//go:build long && linux

package store

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/counterstep/counterstep/fingerprint"
)

// loop mounts a new file system of that kind from an image, or skips.
func loop(t *testing.T, kind string) (image, at string, run func(name string, args ...string)) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED LOUDLY: mounting needs root")
	}
	if _, err := exec.LookPath("mkfs." + kind); err != nil {
		t.Skipf("SKIPPED LOUDLY: there is no mkfs.%s on this machine", kind)
	}
	run = func(name string, args ...string) {
		t.Helper()
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v: %s", name, args, err, out)
		}
	}
	dir := t.TempDir()
	image, at = filepath.Join(dir, "image"), filepath.Join(dir, "mnt")
	run("truncate", "-s", "400M", image)
	run("mkfs."+kind, "-q", image)
	run("mkdir", at)
	run("mount", "-o", "loop", image, at)
	t.Cleanup(func() { exec.Command("umount", at).Run() })
	return image, at, run
}

// TestBigFilesAreShared where the file system can: they take no room, survive
// a change of the original, and damage to them is found.
func TestBigFilesAreShared(t *testing.T) {
	_, at, _ := loop(t, "xfs")
	s, err := Create(at + "/store")
	if err != nil {
		t.Fatal(err)
	}
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<17)
	f, err := os.OpenFile(at+"/file", os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		_, err = f.Write(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := s.Begin(ulid(1))
	if err != nil {
		t.Fatal(err)
	}
	e := fingerprint.Entry{Path: "/tmp/big", Type: fingerprint.File, Mode: 0o600}
	for range 2 {
		if err := st.Big(&e, f); err != nil {
			t.Fatal(err)
		}
	}
	twin := e
	twin.Path = "/tmp/twin"
	sealed, err := st.Finish(t.Context(), []fingerprint.Entry{e, twin}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Big != 2 || e.Off != 0 || e.Size != int64(len(data)) || e.XXH != fingerprint.ContentOf(data) {
		t.Fatalf("not shared: %+v", e)
	}
	thisIsProtected(t, s, ulid(1))
	if _, err := f.WriteAt([]byte("changed"), 0); err != nil {
		t.Fatal(err)
	}
	p := open(t, s, ulid(1), sealed.Manifest)
	if got, err := read(p, "/tmp/twin"); err != nil || got != string(data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	checkSharedDamage(t, s, p)
	if err := s.Remove(ulid(1)); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(s.ShadowDir()); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func checkSharedDamage(t *testing.T, s *Store, p *Payload) {
	t.Helper()
	if err := p.Verify(t.Context(), nil); err != nil {
		t.Error(err)
	}
	big := filepath.Join(s.ShadowDir(), ulid(1), "big")
	if list, err := os.ReadDir(big); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	var damage *DamageError
	for what, spoil := range map[string]func() error{
		"flipped": func() error {
			f, err := os.OpenFile(big+"/2", os.O_RDWR, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt([]byte{0}, 1<<20)
			return err
		},
		"cut": func() error { return os.Truncate(big+"/2", 1<<20) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if err := p.Verify(t.Context(), nil); !errors.As(err, &damage) || damage.Path != "/tmp/big" {
			t.Errorf("%s: %v", what, err)
		}
	}
}

//go:build linux

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// mounted mounts something for a test, or skips it.
func mounted(t *testing.T, args ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED LOUDLY: mounting needs root")
	}
	at, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", append(args, at)...).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED LOUDLY: this machine does not mount: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", at).Run() })
	return at
}

// TestFullDisk: a store on a disk of every size that is too small blocks, loses
// nothing, leaves nothing behind, and works when there is room.
func TestFullDisk(t *testing.T) {
	step := 2
	if long {
		step = 1
	}
	for what, option := range map[string]string{"blocks": "size=%dk", "inodes": "size=8m,nr_inodes=%d"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			at := mounted(t, "-t", "tmpfs", "-o", "size=8m", "none")
			blocked, fits := 0, 0
			for n := 1; fits < 3 && n < 200; n += step {
				unit := n
				if what == "blocks" {
					unit = 4 * n
				}
				o := fmt.Sprintf(option, unit)
				w := worldAt(t, newWorld(t).base, filepath.Join(at, fmt.Sprint(n)))
				w.plant()
				before := w.look()
				if out, err := exec.Command("mount", "-o", "remount,"+o, at).CombinedOutput(); err != nil {
					n += step // not even what is there fits
					_ = out
				}
				r := w.pre("rm -rf src")
				faults.Add(1)
				if r.code == 0 {
					fits++
				} else {
					blocked++
					w.blocked(r)
				}
				if d := differ(before, w.look()); d != "" {
					t.Errorf("%s: arming changed %s", o, d)
				}
				if records := w.sound(); r.code == 0 && !w.recorded(records) {
					t.Errorf("%s: let go without a record", o)
				}
				if out, err := exec.Command("mount", "-o", "remount,size=8m,nr_inodes=10000", at).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				w.agent("rm -rf src")
				w.tidy()
				w.must(os.RemoveAll(filepath.Dir(w.state)))
				if t.Failed() {
					t.Fatalf("with %s: %+v", o, r)
				}
			}
			if blocked < 3 || fits == 0 {
				t.Errorf("%d blocked, %d fit: the sizes test nothing", blocked, fits)
			}
			t.Logf("%s: %d sizes blocked, %d fit", what, blocked, fits)
		})
	}
}

// TestReadOnlyDisk: a store on a file system that is read-only blocks.
func TestReadOnlyDisk(t *testing.T) {
	at := mounted(t, "-t", "tmpfs", "-o", "size=8m", "none")
	w := worldAt(t, newWorld(t).base, at)
	w.plant()
	w.agent("rm notes.txt")
	for _, mode := range []string{"ro", "rw"} {
		if out, err := exec.Command("mount", "-o", "remount,"+mode, at).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if mode == "rw" {
			w.agent("rm -rf src")
			w.sound()
			return
		}
		faults.Add(1)
		w.blocked(w.pre("rm -rf src"))
		if r := w.counterstep(nil, "ledger"); r.code != 0 {
			t.Errorf("a store that can only be read: %+v", r)
		}
		if r := w.counterstep(nil, "verify", "--read-data"); r.code != 0 {
			t.Errorf("a store that can only be read: %+v", r)
		}
	}
}

// TestFullProject: firing on a full disk changes nothing, says so, and can be
// done again when there is room.
func TestFullProject(t *testing.T) {
	at := mounted(t, "-t", "tmpfs", "-o", "size=2m", "none")
	w := worldAt(t, at, newWorld(t).base)
	w.plant()
	w.must(os.WriteFile(filepath.Join(w.dir, "src/large"), make([]byte, 600<<10), 0o600))
	before := w.look()
	w.agent("rm -rf src")
	gone := w.look()
	filler := filepath.Join(at, "filler")
	w.must(os.WriteFile(filler, make([]byte, 1700<<10), 0o600))
	r := w.counterstep(nil, "fire", "--last")
	faults.Add(1)
	if r.code != 4 || r.stderr == "" {
		t.Errorf("on a full disk: %+v", r)
	}
	if d := differ(gone, w.look()); d != "" {
		t.Errorf("failed, but changed %s", d)
	}
	w.sound()
	w.must(os.Remove(filler))
	if r := w.counterstep(nil, "fire", "--last"); r.code != 0 {
		t.Errorf("with room: %+v", r)
	}
	if d := differ(before, w.look()); d != "" {
		t.Errorf("taken back, but %s", d)
	}
}

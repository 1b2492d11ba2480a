//go:build linux

package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/counterstep/counterstep/ledger"
)

// plug is a file system of which the power can be cut.
type plug struct {
	t         *testing.T
	image, at string
}

func newPlug(t *testing.T, kind string) *plug {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED LOUDLY: mounting needs root")
	}
	for _, program := range []string{"mkfs." + kind, "xfs_io"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("SKIPPED LOUDLY: there is no %s on this machine", program)
		}
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &plug{t: t, image: filepath.Join(dir, "image"), at: filepath.Join(dir, "mnt")}
	p.run("truncate", "-s", "400M", p.image)
	p.run("mkfs."+kind, "-q", p.image)
	p.run("mkdir", p.at)
	p.mount()
	t.Cleanup(func() { exec.Command("umount", "-l", p.at).Run() })
	return p
}

func (p *plug) run(name string, args ...string) {
	p.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		p.t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

func (p *plug) mount() { p.run("mount", "-o", "loop", p.image, p.at) }

// pull cuts the power: what is not on the disk is lost.
func (p *plug) pull() { p.run("xfs_io", "-x", "-c", "shutdown", p.at); cuts.Add(1) }

// again mounts after a cut, which replays the journal.
func (p *plug) again() { p.run("umount", p.at); p.mount() }

// TestPowerCuts cuts the power at random moments of arming and firing: an armed
// record that survives has a payload that verifies, a call that was let go has
// a record that survives, and a firing can be done again.
func TestPowerCuts(t *testing.T) {
	for _, kind := range []string{"ext4", "xfs"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			p := newPlug(t, kind)
			rng := rand.New(rand.NewPCG(*seed, uint64(len(kind))))
			rounds := 2
			if long {
				rounds = 24
			}
			for i := range rounds {
				dir := filepath.Join(p.at, fmt.Sprint(i))
				w := worldAt(t, dir, dir)
				if i%3 == 2 {
					p.duringFire(w, rng)
				} else {
					p.duringArm(w, rng)
				}
				if t.Failed() {
					t.Fatalf("round %d", i)
				}
			}
		})
	}
}

// duringArm pulls the plug while calls are armed one after the other.
func (p *plug) duringArm(w *world, rng *rand.Rand) {
	p.t.Helper()
	const calls = 8
	for i := range calls {
		w.must(os.Mkdir(filepath.Join(w.dir, fmt.Sprint("d", i)), 0o755))
		w.must(os.WriteFile(filepath.Join(w.dir, fmt.Sprint("d", i), "f"), make([]byte, 100+rng.IntN(9000)), 0o644))
	}
	p.run("sync", "-f", p.at)
	let := make(chan string, calls)
	go func() {
		defer close(let)
		for i := range calls {
			id := fmt.Sprint("call-", i)
			if r := w.end(w.command(w.event("PreToolUse", id, fmt.Sprintf("rm -rf d%d", i)), nil, "hook")); r.code == 0 {
				let <- id
			}
		}
	}()
	time.Sleep(time.Duration(rng.IntN(int(400 * time.Millisecond))))
	// Nobody hears what a process says after a cut; here it lives on, and a
	// sync that a shut file system interrupts may be told to have worked.
	acknowledged := map[string]bool{}
	for range len(let) {
		acknowledged[<-let] = true
	}
	p.pull()
	for range let {
	}
	p.again()
	w.chain(acknowledged)
	w.agent("mkdir -p again && touch again/f && rm -rf again")
}

// duringFire pulls the plug while a call is taken back.
func (p *plug) duringFire(w *world, rng *rand.Rand) {
	p.t.Helper()
	w.plant()
	before := w.look()
	w.agent("rm -rf src && echo new > twin1 && echo x > notes.txt")
	p.run("sync", "-f", p.at)
	cmd := w.command("", nil, "fire", "--last")
	ended := make(chan result, 1)
	go func() { ended <- w.end(cmd) }()
	time.Sleep(time.Duration(rng.IntN(int(120 * time.Millisecond))))
	said := false // before the cut
	select {
	case r := <-ended:
		said = r.code == 0
		p.pull()
	default:
		p.pull()
		<-ended
	}
	p.again()
	fired := false
	for _, rec := range w.records() {
		fired = fired || rec.Kind == ledger.Fired
	}
	if said && !fired {
		w.t.Error("said to be fired, but the record is lost")
	}
	if r := w.counterstep(nil, "fire", w.armed()); r.code != 0 {
		w.t.Errorf("fire again (it was fired: %v): %+v", fired, r)
	}
	w.mixtures()
	if d := differ(before, w.look()); d != "" {
		w.t.Errorf("fired, but %s", d)
	}
	w.sound()
}

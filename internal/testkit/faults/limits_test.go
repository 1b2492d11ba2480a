//go:build linux

package faults

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/counterstep/counterstep/ledger"
)

// TestStreams: whatever is closed or broken around the hook, a destructive call
// is blocked or recorded, and the exit code says which.
func TestStreams(t *testing.T) {
	for name, script := range map[string]string{
		"no stdin": `exec "$@" <&-`, "no stdout": `exec "$@" >&-`, "no stderr": `exec "$@" 2>&-`, "nothing open": `exec "$@" <&- >&- 2>&-`,
		"full stdout": `exec "$@" >/dev/full`, "full stderr": `exec "$@" 2>/dev/full`, "directory as stdin": `exec "$@" </`,
		"write-only stdin":    `exec "$@" 0>/dev/null`,
		"stdout nobody reads": `{ "$@"; echo $? >&3; } 3>"$CODE" | :`,
		"stderr nobody reads": `{ "$@" 2>&1 >/dev/null; echo $? >&3; } 3>"$CODE" | :`,
	} {
		for kind, command := range map[string]string{"armed": "rm -rf src", "refused": "curl -X POST https://example.com/x"} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.plant()
				before := w.look()
				code := filepath.Join(w.base, "code")
				w.wrap = []string{"bash", "-c", script, "bash"}
				r := w.pre(command, "CODE="+code)
				faults.Add(1)
				if data, err := os.ReadFile(code); err == nil {
					r.code = int(data[0] - '0')
					if s := strings.TrimSpace(string(data)); s != "0" && s != "2" {
						t.Errorf("exit %s", s)
					}
				}
				switch {
				case r.code == 0 && kind == "armed" && w.recorded(w.sound()):
				case r.code != 2:
					t.Errorf("neither blocked nor recorded: %+v", r)
				}
				if d := differ(before, w.look()); d != "" {
					t.Errorf("changed %s", d)
				}
			})
		}
	}
}

// TestLimits: limits of the process end in a block, and without them the same
// call is armed.
func TestLimits(t *testing.T) {
	// As other users see it: root may do anything.
	for name, script := range map[string]string{
		"file size 0": `ulimit -f 0; exec "$@"`, "file size 1": `ulimit -f 1; exec "$@"`, "file size 2": `ulimit -f 2; exec "$@"`,
		"files 5": `ulimit -n 5; exec "$@"`, "files 7": `ulimit -n 7; exec "$@"`, "files 9": `ulimit -n 9; exec "$@"`, "files 12": `ulimit -n 12; exec "$@"`,
		"memory": `ulimit -v 200000; exec "$@"`, "processes": `ulimit -u 1; exec "$@"`,
		"home of somebody else": `export HOME=/root XDG_STATE_HOME=; exec "$@"`, "home is a file": `export HOME=/etc/passwd XDG_STATE_HOME=; exec "$@"`,
		"no home": `unset HOME XDG_STATE_HOME; exec "$@"`, "relative state": `export HOME=/nowhere XDG_STATE_HOME=state; exec "$@"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.plant()
			w.lend()
			before := w.look()
			w.wrap = []string{"bash", "-c", script, "bash"}
			r := w.pre("rm -rf src")
			faults.Add(1)
			w.wrap = nil
			if r.code == 0 {
				if !w.recorded(w.sound()) {
					t.Errorf("let go without a record: %+v", r)
				}
			} else {
				w.blocked(r)
			}
			if d := differ(before, w.look()); d != "" {
				t.Errorf("changed %s", d)
			}
			w.agent("rm -rf src")
			w.sound()
		})
	}
}

// lend gives the world to nobody when we are root, who is above permissions.
func (w *world) lend() {
	w.t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	w.as = &syscall.Credential{Uid: nobody, Gid: nobody}
	w.must(filepath.WalkDir(w.base, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, nobody, nobody)
	}))
	// The way there, made by the test.
	for dir := filepath.Dir(w.base); dir != os.TempDir() && len(dir) > 4; dir = filepath.Dir(dir) {
		w.must(os.Chmod(dir, 0o755))
	}
}

// TestStoreNotOurs: a store that cannot be written, belongs to somebody else or
// is open to others blocks destructive calls, but not others, and works again
// when it is put right.
func TestStoreNotOurs(t *testing.T) {
	chmod := func(name string, mode os.FileMode) func(*world) {
		return func(w *world) { w.must(os.Chmod(filepath.Join(w.storeDir(), name), mode)) }
	}
	for name, c := range map[string]struct{ spoil, mend func(*world) }{
		"read-only":         {chmod("", 0o500), chmod("", 0o700)},
		"read-only shadow":  {chmod("shadow", 0o500), chmod("shadow", 0o700)},
		"read-only ledger":  {chmod("ledger/ledger.jsonl", 0o400), chmod("ledger/ledger.jsonl", 0o600)},
		"open to the group": {chmod("", 0o770), chmod("", 0o700)},
		"open to all":       {chmod("shadow", 0o777), chmod("shadow", 0o700)},
		"somebody else's": {
			func(w *world) { w.must(os.Chown(w.storeDir(), 1234, 1234)) },
			func(w *world) { w.must(os.Chown(w.storeDir(), 65534, 65534)) },
		},
		"no version": {
			func(w *world) { w.must(os.WriteFile(filepath.Join(w.storeDir(), "VERSION"), []byte("x"), 0o600)) },
			func(w *world) { w.must(os.WriteFile(filepath.Join(w.storeDir(), "VERSION"), []byte("1\n"), 0o600)) },
		},
		"newer": {
			func(w *world) { w.must(os.WriteFile(filepath.Join(w.storeDir(), "VERSION"), []byte("99\n"), 0o600)) },
			func(w *world) { w.must(os.WriteFile(filepath.Join(w.storeDir(), "VERSION"), []byte("1\n"), 0o600)) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "somebody else's" && os.Geteuid() != 0 {
				t.Skip("SKIPPED LOUDLY: giving files away needs root")
			}
			w := newWorld(t)
			w.plant()
			w.lend()
			w.agent("rm notes.txt")
			c.spoil(w)
			faults.Add(1)
			w.blocked(w.pre("rm -rf src"))
			if r := w.pre("ls"); r.code != 0 || r.stdout != "" {
				t.Errorf("an inert call: %+v", r)
			}
			c.mend(w)
			w.agent("rm -rf src")
			w.sound()
		})
	}
}

// TestTornTail: after a torn last line the next call is recorded behind it, and
// all others can still be taken back.
func TestTornTail(t *testing.T) {
	for name, tail := range map[string]string{"half a line": `{"v":1,"seq":3,"id":"01`, "zeros": strings.Repeat("\x00", 700), "garbage": "\xff\xfe}{\n\n", "a line break less": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.plant()
			before := w.look()
			w.agent("rm -rf src")
			file := filepath.Join(w.storeDir(), "ledger/ledger.jsonl")
			data, err := os.ReadFile(file)
			w.must(err)
			if tail == "" {
				data = data[:len(data)-1]
			}
			w.must(os.WriteFile(file, append(data, tail...), 0o600))
			middle := w.look()
			w.agent("rm notes.txt")
			healed := false
			for _, r := range w.sound() {
				healed = healed || r.Kind == ledger.Recovered
			}
			if !healed && tail != "" {
				t.Error("nothing says that bytes were lost")
			}
			for _, want := range []map[string]string{middle, before} {
				if r := w.counterstep(nil, "fire", "--last"); r.code != 0 {
					t.Fatalf("fire: %+v", r)
				}
				if d := differ(want, w.look()); d != "" {
					t.Errorf("taken back, but %s", d)
				}
			}
		})
	}
}

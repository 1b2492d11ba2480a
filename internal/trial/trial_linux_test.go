package trial_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/box"
	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/trial"
)

// TestMain lets this program be the inside, and the parent that gets killed.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == trial.Verb:
		if err := trial.Inside(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case len(os.Args) == 3 && os.Args[1] == "run":
		_, err := trial.Run(context.Background(), plan(os.Args[2], "exec sleep "+nap, classify.Verdict{Class: classify.Inert}))
		fmt.Fprintln(os.Stderr, err)
	default:
		os.Exit(m.Run())
	}
}

const nap = "98765.4321"

func plan(root, command string, v classify.Verdict) trial.Plan {
	exe, _ := os.Executable()
	return trial.Plan{
		ID: "01KBA3Y5M0000000000000000B", Command: command, Root: root, Cwd: root, Verdict: v,
		Executable: exe, Shell: "/bin/bash", Env: []string{
			"PATH=/usr/bin:/bin", "HOME=/nowhere", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		},
	}
}

// ground makes a workspace and skips where the kernel forbids a box.
func ground(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	exe, _ := os.Executable()
	if err := trial.Probe(t.Context(), exe, root); errors.Is(err, trial.ErrUnable) {
		t.Skip("NOT TESTED: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	script := `set -e; mkdir -p d/e 'sp ace'; echo one >a; printf '1\n2\n3\n' >b; echo f >d/e/f; echo g >'sp ace/g'; ln -s a l; chmod 600 b
		git init -q -b main .; git add -A; git commit -qm i; echo dirty >>b; echo new >u; git branch other`
	cmd := exec.Command("/bin/bash", "-c", script)
	cmd.Dir, cmd.Env = root, plan(root, "", classify.Verdict{}).Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return root
}

func judge(t *testing.T, root, command string) classify.Verdict {
	t.Helper()
	g := &gate.Gate{StateHome: t.TempDir(), Home: "/nowhere", Shell: "bash", Now: time.Now, NewID: func() string { return "x" }}
	r := gate.Request{Tool: "Bash", Cwd: root, Input: gate.Input{Kind: gate.Shell, Command: command}}
	v, err := g.Judge(r, g.Workspace(root))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// state is every path with its mode, times and bytes.
func state(t *testing.T, root string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&out, path, info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			fmt.Fprintf(&out, "%q\n", data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWhatACommandWouldDo(t *testing.T) {
	root := ground(t)
	before := state(t, root)
	for command, want := range map[string]string{
		"rm a; echo x >>b; mkdir n; touch u":      "removed a, changed b, created n, times u",
		"rm -rf d && mkdir d && echo n >d/new":    "removed d/e, removed d/e/f, created d/new",
		"rm -rf d; echo file >d":                  "changed d, removed d/e, removed d/e/f",
		"mv d moved":                              "removed d, removed d/e, removed d/e/f, created moved, created moved/e, created moved/e/f",
		"chmod 644 b; ln -sf b l; cat a; cp a a2": "created a2, metadata b, changed l",
		"sed -i s/2/two/ b; false":                "changed b",
		"echo t >t; rm t":                         "",
	} {
		v := judge(t, root, command)
		if why := trial.Refuse(v, root); why != "" {
			t.Errorf("%s: refused: %s", command, why)
			continue
		}
		r, err := trial.Run(t.Context(), plan(root, command, v))
		if err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		var got []string
		for _, c := range r.Changes {
			got = append(got, string(c.Kind)+" "+strings.TrimPrefix(string(c.Path), root+"/"))
		}
		if g := strings.Join(got, ", "); g != want || r.Outside() > 0 || r.Short != "" {
			t.Errorf("%s:\n got %s\nwant %s\noutside %d, short %q, said %q", command, g, want, r.Outside(), r.Short, r.Stderr)
		}
	}
	if state(t, root) != before {
		t.Error("the workspace was touched")
	}
}

func TestAWriteOutsideThePredictionIsReported(t *testing.T) {
	root := ground(t)
	v := judge(t, root, "rm a")
	r, err := trial.Run(t.Context(), plan(root, "rm a; echo more >>b", v))
	if err != nil {
		t.Fatal(err)
	}
	if r.Outside() != 1 || !r.Changes[1].Outside || string(r.Changes[1].Path) != root+"/b" {
		t.Errorf("got %+v", r.Changes)
	}
}

func TestNothingReachesOutside(t *testing.T) {
	root := ground(t)
	sock := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	outside := filepath.Join(filepath.Dir(sock), "file")
	for _, command := range []string{
		"echo x >" + outside, "echo x >/etc/counterstep-test", "echo x >/dev/tcp/127.0.0.1/1",
		"mount -t tmpfs none /mnt", "mount -o remount,rw /", "umount -l " + root, "unshare -Urm umount -l " + root,
		"mknod " + root + "/dev b 8 0", "kill -0 " + fmt.Sprint(os.Getpid()), "test -S " + sock + " && test -w " + sock,
		`python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("` + sock + `")'`,
	} {
		r, err := trial.Run(t.Context(), plan(root, command, classify.Verdict{Class: classify.Inert}))
		if err != nil || r.Code == 0 || len(r.Changes) > 0 {
			t.Errorf("%s: exit %d, %d changes, %v", command, r.Code, len(r.Changes), err)
		}
	}
	for _, path := range []string{outside, "/etc/counterstep-test"} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}

func TestAForbiddingKernelIsSaid(t *testing.T) {
	root := ground(t)
	before := state(t, root)
	exe, _ := os.Executable()
	cmd := exec.Command("unshare", "-Ur", "sh", "-c", `echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" run "$1"`, exe, root)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("NOT TESTED: namespaces cannot be forbidden here: %v %s", err, out)
	}
	if !strings.Contains(string(out), "no user namespaces are left (user.max_user_namespaces)") {
		t.Errorf("said %q", out)
	}
	if state(t, root) != before {
		t.Error("the workspace was touched")
	}
}

func TestOtherNamesOfAFileAreSaid(t *testing.T) {
	root := ground(t)
	if err := os.Link(filepath.Join(root, "a"), filepath.Join(root, "a2")); err != nil {
		t.Fatal(err)
	}
	r, err := trial.Run(t.Context(), plan(root, "echo x >>a", judge(t, root, "echo x >>a")))
	if err != nil || len(r.Changes) != 1 || r.Changes[0].Names != 2 {
		t.Errorf("%+v %v", r.Changes, err)
	}
}

func TestProgramsThatAreNotListed(t *testing.T) {
	root := t.TempDir()
	for _, command := range []string{"python3 x.py", "./x.sh", "make", "echo x >/etc/x", `rm -rf "$X"/*`, "sh -c 'rm a'", "git push -f", "rm a | tee /var/x", "cp -a . ../other"} {
		if why := trial.Refuse(judge(t, root, command), root); why == "" {
			t.Errorf("%s would be run", command)
		}
	}
}

func TestKilledLeavesNothing(t *testing.T) {
	root := ground(t)
	before, mounts := state(t, root), mountsOf(t)
	exe, _ := os.Executable()
	cmd := exec.Command(exe, "run", root)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for deadline := time.Now().Add(20 * time.Second); pid == 0 && time.Now().Before(deadline); {
		pid = napping()
	}
	if pid == 0 {
		t.Fatal("the command never ran")
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 20_000)
	if err != nil || n != 1 {
		t.Errorf("the command lives on: %v", err)
	}
	if state(t, root) != before {
		t.Error("the workspace was touched")
	}
	if m := mountsOf(t); m != mounts {
		t.Errorf("mounts differ:\n%s\n%s", mounts, m)
	}
}

// napping finds the process that a rehearsal runs; 0 when there is none.
func napping() int {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range list {
		data, _ := os.ReadFile(file)
		if string(data) == "sleep\x00"+nap+"\x00" {
			var pid int
			fmt.Sscanf(file, "/proc/%d/", &pid)
			return pid
		}
	}
	return 0
}

func mountsOf(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestNothingRunsOnAfterTheCommand(t *testing.T) {
	root := ground(t)
	r, err := trial.Run(t.Context(), plan(root, "setsid sleep 1000 >/dev/null 2>&1 & echo x >a", judge(t, root, "echo x >a")))
	if err != nil || r.Outside() > 0 || r.Proof != "executed" {
		t.Errorf("%+v %v", r, err)
	}
}

// TestPredictedCoversActual runs random commands and demands that whatever they
// change of what was there was predicted, and that it comes back.
func TestPredictedCoversActual(t *testing.T) {
	root := ground(t)
	before := state(t, root)
	rnd := rand.New(rand.NewPCG(1, uint64(rounds)))
	for range rounds {
		command := random(rnd)
		v := judge(t, root, command)
		if trial.Refuse(v, root) != "" {
			continue
		}
		r, err := trial.Run(t.Context(), plan(root, command, v))
		if err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		if r.Short != "" {
			t.Errorf("%s (%s): %s", command, v.Class, r.Short)
		}
		for _, c := range r.Changes {
			switch {
			case c.Outside && c.Kind == box.Created: // nothing was there: reported, and nothing is lost
				t.Logf("%s (%s): not predicted: created %s", command, v.Class, c.Path)
			case c.Outside:
				t.Errorf("%s (%s): not predicted: %s %s", command, v.Class, c.Kind, c.Path)
			}
		}
	}
	if state(t, root) != before {
		t.Error("the workspace was touched")
	}
}

func random(r *rand.Rand) string {
	paths := []string{"a", "b", "d", "d/e", "d/e/f", "'sp ace'", "'sp ace'/g", "l", "u", "new", "n/m", "*", "d/*", "nothing"}
	forms := []string{
		"rm -rf P", "rm P P", "mv P P", "mv -f P P d", "cp -r P P", "cp -a P P", "cp P P d", "ln -sf P P", "ln P P", "touch P", "mkdir -p P", "rmdir P",
		"echo x >P", "echo x >>P", "cat P | tee P", "sed -i s/o/0/ P", "chmod 700 P", "chmod -R go-w P", "truncate -s 3 P", "find P -type f -delete",
		"find . -name f -exec rm {} +", "install -D P n/x", "sort -o P P", "split -l 1 P x", "dd if=P of=P", "git checkout -- P", "git checkout other -- P",
		"git reset --hard", "git clean -fdx", "git stash -u", "git rm -f P", "git mv P P", "git restore P", "git branch -D other", "git add -A", "git commit -am m", "git checkout -b fresh",
	}
	var out []string
	for range 1 + r.IntN(2) {
		form := forms[r.IntN(len(forms))]
		for strings.Contains(form, "P") {
			form = strings.Replace(form, "P", paths[r.IntN(len(paths))], 1)
		}
		out = append(out, form)
	}
	return strings.Join(out, []string{"; ", " && "}[r.IntN(2)])
}

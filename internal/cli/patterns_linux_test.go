//go:build linux

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/harness/claude"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/internal/workspace"
)

// TestHowUndosGoWrong has one case for each way in which undo tools are known to
// have lost work.
func TestHowUndosGoWrong(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(*site)
	}{
		{"01 bystanders are deleted by a clean", bystanders},
		{"02 absent from the snapshot is read as created", absentIsNotCreated},
		{"03 a stale or empty snapshot is taken for the truth", failedSnapshot},
		{"04 wider than the call", widerThanTheCall},
		{"05 a person's later edit is overwritten", laterEdit},
		{"06 index, refs and objects of the user are touched", repositoryUntouched},
		{"07 the work tree is changed while it is captured", captureChangesNothing},
		{"08 shell edits without git are not covered", shellEdits},
		{"09 the store grows without end", storeStaysSmall},
		{"10 a huge tree hangs the call", hugeTree},
		{"11 links are followed, replaced or dropped", links},
		{"12 success is reported, nothing is restored", damagedPayload},
		{"13 deleted first, then the write fails", halfWay},
		{"14 names that are not plain", oddNamesComeBack},
		{"15 modes, times and bytes of the untouched", metadata},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bash, err := proc.Look("bash", os.Getenv("PATH"))
			if err != nil {
				t.Skip("SKIPPED: no bash to run the calls with")
			}
			c.run(&site{person: newPerson(t), bash: bash})
		})
	}
}

// site is a project in which an agent and a person work.
type site struct {
	*person
	bash  string
	calls int
}

// sh is what a person does in the project, with no hook.
func (s *site) sh(script string) {
	s.Helper()
	r, err := proc.Run(context.Background(), proc.Cmd{Path: s.bash, Args: []string{"-ec", script}, Dir: s.dir, Env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.env.home(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@e.x", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@e.x",
	}})
	if err != nil || r.Code != 0 {
		s.Fatalf("%s: %v %d %s%s", script, err, r.Code, r.Stdout, r.Stderr)
	}
}

func (s *site) event(name, dir, command string) int {
	s.Helper()
	payload, err := json.Marshal(map[string]any{
		"session_id": "s", "cwd": dir, "hook_event_name": name, "tool_name": "Bash",
		"tool_input": map[string]any{"command": command}, "tool_use_id": fmt.Sprint("t", s.calls), "tool_response": map[string]any{},
	})
	if err != nil {
		s.Fatal(err)
	}
	e := s.env
	e.Stdin = strings.NewReader(string(payload))
	return exchange(e, claude.Adapter{}).Code
}

// call is an agent's call in a directory below the project.
func (s *site) call(below, command string) {
	s.Helper()
	s.calls++
	dir := filepath.Join(s.dir, below)
	if code := s.event("PreToolUse", dir, command); code != 0 {
		s.Fatalf("%s: blocked", command)
	}
	s.sh("cd '" + dir + "'\n" + command)
	s.event("PostToolUse", dir, command)
}

// fires runs fire and wants an exit code.
func (s *site) fires(want int, args ...string) {
	s.Helper()
	if code := s.types("", append([]string{"fire", "--last"}, args...)...); code != want {
		s.Fatalf("fire ends with %d, not %d: %s%s", code, want, &s.out, &s.errs)
	}
}

// state is everything about the project, inodes and times included.
func (s *site) state(inodes bool) map[string]string {
	s.Helper()
	list, err := workspace.Scan(context.Background(), s.dir)
	if err != nil {
		s.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range list {
		ino := uint64(0)
		if inodes {
			ino = e.Ino
		}
		out[e.Path[len(s.dir):]] = fmt.Sprintf("%c %o %d:%d %d %d %x %q %d", e.Type, e.Mode, e.UID, e.GID, e.MTime, e.Size, e.SHA[:6], e.Target, ino)
	}
	return out
}

func (s *site) same(want map[string]string, inodes bool) {
	s.Helper()
	if got := s.state(inodes); !maps.Equal(want, got) {
		s.Errorf("not as before: %s", differ(want, got))
	}
}

// storeFiles are the files of the store that a pattern fits.
func (s *site) storeFiles(pattern string) []string {
	s.Helper()
	list, err := filepath.Glob(filepath.Join(s.env.stateHome(), "counterstep", "p-*", pattern))
	if err != nil || len(list) == 0 {
		s.Fatalf("no %s in the store: %v", pattern, err)
	}
	return list
}

const repository = `git init -q .; echo node >.gitignore; echo 1 >tracked; echo 2 >other; git add .; git commit -qm one
echo local.env >>.gitignore; echo changed >other; echo S >local.env; mkdir node; echo n >node/x; echo u >untracked; git stash list; `

func bystanders(s *site) {
	s.sh(repository + "printf 'echo gone >tracked\n' >w.sh")
	before := s.state(true)
	s.call("", "sh ./w.sh")
	s.fires(0)
	after := s.state(true)
	for _, m := range []map[string]string{before, after} {
		delete(m, "/tracked") // only its inode may be another
	}
	if d := differ(before, after); d != "" {
		s.Errorf("a bystander was touched: %s", d)
	}
}

func absentIsNotCreated(s *site) {
	// Too large to be held: not known to the checkpoint, and not the call's.
	s.sh("truncate -s 600M big; echo 1 >f; printf 'echo 2 >f; echo n >new\n' >w.sh")
	s.call("", "sh ./w.sh")
	s.sh("echo mine >since")
	s.fires(0)
	for _, name := range []string{"big", "since", "f"} {
		if _, err := os.Stat(filepath.Join(s.dir, name)); err != nil {
			s.Errorf("%s is gone: %v", name, err)
		}
	}
	s.call("", "sh ./w.sh")
	for _, pack := range s.storeFiles("checkpoints/*.pack") {
		if err := os.Truncate(pack, 0); err != nil {
			s.Fatal(err)
		}
	}
	before := s.state(true)
	if code := s.types("", "fire", "--last"); code == 0 {
		s.Errorf("fires without its checkpoint: %s", &s.out)
	}
	s.same(before, true)
}

func failedSnapshot(s *site) {
	s.sh("git init -q nested; echo 1 >nested/f; git init -q .; printf 'rm -rf nested\n' >w.sh")
	work := func() map[string]string { // objects of git are never held
		all := s.state(false)
		maps.DeleteFunc(all, func(path, _ string) bool { return strings.HasPrefix(path, "/nested/.git") })
		return all
	}
	before := work()
	s.call("", "sh ./w.sh")
	s.fires(0)
	if d := differ(before, work()); d != "" {
		s.Error(d)
	}
	// Where no checkpoint can be taken the call is blocked.
	dir := s.storeFiles("checkpoints")[0]
	if err := os.Rename(dir, dir+".away"); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		s.Fatal(err)
	}
	s.calls++
	if code := s.event("PreToolUse", s.dir, "sh ./w.sh"); code != 2 {
		s.Errorf("let go without a checkpoint: %d", code)
	}
}

func widerThanTheCall(s *site) {
	s.sh("git init -q .; mkdir -p a/in b; echo 1 >a/in/f; echo 2 >b/g; printf 'rm -r in\n' >a/w.sh")
	s.call("a", "sh ./w.sh")
	s.sh("echo dirty >b/g; echo new >b/h; echo top >t")
	s.fires(0, "--dry-run")
	if strings.Contains(s.out.String(), "/b/") || strings.Contains(s.out.String(), "/p/t") {
		s.Errorf("the plan is wider than the call: %s", &s.out)
	}
	s.fires(0)
	s.sh(`[ "$(cat a/in/f b/g b/h t | tr -d '\n')" = 1dirtynewtop ]`)
	// A call that changed nothing plans nothing.
	s.sh("printf 'true\n' >a/w.sh")
	before := s.state(true)
	s.call("a", "sh ./w.sh")
	s.same(before, true)
}

func laterEdit(s *site) {
	s.sh("echo 1 >same; echo 1 >other; printf 'echo 2 >same; rm -f other\n' >w.sh")
	s.call("", "sh ./w.sh")
	s.sh("echo mine >same; echo bystander >third")
	if code := s.types("", "fire", "--last"); code == 0 {
		s.Errorf("said to be done: %s", &s.out)
	}
	s.sh(`[ "$(cat same third | tr '\n' ' ')" = 'mine bystander ' ]`)
}

func repositoryUntouched(s *site) {
	s.sh(repository)
	inside := func() map[string]string {
		all := s.state(true)
		maps.DeleteFunc(all, func(path, _ string) bool { return path != "/.git" && !strings.HasPrefix(path, "/.git/") })
		return all
	}
	before := inside()
	s.call("", "echo plain >tracked")
	s.fires(0)
	if d := differ(before, inside()); d != "" {
		s.Errorf("something in .git was touched: %s", d)
	}
}

func captureChangesNothing(s *site) {
	s.sh(repository + "git init -q nested; echo n >nested/f; git -C nested add .; git -C nested commit -qm n; git -c protocol.file.allow=always submodule --quiet add ./nested sub 2>/dev/null || true; printf 'true\n' >w.sh")
	times := func() map[string]int64 {
		out := map[string]int64{}
		err := filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
			var st syscall.Stat_t
			if err == nil {
				err = syscall.Lstat(path, &st)
			}
			out[path] = st.Ctim.Nano()
			return err
		})
		if err != nil {
			s.Fatal(err)
		}
		return out
	}
	before := times()
	s.calls++
	s.event("PreToolUse", s.dir, "sh ./w.sh")
	s.event("PostToolUse", s.dir, "sh ./w.sh")
	if !maps.Equal(before, times()) { // so a kill at any moment leaves it whole
		s.Error("capturing has changed the work tree or a repository")
	}
	s.sh("git status >/dev/null; git -C nested fsck --strict 2>/dev/null")
}

func shellEdits(s *site) {
	s.sh("printf '1\r\n' >a; echo 2 >b; echo 3 >c; echo 4 >d; echo 5 >e; echo 6 >f; touch -d 2001-01-01 .")
	before := s.state(false)
	for _, command := range []string{
		"cat >a <<'EOF'\nnew\nEOF", "echo x | tee b >/dev/null", "sed -i s/3/4/ c", "mv d moved", "cp e f", ": >|a", "dd if=/dev/zero of=b count=1 status=none",
		"install -m 600 a c", "truncate -s 0 e", "printf y >>f",
	} {
		s.call("", command)
		s.fires(0)
		s.same(before, false)
	}
}

func storeStaysSmall(s *site) {
	s.sh("mkdir d; for i in $(seq 40); do head -c 20000 /dev/urandom >d/f$i; done; printf 'echo $RANDOM >>log\n' >w.sh")
	for range 40 {
		s.call("", "bash ./w.sh")
	}
	var size int64
	err := filepath.WalkDir(s.env.stateHome(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasSuffix(d.Name(), ".tmp") || strings.HasPrefix(d.Name(), ".staging") {
			s.Errorf("left over: %s", path)
		}
		info, err := d.Info()
		if err == nil && d.Type().IsRegular() {
			size += info.Size()
		}
		return err
	})
	if err != nil || size > 2*40*20000 {
		s.Errorf("40 calls on 800 kB take %d bytes (%v)", size, err)
	}
}

func hugeTree(s *site) {
	s.sh("mkdir d; (cd d; touch $(seq 300))")
	g := newGate(s.env)
	g.Budget = workspace.Limits{Files: 200}
	d := g.Decide(context.Background(), gate.Request{
		Event: gate.Before, Session: "s", CallID: "t", Tool: "Bash", Cwd: s.dir, Input: gate.Input{Kind: gate.Shell, Command: "rm -rf d"},
	})
	if !d.Refused || d.Hint != "counterstep arm -- 'rm -rf d'" {
		s.Errorf("%+v", d)
	}
}

func links(s *site) {
	s.sh(`mkdir real; echo 1 >real/f; echo 2 >file; mkdir ../out; echo 3 >../out/o
ln -s file l1; ln -s real l2; ln -s nowhere l3; ln -s "$PWD/file" l4; ln -s ../out/o l5; touch -d 2001-01-01 .`)
	before := s.state(false)
	for _, command := range []string{"echo x >l1", "rm l1 l2 l3 l4 l5", "rm -rf l2/f", "echo y >l5", "ln -sfn file l2"} {
		s.call("", command)
		s.fires(0)
		s.same(before, false)
	}
	s.sh(`[ "$(cat ../out/o)" = 3 ]`)
	// The directory becomes a link before the undo: nothing is written through it.
	s.call("", "rm real/f")
	s.sh("rmdir real; ln -s ../out real")
	if code := s.types("", "fire", "--last"); code == 0 {
		s.Errorf("fired through a link: %s", &s.out)
	}
	s.sh("[ ! -e ../out/f ]")
}

func damagedPayload(s *site) {
	s.sh("echo precious >f")
	s.call("", "rm f")
	name := s.storeFiles("shadow/*/payload.tar")[0]
	data, err := os.ReadFile(name)
	if err != nil {
		s.Fatal(err)
	}
	at := strings.Index(string(data), "precious")
	data[at] ^= 1
	if err := os.Chmod(filepath.Dir(name), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		s.Fatal(err)
	}
	before := s.state(true)
	if code := s.types("", "fire", "--last"); code == 0 {
		s.Errorf("said to be done: %s", &s.out)
	}
	s.same(before, true)
	if _, err := os.Stat(name); err != nil {
		s.Errorf("what is left of it was dropped: %v", err)
	}
}

func halfWay(s *site) {
	s.sh("mkdir -p d/e; echo 1 >d/e/f; echo 2 >g; printf 'rm -rf d; rm -f g; echo new >made\n' >w.sh")
	s.call("", "sh ./w.sh")
	s.sh("echo in-the-way >d") // a file where the directory was
	if code := s.types("", "fire", "--last"); code == 0 {
		s.Errorf("said to be done: %s", &s.out)
	}
	s.sh(`[ "$(cat d)" = in-the-way ]`)
	// Cleared away, it goes on where it stopped, and nothing was lost meanwhile.
	s.sh("mv d kept")
	s.types("", "fire", "--last")
	s.sh(`[ "$(cat kept)" = in-the-way ] && [ "$(cat g)" = 2 ]`)
}

func oddNamesComeBack(s *site) {
	s.sh(`mkdir $'d\n' '[locale]' ' lead' 'tra il ' 'ünï'; for n in $'d\n/\t' '[locale]/*' ' lead/-rf' 'tra il /"' 'ünï/é' $'\xff\xfe' '$x' "'" '\\'; do echo "$n" >"$n"; done; touch -d 2001-01-01 .`)
	before := s.state(false)
	s.call("", "rm -rf -- *")
	s.fires(0)
	s.same(before, false)
	s.sh("printf 'find . -mindepth 1 -delete\n' >../w.sh; chmod +x ../w.sh")
	s.call("", "sh ../w.sh")
	s.fires(0)
	s.same(before, false)
}

func metadata(s *site) {
	s.sh(`printf '#!/bin/sh\r\n' >tool; chmod 755 tool; printf '\xef\xbb\xbfbom' >bom; head -c 3000 /dev/urandom >bin; chmod 400 bin; echo b >bystander; chmod 751 bystander
touch -d '2011-01-01 12:00:00.123456789' tool bom bin bystander; printf 'rm -f tool bom bin\n' >w.sh; touch -d 2001-01-01 .`)
	before, one := s.state(false), s.state(true)["/bystander"]
	s.call("", "sh ./w.sh")
	s.fires(0)
	s.same(before, false)
	if got := s.state(true)["/bystander"]; got != one {
		s.Errorf("a bystander was touched: %s, was %s", got, one)
	}
}

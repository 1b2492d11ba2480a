package workspace_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/fingerprint"
	"github.com/counterstep/counterstep/internal/workspace"
)

// TestCaptureUnreadableAsNobody runs the test of unreadable things as a user
// who may not read everything, when the tests themselves may.
func TestCaptureUnreadableAsNobody(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become somebody else; TestCaptureUnreadable runs as it is")
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("", "nobody-*")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chown(dir, nobody, nobody))
	binary := filepath.Join(dir, "test")
	must(t, copyFile(binary, "/proc/self/exe"))
	cmd := exec.Command(binary, "-test.run=^TestCaptureUnreadable$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestCaptureUnreadable") {
		t.Errorf("%v: %s", err, out)
	}
}

func copyFile(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}

// TestAnOpenWriterIsLeftAlone: a file looks as expected, but somebody has it
// open for writing, so what is written next would be lost with it.
func TestAnOpenWriterIsLeftAlone(t *testing.T) {
	dir := realTemp(t)
	path := filepath.Join(dir, "f")
	m, pre := kept(t, path, "pre")
	write(t, path, "post")
	now := scan(t, path)[0]
	if probe, err := os.Open(path); err == nil {
		_, err = unix.FcntlInt(probe.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		probe.Close()
		if err != nil {
			t.Skip("SKIPPED LOUDLY: this file system knows no leases: ", err)
		}
	}
	writer, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	defer writer.Close()
	for _, c := range []workspace.Action{
		{Op: workspace.Put, Entry: pre, Now: now},
		{Op: workspace.Remove, Entry: fingerprint.Entry{Path: path, Type: fingerprint.Absent}, Now: now},
	} {
		o := one(t, m, c)
		if o.Status != workspace.StatusDrifted || o.Reason != "somebody is writing to it" {
			t.Errorf("op %v: %+v", c.Op, o)
		}
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "post" {
		t.Errorf("the file has %q, %v", data, err)
	}
}

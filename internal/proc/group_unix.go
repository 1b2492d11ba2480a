//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// group is the process group of one program.
type group struct{ cmd *exec.Cmd }

// ownGroup makes cmd the leader of a session of its own: it has no terminal to
// ask at, and its descendants can be signalled together.
func ownGroup(cmd *exec.Cmd) group {
	attr := &syscall.SysProcAttr{Setsid: true}
	dieWithParent(attr)
	cmd.SysProcAttr = attr
	return group{cmd}
}

// adopt takes the started program into the group. Here it is there already.
func (g group) adopt() error { return nil }

// kill ends every process of the group.
func (g group) kill() error {
	err := syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// close lets go of the group without touching its processes.
func (g group) close() {}

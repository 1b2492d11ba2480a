package proc

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// group is a job object that holds one program and its descendants.
type group struct {
	cmd *exec.Cmd
	job windows.Handle
}

// ownGroup starts cmd without a console window and prepares a job for it.
func ownGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP,
	}
	g := &group{cmd: cmd}
	job, err := windows.CreateJobObject(nil, nil)
	if err == nil {
		g.job = job
	}
	return g
}

// adopt puts the started program into the job. Without a job only the program
// itself can be killed, which is no reason to stop it.
func (g *group) adopt() error {
	if g.job == 0 {
		return nil
	}
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(g.cmd.Process.Pid))
	if err != nil {
		return nil
	}
	defer windows.CloseHandle(h)
	_ = windows.AssignProcessToJobObject(g.job, h)
	return nil
}

// kill ends every process of the job, and the program in any case.
func (g *group) kill() error {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
	return g.cmd.Process.Kill()
}

// close lets go of the job without ending its processes.
func (g *group) close() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
	}
}

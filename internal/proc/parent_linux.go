package proc

import "syscall"

// dieWithParent has the kernel kill the program when we are killed.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

//go:build linux

package faults

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// traceWord makes the test binary a tracer: WORD NTH FILE COMMAND... runs the
// command and kills it when it is about to make its NTH system call that has an
// effect, counted over all threads and children. FILE gets the count.
const traceWord = "trace-and-kill"

func trace(args []string) int {
	runtime.LockOSThread()
	nth, err := strconv.Atoi(args[0])
	if err != nil {
		return 99
	}
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 99
	}
	t := &tracer{pid: cmd.Process.Pid, nth: nth, inside: map[int]bool{}}
	status, err := t.follow()
	if err != nil {
		fmt.Fprintln(os.Stderr, "trace:", err)
		return 99
	}
	if err := os.WriteFile(args[1], []byte(strconv.Itoa(t.count)), 0o600); err != nil {
		return 99
	}
	if status.Signaled() {
		syscall.Kill(os.Getpid(), status.Signal())
		select {}
	}
	return status.ExitStatus()
}

type tracer struct {
	pid, nth, count int
	inside          map[int]bool // threads that are in a system call
}

func (t *tracer) follow() (unix.WaitStatus, error) {
	var ws unix.WaitStatus
	if _, err := unix.Wait4(t.pid, &ws, 0, nil); err != nil {
		return ws, err
	}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(t.pid, options); err != nil {
		return ws, err
	}
	for tid := t.pid; ; {
		if err := t.resume(tid, ws); err != nil && !errors.Is(err, unix.ESRCH) {
			return ws, err
		}
		var err error
		for {
			if tid, err = unix.Wait4(-1, &ws, unix.WALL, nil); !errors.Is(err, unix.EINTR) {
				break
			}
		}
		if err != nil {
			return ws, err
		}
		if tid == t.pid && (ws.Exited() || ws.Signaled()) {
			return ws, nil
		}
	}
}

// resume lets a stopped thread go on, or kills the process.
func (t *tracer) resume(tid int, ws unix.WaitStatus) error {
	if !ws.Stopped() {
		return nil
	}
	sig := ws.StopSignal()
	switch {
	case sig == unix.SIGTRAP|0x80:
		t.inside[tid] = !t.inside[tid]
		if t.inside[tid] && effect(tid) {
			if t.count++; t.count == t.nth {
				return unix.Kill(t.pid, unix.SIGKILL)
			}
		}
		sig = 0
	case sig == unix.SIGTRAP, sig == unix.SIGSTOP:
		sig = 0
	}
	return unix.PtraceSyscall(tid, int(sig))
}

// effect reports whether a thread is about to make a system call that can
// change or find something, not one of the runtime's own.
func effect(tid int) bool {
	var info [88]byte // struct ptrace_syscall_info
	const getSyscallInfo = 0x420e
	if _, _, e := unix.RawSyscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(tid), uintptr(len(info)), uintptr(unsafe.Pointer(&info)), 0, 0); e != 0 {
		return false
	}
	switch *(*uint64)(unsafe.Pointer(&info[24])) {
	case unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_MADVISE,
		unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN,
		unix.SYS_SIGALTSTACK, unix.SYS_GETTID, unix.SYS_GETPID, unix.SYS_TGKILL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_CTL,
		unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_PRCTL, unix.SYS_CLOSE, unix.SYS_FCNTL, unix.SYS_BRK:
		return false
	}
	return true
}

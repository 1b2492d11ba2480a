package box

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/counterstep/counterstep/internal/proc"
)

// Run runs c in the box, without the rights to mount and without sockets, and
// ends whatever it left running. It is for the goroutine that entered.
func (b *Box) Run(ctx context.Context, c proc.Cmd) (proc.Result, error) {
	if err := drop(); err != nil {
		return proc.Result{}, err
	}
	if err := forbidSockets(); err != nil {
		return proc.Result{}, err
	}
	res, err := proc.Run(ctx, c)
	// This process is the first of its namespace: it hits all others.
	if kerr := unix.Kill(-1, unix.SIGKILL); kerr != nil && !errors.Is(kerr, unix.ESRCH) {
		return res, fmt.Errorf("end what is left running: %w", kerr)
	}
	for {
		if _, werr := unix.Wait4(-1, nil, 0, nil); werr != nil && !errors.Is(werr, unix.EINTR) {
			break
		}
	}
	return res, err
}

// drop takes the rights to mount, to make devices and the like from whatever
// this thread starts.
func drop() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if c <= unix.CAP_SETUID && c != unix.CAP_KILL {
			continue // rights over files and ids
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("drop a right: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop the handed rights: %w", err)
	}
	return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
}

// forbidSockets has the kernel refuse sockets to this thread and whatever it
// starts: a file system that is read-only still lets programs talk to the
// sockets in it.
func forbidSockets() error {
	arch := map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]
	if arch == 0 {
		return fmt.Errorf("forbid sockets: %w on %s", errors.ErrUnsupported, runtime.GOARCH)
	}
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		above = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		give  = unix.BPF_RET | unix.BPF_K
	)
	prog := []unix.SockFilter{
		{Code: load, K: 4}, // the architecture of the call
		{Code: equal, Jt: 0, Jf: 5, K: arch},
		{Code: load, K: 0}, // its number
		{Code: above, Jt: 3, K: 0x40000000},
		{Code: equal, Jt: 2, K: unix.SYS_SOCKET},
		{Code: equal, Jt: 1, K: unix.SYS_IO_URING_SETUP},
		{Code: give, K: unix.SECCOMP_RET_ALLOW},
		{Code: give, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)},
	}
	f := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&f)), 0, 0)
	runtime.KeepAlive(prog)
	if err != nil {
		return fmt.Errorf("forbid sockets: %w", err)
	}
	return nil
}

package proc

import (
	"bufio"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// apart starts the program in its own user, mount, process, IPC and network
// namespaces, as the same user. It may set its mounts up; nothing of that
// reaches beyond its namespaces.
func apart(attr *syscall.SysProcAttr) error {
	attr.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWNET
	uid, gid := os.Geteuid(), os.Getegid()
	if uid != 0 {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		attr.AmbientCaps = []uintptr{
			unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_CHOWN, unix.CAP_FOWNER,
			unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_MKNOD,
		}
		return nil
	}
	var err error
	if attr.UidMappings, err = sameIDs("/proc/self/uid_map"); err != nil {
		return err
	}
	attr.GidMappings, err = sameIDs("/proc/self/gid_map")
	attr.GidMappingsEnableSetgroups = true
	return err
}

// sameIDs maps every id that is known here to itself.
func sameIDs(file string) ([]syscall.SysProcIDMap, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []syscall.SysProcIDMap
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var inside, outside, size int
		if _, err := fmt.Sscan(lines.Text(), &inside, &outside, &size); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		out = append(out, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
	}
	return out, lines.Err()
}

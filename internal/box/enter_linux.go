package box

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// memory bounds what a command can write, in bytes.
const memory = "size=1073741824"

// Enter builds the box around this process, which must be the first one of its
// own namespaces (proc.Cmd.Apart). It binds the calling goroutine to its thread
// for good. After an error nothing may be run.
func Enter(s Setup) (*Box, error) {
	if os.Getpid() != 1 {
		return nil, errors.New("not the first process of its own namespaces")
	}
	runtime.LockOSThread()
	b := &Box{setup: s}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, fmt.Errorf("part the mounts: %w", err)
	}
	tree, err := b.overlay()
	if err != nil {
		return nil, err
	}
	defer unix.Close(tree)
	devices, err := cloneDevices()
	if err != nil {
		return nil, err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &attr); err != nil {
		return nil, fmt.Errorf("make the other mounts read-only: %w", err)
	}
	if err := unix.Mount("tmpfs", "/tmp", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, memory+",mode=1777"); err != nil {
		return nil, fmt.Errorf("mount a private /tmp: %w", err)
	}
	if err := plugDevices(devices); err != nil {
		return nil, err
	}
	// In a container that hides parts of /proc the kernel forbids a new one;
	// the old one is read-only by now and shows no process that can be reached.
	_ = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	if strings.HasPrefix(s.Root, "/tmp/") {
		if err := os.MkdirAll(s.Root, 0o755); err != nil {
			return nil, err
		}
	}
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, s.Root, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return nil, fmt.Errorf("put the overlay over %s: %w", s.Root, err)
	}
	for _, dir := range s.Hide {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_RDONLY, "size=4096"); err != nil {
			return nil, fmt.Errorf("hide %s: %w", dir, err)
		}
	}
	return b, os.Chdir(s.Cwd)
}

// overlay mounts the overlay on a memory file system that nobody sees and
// returns it as a tree that is attached nowhere yet.
func (b *Box) overlay() (tree int, err error) {
	if b.lower, err = os.Open(b.setup.Root); err != nil {
		return -1, err
	}
	if err := unix.Mount("tmpfs", "/tmp", "tmpfs", 0, memory+",mode=0700"); err != nil {
		return -1, fmt.Errorf("mount memory for the overlay: %w", err)
	}
	for _, dir := range []string{"/tmp/upper", "/tmp/work", "/tmp/merged"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return -1, err
		}
	}
	if err := likeRoot(b.lower, "/tmp/upper"); err != nil {
		return -1, err
	}
	options := fmt.Sprintf("userxattr,lowerdir=/proc/self/fd/%d,upperdir=/tmp/upper,workdir=/tmp/work", b.lower.Fd())
	if err := unix.Mount("overlay", "/tmp/merged", "overlay", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return -1, fmt.Errorf("mount the overlay: %w", err)
	}
	if b.upper, err = os.Open("/tmp/upper"); err != nil {
		return -1, err
	}
	tree, err = unix.OpenTree(unix.AT_FDCWD, "/tmp/merged", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("take the overlay: %w", err)
	}
	if err := unix.Unmount("/tmp", unix.MNT_DETACH); err != nil {
		return -1, fmt.Errorf("hide the memory of the overlay: %w", err)
	}
	return tree, nil
}

// likeRoot gives the top of the overlay the owner, mode and times of the real
// directory.
func likeRoot(real *os.File, dir string) error {
	var st unix.Stat_t
	if err := unix.Fstat(int(real.Fd()), &st); err != nil {
		return err
	}
	if err := os.Chown(dir, int(st.Uid), int(st.Gid)); err != nil && int(st.Uid) == os.Geteuid() && int(st.Gid) == os.Getegid() {
		return err
	}
	if err := unix.Chmod(dir, st.Mode&0o7777); err != nil {
		return err
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, dir, []unix.Timespec{st.Atim, st.Mtim}, 0)
}

// devices are those that harmless programs use.
func devices() []string { return []string{"null", "zero", "full", "random", "urandom"} }

func cloneDevices() ([]int, error) {
	var out []int
	for _, name := range devices() {
		fd, err := unix.OpenTree(unix.AT_FDCWD, filepath.Join("/dev", name), unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err != nil {
			return nil, fmt.Errorf("take /dev/%s: %w", name, err)
		}
		out = append(out, fd)
	}
	return out, nil
}

// plugDevices makes a /dev that holds nothing else.
func plugDevices(fds []int) error {
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "size=65536,mode=0755"); err != nil {
		return fmt.Errorf("mount a private /dev: %w", err)
	}
	for i, name := range devices() {
		path := filepath.Join("/dev", name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
		if err := unix.MoveMount(fds[i], "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			return fmt.Errorf("put %s: %w", path, err)
		}
		unix.Close(fds[i])
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2"} {
		if err := os.Symlink(to, filepath.Join("/dev", name)); err != nil {
			return err
		}
	}
	return nil
}

package shelloracle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	bwrapPath = "/usr/bin/bwrap"
	inside    = "/oracle"
	argvLog   = inside + "/log/argv"
)

// shimmed are the programs whose arguments are written down.
func shimmed() []string {
	return []string{
		"rm", "rmdir", "unlink", "shred", "mv", "cp", "install", "ln", "tee", "truncate", "dd",
		"touch", "chmod", "chown", "mkdir", "split", "setfacl",
	}
}

// shim writes its call down and becomes the real program NAME.
const shim = `#!/usr/bin/dash
{ printf '%s\0' NAME "$PWD" "$#" "$@"; } 2>/dev/null >>` + argvLog + `
exec ` + inside + `/real/NAME "$@"
`

// askNobody stands for programs that change the user and then run a command.
const askNobody = `#!/usr/bin/dash
while :; do
	case $1 in
	-u | -g) shift 2 ;;
	--) shift; break ;;
	-*) shift ;;
	*=*) export "$1"; shift ;;
	*) break ;;
	esac
done
exec "$@"
`

// sandbox returns the arguments that start the driver. dir is a private
// directory for the files that are shown inside.
func sandbox(dir string) ([]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{
		"--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--cap-drop", "ALL",
		"--die-with-parent", "--new-session", "--clearenv", "--hostname", "oracle",
		"--tmpfs", inside + "/log", "--tmpfs", "/home", "--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev",
	}
	args, err = ShowSystem(args)
	if err != nil {
		return nil, err
	}
	for _, name := range shimmed() {
		tool, err := filepath.EvalSymlinks("/usr/bin/" + name)
		if err != nil {
			continue
		}
		shimFile, err := script(dir, name, strings.ReplaceAll(shim, "NAME", name))
		if err != nil {
			return nil, err
		}
		args = append(args, "--ro-bind", tool, inside+"/real/"+name, "--ro-bind", shimFile, "/usr/bin/"+name)
	}
	for _, name := range []string{"sudo", "doas"} {
		file, err := script(dir, name, askNobody)
		if err != nil {
			return nil, err
		}
		args = append(args, "--ro-bind", file, inside+"/bin/"+name)
	}
	driver := inside + "/" + driverName
	return append(args, "--ro-bind", exe, driver, "--remount-ro", "/", "--chdir", "/", driver), nil
}

// script writes an executable file and returns its path.
func script(dir, name, text string) (string, error) {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		return "", fmt.Errorf("shim %s: %w", name, err)
	}
	return path, os.Chmod(path, 0o755)
}

// ShowSystem adds to the arguments of bubblewrap what shows the system's
// programs inside, read-only, with links between their directories as links,
// and further directories like them.
func ShowSystem(args []string, more ...string) ([]string, error) {
	for _, top := range append([]string{"/usr", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64"}, more...) {
		info, err := os.Lstat(top)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(top)
			if err != nil {
				return nil, err
			}
			args = append(args, "--symlink", target, top)
		default:
			args = append(args, "--ro-bind", top, top)
		}
	}
	return args, nil
}

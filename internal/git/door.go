// Package git is the one door to git.
//
// A repository is looked at by reading its files. Where git itself is needed,
// it runs in a private git directory that borrows the repository's objects:
// no hook, filter, monitor, pager, helper or include of the repository is ever
// seen by it, and its environment holds nothing that was not put there here.
// How a remote is reached (credentials, ssh command, proxy) comes from the
// configuration of the system and of the person only.
package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/counterstep/counterstep/internal/proc"
)

// Door is how git is run. The zero value is of no use: Git, Home, Path and
// Temp are required.
type Door struct {
	// Git is the git program, absolute.
	Git string
	// Home is the home directory of the person: not one that a caller could
	// have been talked into.
	Home string
	// Path is where git finds ssh and credential helpers, in the form of $PATH.
	// Entries that are not absolute are dropped.
	Path string
	// Env holds values from outside. Only names that say where an agent, a
	// proxy or a private directory is are used, see passed.
	Env map[string]string
	// Config says where the configuration of the system and the person is.
	Config Config
	// Temp is a private directory that exists. What is made there is removed
	// again.
	Temp string
}

// Config names configuration files that are not in their usual places. The
// zero value means the usual places.
type Config struct {
	// System is the system's file; NoSystem says that there is none.
	System   string
	NoSystem bool
	// Global replaces both files of the person.
	Global string
}

// ErrUnreachable says that a remote did not answer, or refused to. Nothing was
// sent to it.
var ErrUnreachable = errors.New("remote cannot be read")

// ErrFailed says that git ended with a status other than 0.
var ErrFailed = errors.New("git failed")

// passed reports whether a value from outside may reach git. GIT_* and LD_*
// never may, nor what names certificates or programs.
func passed(name string) bool {
	switch name {
	case "SSH_AUTH_SOCK", "SSH_AGENT_PID", "KRB5CCNAME", "DBUS_SESSION_BUS_ADDRESS", "GNUPGHOME",
		"USER", "LOGNAME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
		"TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "SystemRoot", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
		"http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY":
		return true
	}
	return false
}

// protocols are the transports that may be used: none of them runs a program
// that a URL names.
const protocols = "file:git:ssh:https:http"

// run describes one run of git.
type run struct {
	// gitDir is the private git directory; dir is where git runs, gitDir when
	// empty.
	gitDir, dir string
	workTree    string
	// person has git read the configuration of the system and the person.
	person bool
	// config is added to what is fixed.
	config []setting
	stdin  io.Reader
	limit  int
	args   []string
}

// git runs git and returns what it said. A status other than 0 wraps
// ErrFailed and carries the last words of git.
func (d *Door) git(ctx context.Context, r run) (proc.Result, error) {
	dir := r.dir
	if dir == "" {
		dir = r.gitDir
	}
	if dir == "" {
		dir = d.Temp
	}
	res, err := proc.Run(ctx, proc.Cmd{
		Path: d.Git, Args: r.args, Dir: dir, Env: d.environ(r), Stdin: r.stdin, Limit: r.limit,
	})
	if err != nil {
		return res, fmt.Errorf("git %s: %w", r.args[0], err)
	}
	if res.Code != 0 {
		return res, fmt.Errorf("git %s: %w: %s", r.args[0], ErrFailed, lastWords(res.Stderr))
	}
	return res, nil
}

// environ is the whole environment of one run.
func (d *Door) environ(r run) []string {
	gitDir := r.gitDir
	if gitDir == "" {
		gitDir = os.DevNull
	}
	env := []string{
		"HOME=" + d.Home, "PATH=" + proc.Clean(d.Path), "LC_ALL=C", "LANG=C", "TERM=dumb",
		"GIT_DIR=" + gitDir,
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS_REQUIRE=never", "GCM_INTERACTIVE=never",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0", "GIT_ATTR_NOSYSTEM=1",
		"GIT_ALLOW_PROTOCOL=" + protocols, "GIT_PAGER=cat", "GIT_EDITOR=:",
	}
	if r.workTree != "" {
		env = append(env, "GIT_WORK_TREE="+r.workTree)
	}
	switch {
	case !r.person:
		env = append(env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	default:
		if d.Config.NoSystem {
			env = append(env, "GIT_CONFIG_NOSYSTEM=1")
		}
		if d.Config.System != "" {
			env = append(env, "GIT_CONFIG_SYSTEM="+d.Config.System)
		}
		if d.Config.Global != "" {
			env = append(env, "GIT_CONFIG_GLOBAL="+d.Config.Global)
		}
	}
	for name, value := range d.Env {
		if passed(name) {
			env = append(env, name+"="+value)
		}
	}
	return append(env, configEnv(append(r.config, fixedConfig()...))...)
}

// fixedConfig switches off whatever could run a program or touch what was not
// asked for, also when the person's own configuration turns it on.
func fixedConfig() []setting {
	var out []setting
	for _, kv := range [][2]string{
		{"core.hooksPath", os.DevNull},
		{"core.fsmonitor", "false"},
		{"core.untrackedCache", "false"},
		{"core.commitGraph", "false"},
		{"core.multiPackIndex", "false"},
		{"core.logAllRefUpdates", "false"},
		{"gc.auto", "0"},
		{"maintenance.auto", "false"},
		{"push.gpgSign", "false"},
		{"push.followTags", "false"},
		{"push.recurseSubmodules", "no"},
		{"push.negotiate", "false"},
		{"push.useForceIfIncludes", "false"},
		{"submodule.recurse", "false"},
		{"fetch.recurseSubmodules", "no"},
		{"fetch.writeCommitGraph", "false"},
		{"http.followRedirects", "false"},
	} {
		out = append(out, setting{key: kv[0], value: kv[1]})
	}
	return out
}

// configEnv hands settings to git through the environment, which takes keys
// and values of any bytes.
func configEnv(list []setting) []string {
	env := []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(len(list))}
	for i, s := range list {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s.key, "GIT_CONFIG_VALUE_"+n+"="+s.value)
	}
	return env
}

// lastWords is the end of what git wrote to its error stream, on one line.
func lastWords(stderr []byte) string {
	var lines []string
	for line := range strings.SplitSeq(string(stderr), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "hint:") {
			lines = append(lines, line)
		}
	}
	if len(lines) > 3 {
		lines = lines[len(lines)-3:]
	}
	text := strings.Join(lines, "; ")
	if len(text) > 400 {
		text = text[:400]
	}
	if text == "" {
		return "without a word"
	}
	return text
}

// scratch makes a private directory below Temp.
func (d *Door) scratch(what string) (dir string, remove func(), err error) {
	if !filepath.IsAbs(d.Temp) {
		return "", nil, fmt.Errorf("make %s: no directory for it", what)
	}
	dir, err = os.MkdirTemp(d.Temp, what+"-*")
	if err != nil {
		return "", nil, fmt.Errorf("make %s: %w", what, err)
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

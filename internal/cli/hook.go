package cli

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/counterstep/counterstep/internal/gate"
	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/harness"
	"github.com/counterstep/counterstep/internal/harness/all"
	"github.com/counterstep/counterstep/internal/hint"
	"github.com/counterstep/counterstep/internal/policy"
	"github.com/counterstep/counterstep/internal/proc"
	"github.com/counterstep/counterstep/internal/setup"
)

// deadline is when the hook answers at the latest. The wrapper in the settings
// gives it 60 s, the client 90 s. Only a test changes it.
var deadline = 45 * time.Second

// hook answers one event of a harness. Whatever goes wrong ends in an answer
// that blocks where blocking is possible.
func hook(env Env, args []string) int {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	adapter, err := all.Find(name)
	if err != nil {
		hint.Print(env.Stderr, err)
		return 2
	}
	debug.SetGCPercent(400) // one short process: memory is bounded elsewhere
	answer := make(chan harness.Output, 1)
	go func() { answer <- exchange(env, adapter) }()
	select {
	case out := <-answer:
		// An answer that nobody reads must not end in a signal: the code counts.
		signal.Ignore(syscall.SIGPIPE)
		env.Stderr.Write(out.Stderr)
		env.Stdout.Write(out.Stdout)
		return out.Code
	case <-time.After(deadline + time.Second):
		env.Stderr.Write([]byte("counterstep: no decision in time, so the call is blocked\nhint: counterstep doctor\n"))
		return 2
	}
}

func exchange(env Env, adapter harness.Adapter) harness.Output {
	payload, err := harness.Read(env.Stdin)
	if err != nil {
		return adapter.Encode(gate.Request{}, gate.Decision{Fault: true, Reason: err.Error()})
	}
	return harness.Exchange(adapter, payload, func(r gate.Request) gate.Decision {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		g := newGate(env)
		if l, ok := adapter.(harness.Listener); ok {
			g.Said = l.Said
		}
		return g.Decide(ctx, r)
	})
}

// variables are what a command line may use of the environment. Others are not
// known.
var variables = [...]string{"HOME", "USER", "LOGNAME", "TMPDIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "CLAUDE_PROJECT_DIR", "GOPATH", "SHELL"}

func newGate(env Env) *gate.Gate {
	vars := map[string]string{}
	for _, name := range variables {
		if v := env.Getenv(name); v != "" {
			vars[name] = v
		}
	}
	return &gate.Gate{
		StateHome: env.stateHome(), RuntimeDir: env.Getenv("XDG_RUNTIME_DIR"),
		Home: env.home(), Env: vars, Shell: shell(env), Binary: env.Executable,
		Policy:     machine(env).Protected(),
		UserPolicy: userPolicy(env),
		Settings:   func(root string) []string { return settings(env, root) },
		Intact:     machine(env).Intact,
		Git:        func() (*git.Door, error) { return door(env) },
		Now:        env.Now, NewID: env.newID,
	}
}

// userPolicy is the file of the user's policy; empty when it is not known where
// that would be.
func userPolicy(env Env) string {
	if dir := env.configHome(); filepath.IsAbs(dir) {
		return filepath.Join(dir, policy.Name)
	}
	return ""
}

// door is the way to git: the program from absolute entries of PATH, and a
// private directory of ours for what it needs on the way.
func door(env Env) (*git.Door, error) {
	program, err := proc.Look("git", env.Getenv("PATH"))
	if err != nil {
		return nil, err
	}
	if env.stateHome() == "" {
		return nil, gate.ErrNoHome()
	}
	temp := filepath.Join(env.stateHome(), "counterstep", "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, err
	}
	vars := map[string]string{}
	for _, name := range passed {
		if v := env.Getenv(name); v != "" {
			vars[name] = v
		}
	}
	return &git.Door{Git: program, Home: env.home(), Path: env.Getenv("PATH"), Env: vars, Temp: temp}, nil
}

// passed are the variables that reaching a remote may need.
var passed = [...]string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "KRB5CCNAME", "DBUS_SESSION_BUS_ADDRESS", "GNUPGHOME", "USER", "LOGNAME",
	"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA",
	"http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
}

// settings are the files that a harness reads its hooks from.
func settings(env Env, root string) []string {
	var files []string
	for _, s := range setup.Scopes() {
		if f, err := setup.SettingsFile(s, root, env.home()); err == nil {
			files = append(files, f)
		}
	}
	return files
}

// shell is the name of the shell that a harness runs commands with.
func shell(env Env) string {
	for _, name := range []string{"CLAUDE_CODE_SHELL", "SHELL"} {
		switch base := filepath.Base(env.Getenv(name)); base {
		case "bash", "zsh":
			return base
		}
	}
	return "bash"
}

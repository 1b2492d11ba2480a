// Package cli turns command lines into calls of the workflows and results into
// text. Nothing below it looks at the clock, the environment or the streams.
package cli

import (
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/oklog/ulid/v2"
)

// Env is everything a command takes from outside.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// Terminal says that a person reads stderr and types on stdin.
	Terminal bool
	// Getenv looks a variable up.
	Getenv func(string) string
	// Dir is the current directory, Executable the path of this program.
	Dir, Executable string
	Now             func() time.Time
}

// System is the real outside.
func System() Env {
	dir, _ := os.Getwd()
	exe, err := os.Executable()
	if err == nil {
		if r, err := filepath.EvalSymlinks(exe); err == nil {
			exe = r
		}
	}
	return Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Terminal: terminal(os.Stdin) && terminal(os.Stderr),
		Getenv:   os.Getenv, Dir: dir, Executable: exe, Now: time.Now,
	}
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && f.Name() != os.DevNull
}

// home is the user's home directory; empty when it is not known.
func (e Env) home() string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if h := e.Getenv(name); filepath.IsAbs(h) {
			return filepath.Clean(h)
		}
	}
	return ""
}

// stateHome is where state lies: $XDG_STATE_HOME, or its default. It is empty
// when there is neither: it is never the current directory.
func (e Env) stateHome() string {
	if s := e.Getenv("XDG_STATE_HOME"); filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	if e.home() == "" {
		return ""
	}
	return filepath.Join(e.home(), ".local", "state")
}

// configHome is where settings of the user lie: $XDG_CONFIG_HOME, or its
// default.
func (e Env) configHome() string {
	if s := e.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	return filepath.Join(e.home(), ".config")
}

// newID makes a ULID from the clock and the system's random source.
func (e Env) newID() string {
	return ulid.MustNew(ulid.Timestamp(e.Now()), rand.Reader).String()
}

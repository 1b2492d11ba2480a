// Package doctor finds out whether the guard works: whether the hook really
// fires, whether the agent's program honours it, and whether the store can
// hold and give back what it should.
//
// It is a list of small checks. Each looks at one thing and says what it
// found, with the command that sets it right.
package doctor

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/git"
	"github.com/counterstep/counterstep/internal/setup"
)

// Level is how much a finding matters.
type Level string

// The levels.
const (
	OK   Level = "ok"   // as it should be
	Note Level = "note" // worth knowing; nothing to do
	Warn Level = "warn" // works, but less well than it could
	Fail Level = "fail" // a promise is not kept
)

// Session is the session that canary calls belong to in the ledger.
const Session = "doctor"

// Finding is what a check says about one thing.
type Finding struct {
	Check string `json:"check"`
	Level Level  `json:"level"`
	What  string `json:"what"`
	// Fix is a command that sets it right, empty when there is none.
	Fix string `json:"fix,omitempty"`
}

// Options are what the checks may know of the world. All paths are absolute.
type Options struct {
	// Machine is where installations are recorded.
	Machine setup.Machine
	// UserPolicy is the file of the user's policy; empty: there is none.
	UserPolicy string
	// Dir is the current directory, Root its workspace, StoreDir the store.
	Dir, Root, StoreDir string
	// Executable is the running program.
	Executable string
	// Path is the list of directories to look for programs in.
	Path string
	// Environ is the environment that programs are started with.
	Environ []string
	// Config is where the harness keeps its own files, empty when not known.
	Config string
	// Managed are the files in which an administrator sets hooks.
	Managed []string
	// Place tells where the calls of a directory are recorded.
	Place func(dir string) (storeDir string)
	// Apart reports whether this host lets a command run apart from
	// everything else; nil: that is not looked at.
	Apart func(context.Context) error
	// Git gives the door to git, for what is held of remotes.
	Git   func() (*git.Door, error)
	Now   func() time.Time
	NewID func() string
}

// check is one thing to look at.
type check struct {
	name string
	run  func(context.Context, Options) []Finding
}

func checks() []check {
	return []check{
		{"wiring", wiring},
		{"client", client},
		{"store", health},
		{"disk", disks},
		{"policy", rulesOf},
		{"apart", apart},
		{"calls", calls},
		{"level", level},
	}
}

// Examine runs all checks and returns their findings in a fixed order. It
// leaves two records of canary calls in the ledger of each installation that
// is wired, and probes file systems with files that it removes again; it
// changes nothing else.
func Examine(ctx context.Context, o Options) []Finding {
	var all []Finding
	for _, c := range checks() {
		for _, f := range c.run(ctx, o) {
			f.Check = c.name
			all = append(all, f)
		}
	}
	return all
}

// Failed counts the findings that say that a promise is not kept.
func Failed(all []Finding) int {
	n := 0
	for _, f := range all {
		if f.Level == Fail {
			n++
		}
	}
	return n
}

// quote writes s as one word for a POSIX shell, plainly where it can.
func quote(s string) string {
	plain := s != ""
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/._-+@:,", r) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// real resolves the links in path, as far as it can.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}

// Package policy reads what a person says about commands, paths, hosts and the
// store: counterstep.toml. docs/policy.md is its format.
//
// There is one file of the user and one of the repository. The user's file may
// say anything; the repository's only tightens, and what would weaken in it is
// ignored and named. A file that cannot be understood is an error: nothing is
// guessed about what should be safe.
package policy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/counterstep/counterstep/classify"
	"github.com/counterstep/counterstep/internal/hint"
)

// Name is the name of the file, in the user's configuration directory and at
// the top of a workspace.
const Name = "counterstep.toml"

// maxSize is the size in bytes up to which a file is read.
const maxSize = 64 << 10

// Policy is what holds in a workspace. The zero value is the usual.
type Policy struct {
	// Rules say what commands do, the first that fits counts.
	Rules []classify.Rule
	// Protected are absolute clean paths that no call may change, with
	// everything below them.
	Protected []Path
	// Hosts are servers to which a request that writes is let go.
	Hosts []string
	// Ask lets a person decide about calls without an undo, where the harness
	// can ask.
	Ask bool
	// NoPartial refuses a call whose checkpoint is not complete.
	NoPartial bool
	// Exclude are names of directories that checkpoints leave out, besides the
	// usual ones.
	Exclude []string
	// Quota is how many bytes a store may take; 0: the usual.
	Quota int64
	// Ignored says what of the repository's file does not count, and why.
	Ignored []string
}

// Path is a protected path and the file that says so.
type Path struct{ Path, File string }

// Files are where a policy is read from.
type Files struct {
	// User is the user's file, Home what ~ stands for.
	User, Home string
	// Root is the workspace.
	Root string
}

// Load reads both files. One that is not there says nothing.
func Load(f Files) (Policy, error) {
	var p Policy
	user, err := read(f.User, f)
	if err != nil {
		return p, err
	}
	var repo *file
	if f.Root != "" {
		if repo, err = read(filepath.Join(f.Root, Name), f); err != nil {
			return p, err
		}
	}
	if user != nil {
		if err := user.apply(&p); err != nil {
			return Policy{}, err
		}
	}
	if repo != nil && filepath.Join(f.Root, Name) != f.User {
		if err := repo.tighten(&p); err != nil {
			return Policy{}, err
		}
	}
	return p, nil
}

// read reads one file; nil when there is none.
func read(name string, f Files) (*file, error) {
	if name == "" {
		return nil, nil
	}
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 && name == f.User {
		info, err = os.Stat(name) // people keep their settings elsewhere
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the policy: %w", err)
	case !info.Mode().IsRegular():
		return nil, hint.New("ls -l "+name, "%s is not a regular file, so it is not known what is safe", name)
	case info.Size() > maxSize:
		return nil, hint.New("${EDITOR:-vi} "+name, "%s has more than %d bytes", name, maxSize)
	}
	r, err := os.Open(name)
	if err != nil {
		return nil, hint.New("ls -l "+name, "read the policy: %w", err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read the policy: %w", err)
	}
	return parse(name, data, f)
}

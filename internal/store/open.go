package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/fail"
	"github.com/counterstep/counterstep/internal/hint"
)

// Create makes the store at dir, durably, or opens it when it is there. An
// interrupted creation is finished.
func Create(dir string) (*Store, error) {
	s, err := Open(dir)
	if !errors.Is(err, ErrMissing) {
		return s, err
	}
	if err := create(dir); err != nil {
		return nil, trouble("create "+dir, err)
	}
	return Open(dir)
}

// folders are the directories of a store.
func folders() []string {
	return []string{"ledger", "shadow", "post", "pending", "cache", "checkpoints", "remotes", "index"}
}

func create(dir string) error {
	made, err := makeParents(dir)
	if err != nil {
		return err
	}
	if err := makeDir(dir); err != nil {
		return err
	}
	if err := checkPrivate(dir); err != nil {
		return err
	}
	for _, name := range folders() {
		if err := makeDir(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	link := filepath.Join(dir, "ledger.jsonl")
	if err := os.Symlink(filepath.Join("ledger", "ledger.jsonl"), link); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := newFile(filepath.Join(dir, "ledger", "ledger.jsonl"))
	if err == nil {
		err = f.Close()
	} else if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err == nil {
		err = fail.Point("store.create")
	}
	if err != nil {
		return err
	}
	for _, d := range append(made, filepath.Dir(dir), filepath.Join(dir, "ledger")) {
		if err := durable.SyncDir(d); err != nil {
			return err
		}
	}
	// VERSION comes last: without it the store does not exist yet, with it
	// every name that leads to the ledger is durable.
	return durable.WriteFile(filepath.Join(dir, "VERSION"), fmt.Appendln(nil, Version), 0o600)
}

// makeDir makes a directory that only we can use. One that is there stays, but
// must be a directory.
func makeDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err == nil {
		return os.Chmod(dir, 0o700)
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "mkdir", Path: dir, Err: errors.New("not a directory")}
	}
	return err
}

// makeParents makes what is missing above dir and returns the directories that
// got a new name.
func makeParents(dir string) (changed []string, err error) {
	parent := filepath.Dir(dir)
	if _, err := os.Stat(parent); err == nil || parent == dir {
		return nil, nil
	}
	changed, err = makeParents(parent)
	if err != nil {
		return nil, err
	}
	return append(changed, filepath.Dir(parent)), makeDir(parent)
}

// Open opens the store at dir for reading and writing.
func Open(dir string) (*Store, error) {
	version, err := look(dir)
	if err != nil {
		return nil, err
	}
	if version > Version {
		return nil, hint.New("use the counterstep that made it, or a newer one; this one can only read it",
			"%s: %w (version %d, this one writes %d)", dir, ErrNewer, version, Version)
	}
	if err := canWrite(dir); err != nil {
		return nil, hint.New("make it writable, or choose another place with --store",
			"%s: %w (%v)", dir, ErrReadOnly, err)
	}
	return &Store{dir: dir}, nil
}

// OpenReadOnly opens the store at dir for reading, also when it is newer or
// cannot be written to.
func OpenReadOnly(dir string) (*Store, error) {
	if _, err := look(dir); err != nil {
		return nil, err
	}
	return &Store{dir: dir, readOnly: true}, nil
}

// look checks that the store at dir is ours alone and returns its version.
func look(dir string) (version int, err error) {
	for _, d := range []string{dir, filepath.Join(dir, "ledger"), filepath.Join(dir, "shadow")} {
		if err := checkPrivate(d); err != nil {
			return 0, err
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, missing(dir)
	}
	if err != nil {
		return 0, trouble("read VERSION", err)
	}
	text := strings.TrimSuffix(string(data), "\n")
	version, err = strconv.Atoi(text)
	if err != nil || version < 1 || strconv.Itoa(version) != text {
		return 0, hint.New("counterstep doctor", "%s: VERSION says %.20q, which is no version", dir, text)
	}
	return version, nil
}

func missing(dir string) error { return hint.New("counterstep init", "%s: %w", dir, ErrMissing) }

// checkPrivate fails unless dir is a directory that only its owner, who is us,
// can write to.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing(dir)
	case err != nil:
		return trouble("look at "+dir, err)
	case !info.IsDir():
		return hint.New("move it out of the way, then counterstep init", "%s: %w: not a directory", dir, ErrForeign)
	}
	why := foreign(info)
	if why == "" {
		return nil
	}
	return hint.New("if it is yours, chown and chmod 700 it; else choose another place with --store",
		"%s: %w: %s", dir, ErrForeign, why)
}

// writable fails for a store that was opened for reading.
func (s *Store) writable() error {
	if s.readOnly {
		return hint.New("counterstep doctor", "%s: %w: it was opened for reading", s.dir, ErrReadOnly)
	}
	return nil
}

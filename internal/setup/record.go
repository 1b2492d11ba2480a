package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/hint"
)

// Machine is where this machine keeps its own state: the only thing that says
// whether, and where, counterstep was installed. Nothing in a repository does.
type Machine struct {
	Home      string // the user's home
	StateHome string // $XDG_STATE_HOME, or its default below Home
}

// Installed is one settings file with entries of ours.
type Installed struct {
	Scope   Scope
	Created bool   // init made the file
	Binary  string // absolute path in the entries
	State   string // state home in the entries
	File    string // absolute; links in its directory are resolved
}

// records are the files that hold the record. Their first line is the path of
// the binary, for the entries of others; then one line for each settings file:
// scope, created or kept, binary, state home and file, with tabs between. The second file
// is there so that a session with another XDG_STATE_HOME is guarded too.
func (m Machine) records() []string {
	const name = "counterstep/installed"
	all := []string{filepath.Join(m.StateHome, name)}
	if other := filepath.Join(m.Home, ".local/state", name); m.Home != "" && other != all[0] {
		all = append(all, other)
	}
	return all
}

// Protected lists the paths by which this package can be switched off, besides
// the settings files: what writes them from a call weakens the guard.
func (m Machine) Protected() []string { return m.records() }

// Installed lists the settings files with entries of ours. Where nothing was
// ever installed, the list is empty. A line that cannot be read is an error.
func (m Machine) Installed() ([]Installed, error) {
	var all []Installed
	for _, path := range m.records() {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the record of installations: %w", err)
		}
		lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		for _, line := range lines[1:] {
			f := strings.Split(line, "\t")
			if len(f) != 5 {
				return nil, hint.New("rm -- "+quote(path)+" && counterstep init", "the record of installations %q has an unreadable line %q", path, line)
			}
			in := Installed{Scope: Scope(f[0]), Created: f[1] == "created", Binary: f[2], State: f[3], File: f[4]}
			if !slices.ContainsFunc(all, func(o Installed) bool { return o.File == in.File }) {
				all = append(all, in)
			}
		}
	}
	return all, nil
}

// lock keeps others from changing the record; it waits a few seconds for them.
func (m Machine) lock(ctx context.Context) (unlock func() error, err error) {
	path := m.records()[0] + ".lock"
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("record the installation: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return durable.Lock(ctx, path)
}

// save replaces the record. The first line is binary.
func (m Machine) save(binary string, all []Installed) error {
	var b strings.Builder
	b.WriteString(binary + "\n")
	for _, in := range all {
		made := "kept"
		if in.Created {
			made = "created"
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\n", in.Scope, made, in.Binary, in.State, in.File)
	}
	for _, path := range m.records() {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("record the installation: %w", err)
		}
		if err := durable.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			return fmt.Errorf("record the installation: %w", err)
		}
	}
	return nil
}

// binary is the first line of the record, "" when there is none.
func (m Machine) binary() string {
	for _, path := range m.records() {
		if data, err := os.ReadFile(path); err == nil {
			first, _, _ := strings.Cut(string(data), "\n")
			return first
		}
	}
	return ""
}

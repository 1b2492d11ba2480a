package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"github.com/counterstep/counterstep/internal/durable"
	"github.com/counterstep/counterstep/internal/hint"
)

// Register adds dir to the registry under stateHome and returns its
// workspace. Registering a directory again changes nothing. It refuses what is
// not a directory, the root directory, the home directory and what contains it.
func (r Registry) Register(stateHome, dir string) (Workspace, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Workspace{}, fmt.Errorf("register: %w", err)
	}
	if what := r.tooWide(real); what != "" {
		return Workspace{}, hint.New("register a project directory",
			"%q is %s and cannot be a workspace", real, what)
	}
	line, err := registryLine(real)
	if err != nil {
		return Workspace{}, err
	}
	path := registryPath(stateHome)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Workspace{}, fmt.Errorf("register: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	unlock, err := durable.Lock(ctx, path+".lock")
	if err != nil {
		return Workspace{}, fmt.Errorf("register: %w", err)
	}
	defer unlock()
	known, err := readRegistry(path)
	if err != nil {
		return Workspace{}, err
	}
	if !known.has(real) {
		if err := durable.WriteFile(path, known.with(line), 0o600); err != nil {
			return Workspace{}, fmt.Errorf("register: %w", err)
		}
	}
	return Workspace{Root: real, Registered: true}, nil
}

func registryPath(stateHome string) string {
	return filepath.Join(stateHome, "counterstep", "workspaces.jsonl")
}

// registered is one line of the registry. Unknown fields are ignored here and
// kept in the file.
type registered struct {
	Path    string `json:"path,omitempty"`
	PathB64 []byte `json:"path_b64,omitempty"`
	Dev     uint64 `json:"dev"`
	Ino     uint64 `json:"ino"`
}

func registryLine(dir string) ([]byte, error) {
	info, err := identity(dir)
	if err != nil {
		return nil, err
	}
	r := registered{Path: dir, Dev: info.dev, Ino: info.ino}
	if !utf8.ValidString(dir) {
		r.Path, r.PathB64 = "", []byte(dir)
	}
	line, err := json.Marshal(r)
	return append(line, '\n'), err
}

func identity(dir string) (stat, error) {
	d, err := openRoot(dir, toPass)
	if err != nil {
		return stat{}, fmt.Errorf("register %q: %w", dir, err)
	}
	defer d.close()
	return d.stat()
}

// registry is what the file says: all of its bytes, and what was understood.
type registry struct {
	raw  []byte
	inos map[string]uint64
}

func readRegistry(path string) (registry, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return registry{}, hint.New("counterstep doctor", "read the list of workspaces: %w", err)
	}
	reg := registry{raw: data, inos: map[string]uint64{}}
	for line := range bytes.Lines(data) {
		var r registered
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		if r.PathB64 != nil {
			r.Path = string(r.PathB64)
		}
		reg.inos[r.Path] = r.Ino
	}
	return reg, nil
}

// has reports whether dir is the directory that was registered at this path,
// not one that took its place. Device numbers change between boots, so a
// different one is no objection.
func (r registry) has(dir string) bool {
	ino, ok := r.inos[dir]
	if !ok {
		return false
	}
	info, err := identity(dir)
	return err == nil && info.ino == ino
}

// with is the content of the file with one more line.
func (r registry) with(line []byte) []byte {
	data := bytes.Clone(r.raw)
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	return append(data, line...)
}
